"""When a speech of random weights ends: never, or after as many frames as it is told.

A few channels of the backbone are reserved: no layer writes or reads them but the one that is meant to. To never end takes the first: every
position that speech goes on from has it, and the row of the head that says the end is far on its other side. To end takes a word of bits
behind it, another one for each position that speech goes on from: the first layer looks the next one's word up and writes it, louder than
its own, and the head knows that word. So semantic codes 0, 1, ... follow one another, and the end the last. The flow head reads none of
these channels.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from tests.engines.voxtral.tensors import FLOW, HEAD, TABLE

__all__ = ["end_after"]

N_SPECIAL, END = 2, 1
ON, FAR = 2.0, 40.0  # the first channel of what speech goes on from, and of the end: a logit of about -30 where others have -8 to 8
BIT = 2.4  # of a word in a row, whose other channels are about 1
SHARPNESS = 6.0  # of the lookup: a word that is met gives about 9 before silu, one that differs in a bit -9
LOUD = 8.0  # bits of the head


def end_after(frames: int | None, name: str, values: np.ndarray, config: Mapping) -> None:
    """Have a speech end after so many frames, at most one per semantic code, or never (None). Changes `values`, the tensor of that name.

    config: of params.json. Needs a hidden unit of the first layer per frame, and one more.
    """
    audio = config["multimodal"]["audio_model_args"]
    n_codes = audio["semantic_codebook_size"]
    if frames is not None and not 0 <= frames <= n_codes:
        raise ValueError(f"{frames} frames are asked for, and one code each for {n_codes}")
    n_bits = 0 if frames is None else (n_codes + 1).bit_length()
    reserved, bits = slice(0, 1 + n_bits), slice(1, 1 + n_bits)
    words = np.array([_word(i, n_bits) for i in range(n_codes + 2)])  # 0: the beginning's; i + 1: code i's; the last: the end's
    codes = slice(N_SPECIAL, N_SPECIAL + n_codes)
    if name == "mm_audio_embeddings.tok_embeddings.weight":
        values[:, reserved] = 0
        values[audio["begin_audio_token_id"], 0] = ON
        values[audio["begin_audio_token_id"], bits] = BIT * words[0]
    elif name == TABLE:
        values[:, reserved] = 0
        values[codes, 0] = ON
        values[codes, bits] = BIT * words[1:-1]
    elif name == HEAD:
        values[:, reserved] = 0
        values[END, 0] = -FAR if frames is None else 0
        values[codes, bits] = LOUD * words[1:-1]
        values[END, bits] = LOUD * words[-1]
    elif name == f"{FLOW}.llm_projection.weight":
        values[:, reserved] = 0
    elif name.startswith(("layers.", "norm.")):
        _leave_alone(name, values, reserved)
        if frames is not None and name.startswith("layers.0.feed_forward."):
            _look_up(name, values, words[: frames + 1], words[[*range(1, frames + 1), -1]])


def _word(number: int, n_bits: int) -> list[int]:
    return [1 if number >> bit & 1 else -1 for bit in range(n_bits)]


def _leave_alone(name: str, values: np.ndarray, reserved: slice) -> None:
    """Of the backbone's layers: what goes in does not read the channels, what comes out does not write them, norms keep them."""
    if name.endswith("norm.weight"):
        values[reserved] = 1
    elif name.endswith(("wo.weight", "w2.weight")):
        values[reserved] = 0
    else:
        values[:, reserved] = 0


def _look_up(name: str, values: np.ndarray, words: Sequence[Sequence[int]], followers: Sequence[Sequence[int]]) -> None:
    """A hidden unit per word: it is on where all of its bits are met, and writes the follower."""
    n_units, n_bits = len(words), len(words[0])
    if name.endswith("w2.weight"):
        values[:, :n_units] = 0
        values[1 : 1 + n_bits, :n_units] = np.array(followers).T
    elif name.endswith("w1.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = -(n_bits - 1) * SHARPNESS * BIT / ON
        values[:n_units, 1 : 1 + n_bits] = SHARPNESS * np.array(words)
    elif name.endswith("w3.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = 1
