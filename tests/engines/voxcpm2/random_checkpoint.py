"""VoxCPM2 checkpoints of random numbers in the official layout: `python -m tests.engines.voxcpm2.random_checkpoint FOLDER` (full size).

For tests of parity, and for figures without the real weights. How numbers come about: stand_ins/random_checkpoint.py; here is their scale.
"""

import json
import math
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import torch

from tests.engines.voxcpm2.ending import count_patches
from tests.engines.voxcpm2.tensors import AUDIO_VAE_DEFAULTS, audio_vae_tensors, main_tensors
from tests.engines.voxcpm2.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import SPACED, uniform, write_json, write_tensors

__all__ = ["RECIPE", "RELEASED", "RandomCheckpoint", "full_size", "write_checkpoint"]

RELEASED = Path(__file__).parents[2] / "released" / "voxcpm2"
RECIPE = "voxcpm2-random/1"  # changes when the same seed gives other bytes
MOST_TOKENS = 512  # of the made-up vocabulary; rows beyond it are never looked up
PTH, SAFETENSORS = "audiovae.pth", "audiovae.safetensors"  # the release has the first, the official loader prefers the second


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    config: the content of config.json. vae_file: PTH or SAFETENSORS.
    ends_after: patches that a speech has which continues nothing; patches of a recording that is continued count, and 4 are the least.
    math.inf: it never ends by itself. None: the stop head is as random as the rest (and rope factors are as configured).
    """

    config: Mapping
    seed: int = 0
    ends_after: float | None = None
    vae_file: str = PTH


def write_checkpoint(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files of the official layout into `folder` (made if need be). Main weights bfloat16, weights of the VAE float32, as released."""
    folder.mkdir(parents=True, exist_ok=True)
    config, change = checkpoint.config, None
    if checkpoint.ends_after is not None:
        config, change = count_patches(config, checkpoint.ends_after)
    write_json(folder / "config.json", config)
    write_tokenizer(folder, min(config["lm_config"]["vocab_size"], MOST_TOKENS))
    drawn = partial(_values, config=config, seed=checkpoint.seed)
    table = {name: (shape, "BF16") for name, shape in main_tensors(config).items()}
    write_tensors(
        folder / "model.safetensors",
        table,
        lambda name, shape: change(name, drawn(name, shape)) if change else drawn(name, shape),
        metadata={"format": "pt"},
        separators=SPACED,
    )
    _write_vae(folder / checkpoint.vae_file, audio_vae_tensors(config), drawn)
    return folder


def full_size(seed: int = 0) -> RandomCheckpoint:
    """The released configuration."""
    return RandomCheckpoint(json.loads((RELEASED / "config.json").read_text()), seed)


def _write_vae(file: Path, shapes: Mapping[str, tuple[int, ...]], drawn) -> None:
    if file.name == SAFETENSORS:
        table = {name: (shape, "I32" if name.endswith("sr_bin_boundaries") else "F32") for name, shape in shapes.items()}
        write_tensors(file, table, drawn)
    else:
        torch.save({"state_dict": {name: torch.from_numpy(drawn(name, shape)) for name, shape in shapes.items()}}, file)


def _values(name: str, shape: tuple[int, ...], config: Mapping, seed: int) -> np.ndarray:
    if name.endswith("sr_bin_boundaries"):
        return np.array((AUDIO_VAE_DEFAULTS | config.get("audio_vae_config", {}))["sr_bin_boundaries"], np.int32)
    return uniform(RECIPE, seed, name, shape, _scale_and_offset(name, shape, config))


# The first ending that a name has decides: (scale of u, offset). Else by gain.
_SCALES = (
    (".alpha", (0.5, 1.0)),
    (".weight_v", (1.0, 0.0)),  # its size has no effect, only its direction
    (".scale_embed.weight", (0.3, 1.0)),
    (".bias_embed.weight", (0.2, 0.0)),
    ("norm.weight", (0.2, 1.0)),
    ("embed_tokens.weight", (1.7, 0.0)),
    (".special_token", (1.7, 0.0)),
    (".bias", (0.1, 0.0)),
)

BEFORE_TANH = 0.035  # gain of the last convolution of the VAE


def _scale_and_offset(name: str, shape: tuple[int, ...], config: Mapping) -> tuple[float, float]:
    for ending, scale_and_offset in _SCALES:
        if name.endswith(ending):
            return scale_and_offset
    gain = next((gain for pattern, gain in _GAINS if re.search(pattern, name)), 1.0)
    if name.endswith(".weight_g"):  # the length of a kernel: nothing else scales it
        gain *= _decoder_gain(name, config)
        return 0.2 * gain, gain
    return gain * math.sqrt(3 / math.prod(shape[1:])), 0.0


# The first pattern that a name contains decides: gain of standard deviation from input to output. Chosen for unit size in the middle of the
# networks, latents of unit size from a recording, levels of quantization that are all met, and a waveform that seldom clips.
_GAINS = (
    (r"stop_head", 2.0),
    (r"fsq_layer\.in_proj", 0.8),
    (r"encoder\.block\.0\.", 6.0),
    (r"\.block\.\d\.block\.3\.weight_g", 0.25),
)


def _decoder_gain(name: str, config: Mapping) -> float:
    """What the place of a convolution in the VAE's decoder adds to its gain.

    Transposed ones: an output sample is made of two of the 2s samples of each kernel, whose length is that of one input. The last one: to
    stay within what tanh leaves as it is.
    """
    rates = (AUDIO_VAE_DEFAULTS | config.get("audio_vae_config", {}))["decoder_rates"]
    transposed = re.fullmatch(r"decoder\.model\.(\d+)\.block\.1\.weight_g", name)
    if transposed:
        return math.sqrt(rates[int(transposed[1]) - 2] / 2)
    return BEFORE_TANH if name == f"decoder.model.{len(rates) + 3}.weight_g" else 1.0


if __name__ == "__main__":
    write_checkpoint(Path(sys.argv[1]), full_size())
