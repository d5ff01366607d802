"""An end head that counts: random weights, but for three channels of the language model that say how long ago the speech began.

One head of the first layer looks for the token that begins the audio. Its query and key turn against each other by one rotary frequency, a
quarter turn in the time that a speech may last: until then the head sees that token alone, then every other one, and the channel that it
writes changes its sign. The end head reads it.
"""

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

from tests.engines.dots.vocabulary import GEN_START

__all__ = ["count_patches"]

BEGIN, ALWAYS, GO_ON = 0, 1, 2  # reserved channels: 2 at the beginning of audio and 0 elsewhere; 1; above 0 until the speech shall end
RESERVED = slice(0, 3)
SHARPNESS = 40.0  # of query and key each: their product leaves no doubt half a patch from the quarter turn
LOUD = 6.0  # weight with which GO_ON is written and read
PAIR = 1  # the rotary pair that counts: its frequency is theta^(-2 / head_dim)


def count_patches(llm: Mapping, patches: float) -> tuple[dict, Callable[[str, np.ndarray], np.ndarray]]:
    """llm_config.json with a rotation for it, and what changes the tensors, by name, in place.

    patches: of a speech, at least 2, those of a recording that it goes on from among them. The last is number patches - 1. math.inf: it
    never ends, and turns as it is said to.
    """
    if patches == math.inf:
        return dict(llm), _never
    frequency = math.pi / 2 / (patches - 1.5)
    head = llm["hidden_size"] // llm["num_attention_heads"]
    changed = {**llm, "rope_parameters": {"rope_type": "default", "rope_theta": frequency ** (-head / 2 / PAIR)}}
    return changed, lambda name, values: _counting(name, values, head // 2)


def _never(name: str, values: np.ndarray) -> np.ndarray:
    if name == "eos_proj.2.weight":
        values *= 1e-3
    elif name == "eos_proj.2.bias":
        values[:] = (LOUD, -LOUD)
    return values


def _counting(name: str, values: np.ndarray, half: int) -> np.ndarray:
    layer = "llm.model.layers.0.self_attn."
    if name == "llm.model.embed_tokens.weight":
        values[:, RESERVED] = (0, 1, 0)
        values[GEN_START, BEGIN] = 2
    elif name.startswith("patch_encoder.out_proj."):
        values[RESERVED] = 0
        if name.endswith("bias"):
            values[ALWAYS] = 1
    elif re.fullmatch(r"llm\.model\.layers\.\d+\.(self_attn\.o_proj|mlp\.down_proj)\.weight", name):
        values[RESERVED] = 0
        if name.startswith(layer):
            values[GO_ON, 0] = LOUD
    elif name.startswith(layer):
        _look_for_the_beginning(name.removeprefix(layer), values, half)
    elif name.startswith("eos_proj."):
        _read_the_sign(name, values)
    return values


def _look_for_the_beginning(name: str, values: np.ndarray, half: int) -> None:
    """The first head: query and key lie in one rotary pair; channel 0 of the value is + there, - elsewhere."""
    kind, _, leaf = name.partition(".")
    if kind == "q_proj":
        values[: 2 * half] = 0
    elif kind == "k_proj":
        values[[PAIR, PAIR + half]] = 0
    else:
        values[0] = 0
    if leaf == "weight":
        row, channels, numbers = {
            "q_proj": (PAIR, ALWAYS, SHARPNESS), "k_proj": (PAIR, BEGIN, SHARPNESS), "v_proj": (0, [BEGIN, ALWAYS], (1, -1))
        }[kind]  # fmt: skip
        values[row, channels] = numbers


def _read_the_sign(name: str, values: np.ndarray) -> None:
    if name == "eos_proj.2.weight":
        values[:] = 0
        values[[0, 1], [0, 1]] = LOUD
        return
    values[:2] = 0
    if name == "eos_proj.0.weight":
        values[[0, 1], GO_ON] = (LOUD, -LOUD)
