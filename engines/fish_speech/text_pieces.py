"""text_pieces: cuts a text into the pieces that are spoken in turn. The model's makers never cut a text, and its speech decays in long
ones.
"""

import re
from bisect import bisect_right
from itertools import pairwise

from engines.text.text_splitter import split_text

__all__ = ["SPEAKER_TAG", "text_pieces"]

MOST_BYTES = 300  # of a piece, in UTF-8; the official client's chunk_length is 200 to 300 of them
MOST_MARK_CHARACTERS = 600  # between a mark's opening and its closing; what is open for longer was never meant as one
SPEAKER_TAG = re.compile(r"<\|speaker:\d+\|>|<speaker:\d+>")  # the second is an older spelling, which the tokenizer reads as the first
_PHONEMES = rf"<\|phoneme_start\|>(?:(?!<\|phoneme_start\|>).){{0,{MOST_MARK_CHARACTERS}}}?<\|phoneme_end\|>"
_UNCUT = re.compile(rf"\[[^\[\]]{{1,{MOST_MARK_CHARACTERS}}}\]|{_PHONEMES}|<\|phoneme_(?:start|end)\|>|{SPEAKER_TAG.pattern}", re.DOTALL)


def text_pieces(text: str) -> tuple[str, ...]:
    """Whole sentences, as many as fit; of longer ones clauses or words. No mark in brackets, no phonemes and no tag of a speaker are cut,
    even where a piece grows longer by that. A piece without a tag begins with the one that was in force, or another speaker would say it.
    () for a blank text.
    """
    edges, spans = _edges(text), []
    for first, last in pairwise(edges):
        if spans and len(text[spans[-1][0] : last].encode()) <= MOST_BYTES:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    pieces, tag = [], ""
    for piece in (text[first:last].strip() for first, last in spans):
        pieces.append(piece if SPEAKER_TAG.match(piece) else tag + piece)
        tag = [tag, *SPEAKER_TAG.findall(piece)][-1]
    return tuple(pieces)


def _edges(text: str) -> list[int]:
    """Where it may be cut, its start and its end among them, rising; one in the middle of a mark lies where the mark begins."""
    n_bytes, at, edges = len(text.encode()), 0, [0]
    marks = [mark.span() for mark in _UNCUT.finditer(text)]
    starts = [first for first, _ in marks]
    units = split_text(text, "sentence", most_characters=max(1, MOST_BYTES * len(text) // max(1, n_bytes)))
    for unit in units:
        at = text.index(unit, at) + len(unit)
        index = bisect_right(starts, at) - 1
        is_inside = index >= 0 and at < marks[index][1]
        edge = starts[index] if is_inside else at
        if text[edges[-1] : edge].strip():
            edges.append(edge)
    return edges if units else []
