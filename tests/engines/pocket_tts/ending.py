"""An end head that counts: random weights, but for four channels of the backbone that say how long ago the speech began.

One head of the first layer looks for the row that begins the speech. Its query and key turn against each other by one rotary frequency, so
that they are a quarter turn apart half a frame before the speech shall end: until then the head sees that row alone, then every other one,
and the channel that it writes changes its sign, which the end head reads. Norms take means away, so that channels are read as differences
from one that is always zero; the one that is always the same comes out of a norm's bias.
"""

import math
import re
from collections.abc import Callable, Mapping

import numpy as np

__all__ = ["SLOWEST", "count_frames"]

BEGIN, ALWAYS, GO_ON, ZERO = 0, 1, 2, 3  # reserved channels of the backbone: loud at the first row; 1; above zero until the end; 0
RESERVED = slice(0, 4)
LATENT = 0  # the channel of latents by which bos_emb is told from any latent
BOS = 2.0**16  # what bos_emb has there: no latent comes near it
HEARD = 2.0**-12  # of that in BEGIN: 16, where other rows have less than 0.001
SHARPNESS = 128.0  # of query and key each: no doubt is left half a frame from the quarter turn
SAID, READ = 2.0, 16.0  # weights with which GO_ON is written, as loud as other channels, and read
SLOWEST = 0.1  # radians a row at most: after the quarter turn, half a turn of silence (31 frames) follows
NEVER = -1000.0


def count_frames(config: Mapping, frames: float) -> Callable[[str, np.ndarray], np.ndarray]:
    """What changes the tensors, by name, in place. frames: the logit of the end is far below zero in so many, far above it from then on."""
    lm = config["flow_lm"]
    if math.isinf(frames):
        return _never
    return _Counting(lm, frames)


def _never(name: str, values: np.ndarray) -> np.ndarray:
    if name.startswith("flow_lm.out_eos."):
        values[:] = NEVER if name.endswith("bias") else 0
    return values


class _Counting:
    def __init__(self, lm: Mapping, frames: float):
        backbone = lm["transformer"]
        self._attn_dim = backbone.get("attn_dim") or backbone["d_model"]
        self._head = self._attn_dim // backbone["num_heads"]
        self._has_z, self._has_factors = bool(lm.get("z_dim")), bool(lm["lookup_table"].get("rank"))
        wanted = min(SLOWEST, math.pi / max(2 * frames - 1, 1))
        speeds = [backbone["max_period"] ** (-2 * i / self._head) for i in range(self._head // 2)]
        pair = next(i for i, speed in enumerate(speeds) if speed <= wanted * 1.001)
        self._pair = 2 * pair, 2 * pair + 1
        self._phase = math.pi / 2 - speeds[pair] * (frames - 0.5)

    def __call__(self, name: str, values: np.ndarray) -> np.ndarray:
        name = name.removeprefix("flow_lm.")
        if re.fullmatch(r"transformer\.layers\.\d+\.(self_attn\.out_proj|linear2)\.weight", name):
            values[RESERVED] = 0
        if name == "transformer.layers.0.self_attn.out_proj.weight":
            values[GO_ON, 0] = SAID
        elif name == "transformer.layers.0.self_attn.in_proj.weight":
            self._look_for_the_beginning(values)
        elif name == "transformer.layers.0.norm1.weight":
            values[RESERVED] = (1, 0, 1, 1)
        elif name == "transformer.layers.0.norm1.bias":
            values[RESERVED] = (0, 1, 0, 0)
        elif name.startswith(("conditioner.", "speaker_proj", "bos_", "input_linear.")):
            self._silence(name, values)
        elif name.startswith(("out_", "z_proj.")):
            self._read_the_sign(name, values)
        return values

    def _silence(self, name: str, values: np.ndarray) -> None:
        """No row has anything in the reserved channels, but the first."""
        if name == "bos_emb":
            values[LATENT] = BOS
        elif name == "bos_before_voice":
            values[..., RESERVED] = 0
        elif name == "conditioner.embed.weight":
            values[:, RESERVED] = values[:, RESERVED] if self._has_factors else 0
        else:
            values[RESERVED] = 0
            if name == "input_linear.weight":
                values[:, LATENT] = 0
                values[BEGIN, LATENT] = HEARD

    def _look_for_the_beginning(self, values: np.ndarray) -> None:
        """Rows: queries of all heads, keys, values. Channel 0 of the first value is + at the beginning, - elsewhere."""
        head, (even, odd), first_key = self._head, self._pair, self._attn_dim
        queries = values[: self._attn_dim].reshape(-1, head, values.shape[1])
        queries[:, (even, odd)] = 0  # the other heads do not see what this one looks for
        values[:head] = 0
        values[even, ALWAYS] = SHARPNESS
        for channel, turned in ((even, math.cos(self._phase)), (odd, -math.sin(self._phase))):
            values[first_key + channel] = 0
            values[first_key + channel, [BEGIN, ZERO]] = (SHARPNESS * turned, -SHARPNESS * turned)
        first_value = first_key + (values.shape[0] - first_key) // 2
        values[first_value] = 0
        values[first_value, [BEGIN, ZERO, ALWAYS]] = (1, -1, -1)

    def _read_the_sign(self, name: str, values: np.ndarray) -> None:
        if name == "out_norm.weight":
            values[[GO_ON, ZERO]] = 1
        elif name == "out_norm.bias":
            values[[GO_ON, ZERO]] = 0
        elif name == "z_proj.weight":
            values[0] = 0
            values[0, [GO_ON, ZERO]] = (1, -1)
        elif name == "out_eos.bias":
            values[:] = 0
        elif name == "out_eos.weight":
            values[:] = 0
            values[0, [0] if self._has_z else [GO_ON, ZERO]] = -READ if self._has_z else (-READ, READ)
