"""When a speech of random weights ends: never, or after as many codes as it is told.

A few channels of the language model are reserved: no layer writes or reads them but the one that is meant to. To never end takes the first:
every row of speech has it, and in the head the rows that end speech are far on its other side. To end takes a word of bits behind it, one
for each code of a chain, one for every other row of speech: the first layer looks up the word that follows and writes it, louder than the
row's own, and the head knows that word. So the codes of the chain follow one another, whatever stood before, and the end the last.
"""

from collections.abc import Sequence

import numpy as np

from engines.cosyvoice3.config import LanguageConfig

__all__ = ["CHAIN", "end_after"]

CHAIN = 4000  # its first code: no silence, and one that no toy recording has last
END = 1  # row beyond the codes (CosyVoice3LM @ ace7c47, eos_token)
ON, FAR = 2.0, 40.0  # the first channel of a row, and of the end in the head: a logit of about -50 where others have -8 to 8
LOUD = 8.0  # bits of a row's word, where its other channels are of unit size
SHARPNESS = 6.0  # of the lookup: a word that is met gives about 14 before silu, one that differs in a bit -14


def end_after(codes: int | None, name: str, values: np.ndarray, sizes: LanguageConfig) -> None:
    """Have a speech end after so many codes, or never (None). Changes `values`, the tensor of that name in llm.pt.

    Needs a hidden unit of the first layer per code. Words: 0 is that of whatever is not in the chain, i + 1 code i's, the last the end's.
    """
    if codes is not None and not 0 < codes < sizes.intermediate_size:
        raise ValueError(f"{codes} codes are asked for, and there are {sizes.intermediate_size} hidden units")
    n_words = 0 if codes is None else codes + 2
    n_bits = (n_words - 1).bit_length() if n_words else 0
    reserved, bits = slice(0, 1 + n_bits), slice(1, 1 + n_bits)
    words = np.array([_word(i, n_bits) for i in range(n_words)]).reshape(n_words, n_bits)
    if name == "llm.model.model.embed_tokens.weight":
        values[:, reserved] = 0
    elif name == "speech_embedding.weight":
        values[:, 0] = ON if codes is None else LOUD
        if codes is not None:
            values[:, bits] = LOUD * words[0]
            values[CHAIN : CHAIN + codes, bits] = LOUD * words[1:-1]
    elif name == "llm_decoder.weight":
        values[:, reserved] = 0
        values[sizes.speech_token_size :] = 0
        if codes is None:
            values[sizes.speech_token_size :, 0] = -FAR
        else:
            values[CHAIN : CHAIN + codes, bits] = LOUD * words[1:-1]
            values[sizes.speech_token_size + END, bits] = LOUD * words[-1]
    elif name.startswith("llm.model.model."):
        _leave_alone(name, values, reserved)
        if codes is not None and name.startswith("llm.model.model.layers.0.mlp."):
            _look_up(name, values, words[:-1], words[1:])


def _word(number: int, n_bits: int) -> list[int]:
    return [1 if number >> bit & 1 else -1 for bit in range(n_bits)]


def _leave_alone(name: str, values: np.ndarray, reserved: slice) -> None:
    """What goes into a layer does not read the channels, what comes out does not write them, norms keep them."""
    if name.endswith(("layernorm.weight", "norm.weight")):
        values[reserved] = 1
    elif name.endswith(("o_proj.weight", "down_proj.weight")):
        values[reserved] = 0
    elif name.endswith("proj.weight"):
        values[:, reserved] = 0


def _look_up(name: str, values: np.ndarray, words: Sequence[Sequence[int]], followers: Sequence[Sequence[int]]) -> None:
    """A hidden unit per word: it is on where all of its bits are met, and writes the follower."""
    n_units, n_bits = len(words), len(words[0])
    if name.endswith("down_proj.weight"):
        values[:, :n_units] = 0
        values[1 : 1 + n_bits, :n_units] = np.array(followers).T
    elif name.endswith("gate_proj.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = -(n_bits - 1) * SHARPNESS
        values[:n_units, 1 : 1 + n_bits] = SHARPNESS * np.array(words)
    elif name.endswith("up_proj.weight"):
        values[:n_units] = 0
        values[:n_units, 0] = 1
