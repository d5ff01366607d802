"""text_pieces: a text in the pieces that it is spoken in. The model's makers never cut a text, and its speech decays in long ones."""

import re

from engines.text_splitter import split_text

__all__ = ["text_pieces"]

MOST_BYTES = 300  # of a piece, in UTF-8; the official client's chunk_length is 200 to 300 of them
_MARKS = re.compile(r"[\[\]]|<\|phoneme_(?:start|end)\|>")
_OPEN = {"[": 1, "]": -1, "<|phoneme_start|>": 1, "<|phoneme_end|>": -1}


def text_pieces(text: str) -> tuple[str, ...]:
    """Whole sentences, as many as fit; of longer ones clauses or words. No mark in brackets and no phonemes are cut, even where a piece
    grows longer by that. () for a blank text.
    """
    n_bytes = len(text.encode())
    most_characters = max(1, MOST_BYTES * len(text) // n_bytes) if n_bytes else 1
    spans, at = [], 0
    for unit in split_text(text, "sentence", most_characters=most_characters):
        first = text.index(unit, at)
        at = first + len(unit)
        if spans and _belong_together(text, *spans[-1], at):
            spans[-1] = (spans[-1][0], at)
        else:
            spans.append((first, at))
    return tuple(text[first:last] for first, last in spans)


def _belong_together(text: str, first: int, last: int, end: int) -> bool:
    is_cut = sum(_OPEN[mark] for mark in _MARKS.findall(text[first:last])) > 0
    return is_cut or len(text[first:end].encode()) <= MOST_BYTES
