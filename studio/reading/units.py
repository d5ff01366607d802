"""units_of: what was read in units that are spoken one at a time, for a door that answers each by itself."""

from collections.abc import Iterator

from engines.text.text_splitter import Granularity, split_text
from studio.reading.parts import Pause, Piece, Reading, Words
from studio.reading.traced_text import TracedText

__all__ = ["units_of"]


def units_of(reading: Reading, granularity: Granularity) -> tuple[Reading, ...]:
    """The sentences or clauses, each with the silence behind it; the first has the silence before it and all that is told of the text."""
    units = [unit for piece in reading.pieces for unit in _of_piece(piece, granularity)]
    if not units:
        return ()
    lead = (Pause(reading.lead, 0, 0, is_asked=True),) if reading.lead else ()
    first = Reading((*lead, *units[0].parts), reading.left_out, reading.changed, reading.untaken)
    return (first, *units[1:])


def _of_piece(piece: Piece, granularity: Granularity) -> Iterator[Reading]:
    texts = split_text(piece.text, granularity)
    for number, text in enumerate(texts, start=1):
        words = Words(text, 0, len(text), TracedText(text))
        is_last = number == len(texts) and piece.pause > 0
        yield Reading((words, Pause(piece.pause, 0, 0, is_asked=True)) if is_last else (words,))
