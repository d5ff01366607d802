"""Kokoro checkpoints of random numbers, by the official names: for tests of parity, and for engines of toy size.

How numbers come about: stand_ins/random_checkpoint.py; here is their scale. Nothing is 0 or 1 but by chance; what leaves a layer is about
as large as what enters it, F0 lies on both sides of the threshold of a voice, and durations are a few frames.
"""

import math
import re
from pathlib import Path

import numpy as np

from tests.engines.kokoro.tensors import tensors
from tests.stand_ins.random_checkpoint import uniform, write_json, write_tensors

__all__ = ["KINDS", "RECIPE", "speaking", "tiny", "write_speaking_checkpoint", "write_tiny_checkpoint"]

RECIPE = "kokoro-random/1"  # changes when the same seed gives other bytes
KINDS = ("two stages", "one stage")
# Pattern of names -> (scale, offset) of numbers of [-1, 1); the first that fits.
_SCALES = (
    (r"predictor\.F0_proj\.weight", (60.0, 0.0)),  # Hz
    (r"predictor\.F0_proj\.bias", (0.0, 30.0)),
    (r"predictor\.duration_proj\.linear_layer\.weight", (6.0, 0.0)),
    (r".*lstms?(\.\d)?\.weight_\w+", (0.8, 0.0)),
    (r"decoder\.F0_conv\.weight_g", (0.0, 0.01)),  # what it takes is in Hz
    (r".*\.alpha[12]\.\d", (0.5, 1.0)),
    (r".*\.conv_post\.weight_g", (0.1, 0.3)),
    (r".*\.weight_g", (0.3, 1.1)),
    (r".*(LayerNorm|layer_norm)\.weight|.*\.gamma", (0.3, 1.0)),
    (r".*\.fc\.bias", (0.3, 0.0)),
    (r".*(bias|beta)(_\w+)?", (0.2, 0.0)),
    (r".*embeddings?\.weight|.*_embeddings\.weight", (1.5, 0.0)),
)
_FAN_IN = math.sqrt(3.0)  # over the square root of the inputs: uniform numbers that keep the variance


def tiny(kind: str = KINDS[0]) -> dict:
    """The content of config.json: every structure of the release at small width. The kinds differ in all that a configuration may."""
    from engines.kokoro.config import VOCAB

    shared = {"vocab": dict(VOCAB), "n_token": 178, "dim_in": 64, "dropout": 0.2, "max_conv_dim": 512, "multispeaker": True, "n_mels": 80}
    plbert, istftnet = {"dropout": 0.1}, {}
    if kind == KINDS[0]:
        plbert |= {"hidden_size": 24, "num_attention_heads": 3, "intermediate_size": 40, "num_hidden_layers": 3, "embedding_size": 10}
        istftnet |= {
            "upsample_rates": [4, 2], "upsample_kernel_sizes": [8, 4], "upsample_initial_channel": 32, "resblock_kernel_sizes": [3, 5],
            "resblock_dilation_sizes": [[1, 3, 5], [1, 2, 4]], "gen_istft_n_fft": 12, "gen_istft_hop_size": 3,
        }  # fmt: skip
        sizes = {"hidden_dim": 32, "style_dim": 12, "max_dur": 8, "n_layer": 2, "text_encoder_kernel_size": 5}
    else:
        plbert |= {"hidden_size": 16, "num_attention_heads": 2, "intermediate_size": 24, "num_hidden_layers": 2, "embedding_size": 6}
        istftnet |= {
            "upsample_rates": [6], "upsample_kernel_sizes": [12], "upsample_initial_channel": 16, "resblock_kernel_sizes": [3, 7, 5],
            "resblock_dilation_sizes": [[1, 2, 3]] * 3, "gen_istft_n_fft": 8, "gen_istft_hop_size": 2,
        }  # fmt: skip
        sizes = {"hidden_dim": 16, "style_dim": 20, "max_dur": 6, "n_layer": 1, "text_encoder_kernel_size": 3}
    return shared | sizes | {"plbert": plbert | {"max_position_embeddings": 512}, "istftnet": istftnet}


def speaking() -> dict:
    """The same as an engine takes it: with the rates of the release, and styles as wide as the tables of the voices."""
    config = tiny()
    rates = {"upsample_rates": [10, 6], "upsample_kernel_sizes": [20, 12], "gen_istft_n_fft": 20, "gen_istft_hop_size": 5}
    return config | {"style_dim": 128, "istftnet": config["istftnet"] | rates | {"upsample_initial_channel": config["hidden_dim"]}}


def write_speaking_checkpoint(folder: Path, seed: int = 0) -> Path:
    """A checkpoint of toy size that an engine can be opened with, into `folder`, made if need be; returns the folder."""
    return _write(folder, speaking(), seed)


def write_tiny_checkpoint(folder: Path, kind: str = KINDS[0], seed: int = 0) -> Path:
    """config.json and model.safetensors of it into `folder`, made if need be; returns the folder."""
    return _write(folder, tiny(kind), seed)


def _write(folder: Path, config: dict, seed: int) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "config.json", config)
    table = {name: (shape, "F32") for name, shape in tensors(config).items()}
    write_tensors(folder / "model.safetensors", table, lambda name, shape: _values(name, shape, seed))
    return folder


def _values(name: str, shape: tuple[int, ...], seed: int) -> np.ndarray:
    scale = next((scale for pattern, scale in _SCALES if re.fullmatch(pattern, name)), None)
    fan_in = math.prod(shape[1:]) if len(shape) > 1 else 1
    return uniform(RECIPE, seed, name, shape, scale or (_FAN_IN / math.sqrt(fan_in), 0.0))
