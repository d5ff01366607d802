"""OmniVoice checkpoints of random numbers in the official layout, all but their codec (random_codec.py).

How numbers come about: stand_ins/random_checkpoint.py; here is their scale.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from tests.engines.omnivoice.text.vocabulary import write_tokenizer
from tests.stand_ins.random_checkpoint import Table, uniform, write_json, write_tensors

__all__ = ["RECIPE", "RandomCheckpoint", "main_tensors", "write_backbone"]

RECIPE = "omnivoice-random/1"  # changes when the same seed gives other bytes
LOGIT_STD = 3.0  # as wide as a trained model's, so that some positions are surer than others
OFFSETS = "codebook_layer_offsets"


@dataclass(frozen=True)
class RandomCheckpoint:
    """What to write. config: the content of config.json."""

    config: Mapping
    seed: int = 0


def write_backbone(folder: Path, checkpoint: RandomCheckpoint) -> Path:
    """All files but those of the codec into `folder` (made if need be), weights in float32, as released."""
    folder.mkdir(parents=True, exist_ok=True)
    config = checkpoint.config
    write_json(folder / "config.json", config)
    write_tokenizer(folder, config)
    write_tensors(folder / "model.safetensors", main_tensors(config), partial(_values, checkpoint=checkpoint))
    return folder


def main_tensors(config: Mapping) -> Table:
    """Name -> shape and type of everything in model.safetensors, in the order in which safetensors lays it out: wider types first."""
    llm, n_rows = config["llm_config"], config["num_audio_codebook"] * config["audio_vocab_size"]
    shapes = {"audio_embeddings.weight": (n_rows, llm["hidden_size"]), "audio_heads.weight": (n_rows, llm["hidden_size"])}
    shapes |= {"llm.embed_tokens.weight": (llm["vocab_size"], llm["hidden_size"])} | _layers(llm)
    offsets = {OFFSETS: ((config["num_audio_codebook"],), "I64")}
    return offsets | {name: (shapes[name], "F32") for name in sorted(shapes)}


def _layers(llm: Mapping) -> dict[str, tuple[int, ...]]:
    width, head, inner = llm["hidden_size"], llm["head_dim"], llm["intermediate_size"]
    queries, keys = llm["num_attention_heads"] * head, llm["num_key_value_heads"] * head
    shapes: dict[str, tuple[int, ...]] = {"llm.norm.weight": (width,)}
    for index in range(llm["num_hidden_layers"]):
        at = f"llm.layers.{index}"
        shapes |= {f"{at}.self_attn.{part}_proj.weight": (rows, width) for part, rows in (("q", queries), ("k", keys), ("v", keys))}
        shapes[f"{at}.self_attn.o_proj.weight"] = (width, queries)
        shapes |= {f"{at}.self_attn.{norm}_norm.weight": (head,) for norm in ("q", "k")}
        shapes |= {f"{at}.mlp.{gate}_proj.weight": (inner, width) for gate in ("gate", "up")}
        shapes[f"{at}.mlp.down_proj.weight"] = (width, inner)
        shapes |= {f"{at}.{norm}_layernorm.weight": (width,) for norm in ("input", "post_attention")}
    return shapes


def _values(name: str, shape: tuple[int, ...], checkpoint: RandomCheckpoint) -> np.ndarray:
    if name == OFFSETS:
        return np.arange(*shape, dtype=np.int64) * checkpoint.config["audio_vocab_size"]
    return uniform(RECIPE, checkpoint.seed, name, shape, _scale_and_offset(name, shape, checkpoint.config["num_audio_codebook"]))


def _scale_and_offset(name: str, shape: tuple[int, ...], n_codebooks: int) -> tuple[float, float]:
    """Matrices keep unit size from input to output, heads give logits of LOGIT_STD, no norm is one.

    Rows of text are of unit size, and those of a frame's codes, one per codebook, together.
    """
    if name.endswith("norm.weight"):
        return 0.2, 1.0
    if name == "audio_embeddings.weight":
        return math.sqrt(3 / n_codebooks), 0.0
    if name == "llm.embed_tokens.weight":
        return math.sqrt(3), 0.0
    return (LOGIT_STD if name == "audio_heads.weight" else 1.0) * math.sqrt(3 / shape[1]), 0.0
