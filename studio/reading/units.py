"""units_of: what was read in units that are spoken one at a time, for a door that answers each by itself."""

import re
from collections.abc import Iterator

from engines.text.text_splitter import Granularity, split_text
from studio.reading.parts import Part, Pause, Reading, Stretch, Words

__all__ = ["sentences_of", "units_of"]

_ENDS = re.compile(r"[^\w\s,;:，、；：-][^\w]*\Z")  # a mark that ends a sentence, and what closes behind it


def units_of(reading: Reading, granularity: Granularity) -> tuple[Reading, ...]:
    """The sentences or clauses, each with the silence behind it; the first has the silence before it and all that is told of the text.

    A silence within a sentence is part of its unit.
    """
    units: list[Reading] = []
    parts: list[Part] = [Pause(reading.lead, 0, 0, is_asked=True)] if reading.lead else []
    for piece in reading.pieces:
        sentences = list(sentences_of(piece, granularity))
        for words in sentences:
            parts.append(words)
            if words is not sentences[-1]:
                units.append(Reading(tuple(parts)))
                parts = []
        parts += [Pause(piece.pause, 0, 0, is_asked=True)] if piece.pause else []
        if not piece.is_asked or _ENDS.search(piece.text):
            units.append(Reading(tuple(parts)))
            parts = []
    if parts and any(isinstance(part, Words) for part in parts):
        units.append(Reading(tuple(parts)))
    if not units:
        return ()
    return (Reading(units[0].parts, reading.left_out, reading.changed, reading.untaken), *units[1:])


def sentences_of(piece: Stretch, granularity: Granularity) -> Iterator[Words]:
    """Those of a piece, with where they were written. Directions are among their words."""
    at, text = 0, piece.text
    for sentence in split_text(text, granularity):
        start = text.index(sentence, at)
        at = start + len(sentence)
        yield Words(sentence, *piece.written(start, at))
