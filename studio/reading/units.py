"""Units: sentences or clauses that are spoken one at a time. UnitReader has them of a text that comes in pieces, as they settle."""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator

from engines.text.text_splitter import Granularity, split_text
from studio.reading.parts import NOTHING, Part, Pause, Reading, Stretch, Words
from studio.reading.reader import Reader

__all__ = ["BETWEEN_SECONDS", "SETTLE_SECONDS", "PieceReader", "UnitReader", "sentences_of", "units_of"]

# Before a sentence that is spoken by itself, behind another one. Kokoro and the embedded engine are silent for 0.23 to 0.37 s between
# sentences that they are given together, and for less than 0.1 s behind one that they are given alone.
BETWEEN_SECONDS = 0.25
SETTLE_SECONDS = 0.3  # without more text, after which a sentence is spoken that is over as far as can be told

_ENDS = re.compile(r"[^\w\s,;:，、；：-][^\w]*\Z")  # a mark that ends a sentence, and what closes behind it


class PieceReader(ABC):
    """Takes a text that comes in pieces, and gives of it what can be spoken."""

    def __init__(self, reader: Reader):
        self._reader = reader

    @property
    def waiting_characters(self) -> int:
        """Of the text that is held back."""
        return self._reader.waiting_characters

    @property
    def ends_with_blank(self) -> bool:
        """Whether white space stands behind the text so far."""
        return self._reader.ends_with_blank

    @abstractmethod
    def feed(self, written: str, *, is_over: bool = False) -> tuple[Reading, ...]:
        """What can be spoken now of this piece and of what was held. is_over: nothing more seems to come."""

    @abstractmethod
    def rest(self, written: str = "") -> tuple[Reading, ...]:
        """The rest, at the end of the text."""


class UnitReader(PieceReader):
    """The units of a text. untold: what was read and is in no unit yet.

    as_one: they become one sound, in which sentences stand apart by a silence.
    """

    def __init__(self, reader: Reader, granularity: Granularity, *, as_one: bool = False):
        super().__init__(reader)
        self._granularity: Granularity = granularity
        self._as_one = as_one and not reader.is_literal
        self._last: Reading | None = None  # unit that was given
        self.untold = NOTHING

    def feed(self, written: str, *, is_over: bool = False) -> tuple[Reading, ...]:
        return self._told(self._reader.feed(written, is_over=is_over))

    def rest(self, written: str = "") -> tuple[Reading, ...]:
        """The rest, at the end of the text. Of a text of nothing but marks it is these, which are refused as everywhere."""
        units = self._told(self._reader.rest(written))
        if self._last is not None or not self.untold.left_out:
            return units
        marks, self.untold = self.untold, NOTHING
        return (marks,)

    def _told(self, reading: Reading) -> tuple[Reading, ...]:
        self.untold = self.untold.then(reading)
        units = tuple(map(self._set_apart, units_of(self.untold, self._granularity)))
        if units:
            self.untold = NOTHING
        return units

    def _set_apart(self, unit: Reading) -> Reading:
        """With the silence that stands between two sentences, where nothing was written about it."""
        before, self._last = self._last, unit
        if before is None or unit.lead or not self._as_one or not _ends_sentence(before):
            return unit
        return Reading((Pause(BETWEEN_SECONDS, 0, 0),)).then(unit)


def _ends_sentence(unit: Reading) -> bool:
    last = unit.parts[-1]
    return isinstance(last, Words) and _ENDS.search(last.text) is not None


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
