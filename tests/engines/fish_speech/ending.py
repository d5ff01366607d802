"""When a speech of random weights ends: never, or after as many frames as it is told.

A few channels of the slow transformer are reserved: no layer writes or reads them but the one that is meant to. To never end takes the
first: every token that speech goes on from has it, and the row of the table that says the end is far on its other side. To end takes a word
of bits behind it, another one for each token that speech goes on from: the first layer looks the next token's word up and writes it, louder
than the token's own, and the table, which is the head too, knows that word. So codes 0, 1, ... follow one another, and the end the last.
"""

from collections.abc import Mapping, Sequence

import numpy as np

__all__ = ["end_after"]

ON, FAR = 2.0, 40.0  # the first channel of a token that speech goes on from, and of the end: a logit of about -20 where others have -8 to 8
LOUD = 8.0  # bits of a token's word: 2.4 in the row of a frame, which is divided by the root of its 11 parts
SHARPNESS = 6.0  # of the lookup: a word that is met gives about 14 before silu, one that differs in a bit -14


def end_after(frames: int | None, name: str, values: np.ndarray, config: Mapping, control: Mapping[str, int]) -> None:
    """Have a speech end after so many frames, at most one per semantic code, or never (None). Changes `values`, the tensor of that name.

    control: ids of control tokens by name. Needs a hidden unit of the first layer per frame.
    """
    start, end = config["semantic_start_token_id"], config["semantic_end_token_id"]
    codes = list(range(start, end + 1))
    going_on, last = [control["<|voice|>"], *codes], control["<|im_end|>"]
    if frames is not None and not 0 < frames <= len(codes):
        raise ValueError(f"{frames} frames are asked for, and one code each for {len(codes)}")
    n_bits = 0 if frames is None else (len(codes) + 1).bit_length()
    reserved = slice(0, 1 + n_bits)
    if name == "text_model.model.embeddings.weight":
        values[:, reserved] = 0
        values[going_on, 0] = ON if frames is None else LOUD
        values[last] = 0
        values[last, 0] = -FAR if frames is None else LOUD
        if frames is not None:
            values[[*going_on, last], 1 : 1 + n_bits] = LOUD * np.array([_word(i, n_bits) for i in range(len(going_on) + 1)])
    elif name == "audio_decoder.codebook_embeddings.weight":
        values[:, reserved] = 0
    elif name.startswith("text_model."):
        _leave_alone(name, values, reserved)
        if frames is not None and name.startswith("text_model.model.layers.0.feed_forward."):
            # words: 0 is <|voice|>'s, i + 1 code i's, the one behind them the end's
            followers = [*range(1, frames + 1), len(going_on)]
            _look_up(name, values, [_word(i, n_bits) for i in range(frames + 1)], [_word(i, n_bits) for i in followers])


def _word(number: int, n_bits: int) -> list[int]:
    return [1 if number >> bit & 1 else -1 for bit in range(n_bits)]


def _leave_alone(name: str, values: np.ndarray, reserved: slice) -> None:
    """Of the slow transformer's layers: what goes in does not read the channels, what comes out does not write them, norms keep them."""
    if name.endswith(("attention_norm.weight", "ffn_norm.weight", "model.norm.weight")):
        values[reserved] = 1
    elif name.endswith(("wo.weight", "w2.weight")):
        values[reserved] = 0
    elif name.endswith(("wqkv.weight", "w1.weight", "w3.weight")):
        values[:, reserved] = 0


def _look_up(name: str, values: np.ndarray, words: Sequence[Sequence[int]], followers: Sequence[Sequence[int]]) -> None:
    """A hidden unit per word: it is on where all of its bits are met, and writes the follower."""
    n_units, n_bits = len(words), len(words[0])
    if name.endswith("w2.weight"):
        values[:, :n_units] = 0
        values[1 : 1 + n_bits, :n_units] = np.array(followers).T
    elif name.endswith("w1.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = -(n_bits - 1) * SHARPNESS
        values[:n_units, 1 : 1 + n_bits] = SHARPNESS * np.array(words)
    elif name.endswith("w3.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = 1
