"""Fish Audio S2 Pro checkpoints of random numbers in the official layout, all but their codec (random_codec.py).

How numbers come about: stand_ins/random_checkpoint.py; here is their scale, and what makes a speech end when it is told to (ending.py).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.engines.fish_speech.ending import end_after
from tests.engines.fish_speech.vocabulary import control_tokens, write_tokenizer
from tests.stand_ins.random_checkpoint import uniform, write_json, write_sharded

__all__ = ["RECIPE", "RandomCheckpoint", "main_tensors", "write_language_model"]

RECIPE = "fish-speech-random/1"  # changes when the same seed gives other bytes
N_SHARDS = 2
LOGIT_STD = 3.0  # as wide as a trained model's, so that sampling has something to choose


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write.

    config: the content of config.json. ends_after: frames that every speech has; None: none ever ends by itself.
    """

    config: Mapping
    seed: int = 0
    ends_after: int | None = None


def write_language_model(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files but codec.pth into `folder` (made if need be), weights in bfloat16, in two shards with an index, as released."""
    folder.mkdir(parents=True, exist_ok=True)
    config = checkpoint.config
    write_json(folder / "config.json", config)
    write_tokenizer(folder, config)
    (folder / "LICENSE.md").write_text("Numbers drawn by a formula: whoever wants them may have them.\n")
    table = {name: (shape, "BF16") for name, shape in main_tensors(config).items()}
    write_sharded(folder, table, N_SHARDS, partial(_values, checkpoint=checkpoint))
    return folder


def main_tensors(config: Mapping) -> dict[str, tuple[int, ...]]:
    """Name -> shape of everything in the two shards."""
    text, audio = config["text_config"], config["audio_decoder_config"]
    shapes = {"text_model.model.embeddings.weight": (text["vocab_size"], text["dim"])}
    shapes |= _layers("text_model.model", text)
    shapes["audio_decoder.codebook_embeddings.weight"] = (audio["vocab_size"] * audio["num_codebooks"], text["dim"])
    shapes["audio_decoder.embeddings.weight"] = shapes["audio_decoder.output.weight"] = (audio["vocab_size"], audio["dim"])
    return shapes | _layers("audio_decoder", audio)


def _layers(prefix: str, sizes: Mapping) -> dict[str, tuple[int, ...]]:
    width, head, inner = sizes["dim"], sizes["head_dim"], sizes["intermediate_size"]
    shapes: dict[str, tuple[int, ...]] = {f"{prefix}.norm.weight": (width,)}
    for index in range(sizes["n_layer"]):
        at = f"{prefix}.layers.{index}"
        shapes[f"{at}.attention.wqkv.weight"] = ((sizes["n_head"] + 2 * sizes["n_local_heads"]) * head, width)
        shapes[f"{at}.attention.wo.weight"] = (width, sizes["n_head"] * head)
        if sizes["attention_qk_norm"]:
            shapes |= {f"{at}.attention.{norm}.weight": (head,) for norm in ("q_norm", "k_norm")}
        shapes |= {f"{at}.feed_forward.{gate}.weight": (inner, width) for gate in ("w1", "w3")}
        shapes[f"{at}.feed_forward.w2.weight"] = (width, inner)
        shapes |= {f"{at}.{norm}.weight": (width,) for norm in ("attention_norm", "ffn_norm")}
    return shapes


def _values(name: str, shape: tuple[int, ...], checkpoint: RandomCheckpoint) -> np.ndarray:
    values = uniform(RECIPE, checkpoint.seed, name, shape, _scale_and_offset(name, shape))
    end_after(checkpoint.ends_after, name, values, checkpoint.config, control_tokens(checkpoint.config))
    return values


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """Matrices keep unit size from input to output; tables and heads give logits of LOGIT_STD; no norm is one."""
    if name.endswith("norm.weight"):
        return 0.2, 1.0
    gain = LOGIT_STD if name.endswith(("embeddings.weight", "output.weight")) else 1.0
    return gain * math.sqrt(3 / shape[1]), 0.0
