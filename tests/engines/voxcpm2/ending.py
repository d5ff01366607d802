"""A stop head that counts: random weights, but for three channels of the base language model that say how long ago the speech began.

One head of the first layer looks for the token that begins the audio. Its query and key turn against each other by one rotary frequency, a
quarter turn in the time that a speech may last: until then the head sees that token alone, then every other one, and the channel that it
writes changes its sign. Quantization keeps the sign, and the stop head reads it.
"""

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

__all__ = ["count_patches"]

AUDIO_START = 101  # token of voxcpm 2.0.3, VoxCPM2Model.__init__
BEGIN, ALWAYS, GO_ON = 0, 1, 2  # reserved channels: 2 at AUDIO_START and 0 elsewhere; 1; above 0 until the speech shall end
RESERVED = slice(0, 3)
SHARPNESS = 40.0  # of query and key each: their product leaves no doubt half a patch from the quarter turn
LOUD = 4.0  # weight with which GO_ON is written and read: beyond the last level of tanh
MOST_PATCHES = 1e6  # stands for infinity: a quarter turn in two days of speech


def count_patches(config: Mapping, patches: float) -> tuple[dict, Callable[[str, np.ndarray], np.ndarray]]:
    """The configuration with a rope factor for it, and what changes the tensors, by name, in place.

    patches: of a speech that continues nothing, at least 4. It ends where patch `patches` - 1 is computed, counted from 0.
    """
    lm = config["lm_config"]
    factor = 2 / math.pi * (min(patches, MOST_PATCHES) - 1.5)  # the first frequency is one radian per position
    scaling = lm["rope_scaling"]
    factors = {name: [factor, *scaling[name][1:]] for name in ("short_factor", "long_factor")}
    changed = {**config, "lm_config": {**lm, "rope_scaling": {**scaling, **factors}}}
    half = (lm.get("kv_channels") or lm["hidden_size"] // lm["num_attention_heads"]) // 2
    return changed, lambda name, values: _counting(name, values, half)


def _counting(name: str, values: np.ndarray, half: int) -> np.ndarray:
    if name == "base_lm.embed_tokens.weight":
        values[:, RESERVED] = (0, 1, 0)
        values[AUDIO_START, BEGIN] = 2
    elif name == "enc_to_lm_proj.weight":
        values[RESERVED] = 0
    elif name == "enc_to_lm_proj.bias":
        values[RESERVED] = (0, 1, 0)
    elif re.fullmatch(r"base_lm\.layers\.\d+\.(self_attn\.o_proj|mlp\.down_proj)\.weight", name):
        values[RESERVED] = 0
        if name.startswith("base_lm.layers.0.self_attn"):
            values[GO_ON, 0] = LOUD
    elif name.startswith("base_lm.layers.0.self_attn."):
        _look_for_the_beginning(name, values, half)
    elif name.startswith(("fsq_layer.", "stop_")):
        _read_the_sign(name, values)
    return values


def _look_for_the_beginning(name: str, values: np.ndarray, half: int) -> None:
    """The first head: query and key lie in the first rotary pair, channels 0 and `half`; channel 0 of the value is + there, - elsewhere."""
    if name.endswith("q_proj.weight"):
        values[: 2 * half] = 0
        values[0, ALWAYS] = SHARPNESS
    elif name.endswith("k_proj.weight"):
        values[[0, half]] = 0
        values[0, BEGIN] = SHARPNESS
    elif name.endswith("v_proj.weight"):
        values[0] = 0
        values[0, [BEGIN, ALWAYS]] = (1, -1)


def _read_the_sign(name: str, values: np.ndarray) -> None:
    if name == "fsq_layer.in_proj.weight":
        values[0] = 0
        values[0, GO_ON] = LOUD
    elif name == "fsq_layer.out_proj.weight":
        values[GO_ON] = 0
        values[GO_ON, 0] = LOUD
    elif name == "fsq_layer.in_proj.bias":
        values[0] = 0
    elif name == "fsq_layer.out_proj.bias":
        values[GO_ON] = 0
    elif name == "stop_proj.weight":
        values[:2] = 0
        values[[0, 1], GO_ON] = (1, -1)
    elif name == "stop_proj.bias":
        values[:2] = 0
    elif name == "stop_head.weight":
        values[:] = 0
        values[[0, 1], [0, 1]] = LOUD
