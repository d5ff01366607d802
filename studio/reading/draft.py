"""Draft: a text while it is read. Each stage changes it, and what it takes out or changes is kept, with its place in what was written.

What is no word (a silence, a mark that an engine obeys) stands in the text as one character of a private plane, so that no stage takes it
for a letter; `reading` puts it back.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from studio.reading.parts import Changed, Direction, Kind, LeftOut, Part, Pause, Reading, Words
from studio.reading.traced_text import Replacement, TracedText

__all__ = ["HELD", "Draft", "Edit", "Kept", "Silence", "Spoken", "in_order", "joined_pauses"]

# Supplementary Private Use Area-A. What a text has of it says nothing, and is left out before anything is held there.
_FIRST, _LAST = 0xF0000, 0xFFFFD
HELD = f"[{chr(_FIRST)}-{chr(_LAST)}]"
_HELD = re.compile(HELD)


@dataclass(frozen=True)
class Silence:
    """Of so many seconds. Next to each other those that are asked for add up, and of those of the layout the longest counts."""

    seconds: float
    is_asked: bool = False


@dataclass(frozen=True)
class Kept:
    """A mark that the engine obeys, as it is given it. is_direction: it is told, since it looks like words."""

    text: str
    is_direction: bool = False


@dataclass(frozen=True)
class Spoken:
    """Words that stand for a mark; no later stage changes them."""

    text: str


class Edit(NamedTuple):
    """Of text[start:end]. said: what stands there instead. held: the same, of what is no word. kind: why the mark is left out; None where
    it is changed or held.
    """

    start: int
    end: int
    said: str = ""
    held: Silence | Kept | Spoken | None = None
    kind: Kind | None = None


def in_order(edits: Iterable[Edit]) -> list[Edit]:
    """As Draft.edit takes them: of those that overlap the first."""
    made: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if not made or edit.start >= made[-1].end:
            made.append(edit)
    return made


class Draft:
    """written: what is read. offset: of its first character, in a text that comes in pieces."""

    def __init__(self, written: str, offset: int = 0, *, is_start: bool = True):
        """is_start: nothing was said before."""
        self._written = written
        self._offset = offset
        self._is_start = is_start
        self._traced = TracedText(written, offset=offset)
        self._held: list[Silence | Kept | Spoken] = []
        self._left_out: list[LeftOut] = []
        self._changed: list[Changed] = []

    @property
    def text(self) -> str:
        """As it stands."""
        return self._traced.text

    @property
    def plain(self) -> str:
        """The same, of the same length, with a line end for each silence and a sign for all else that is held."""
        return _HELD.sub(lambda match: "\n" if isinstance(self.held(match.group()), Silence) else "\ufffc", self.text)

    def held(self, character: str) -> Silence | Kept | Spoken:
        """What stands there as one character of HELD."""
        return self._held[ord(character) - _FIRST]

    def edit(self, edits: Iterable[Edit]) -> None:
        """All at once; they are in order and do not overlap."""
        replacements = []
        for start, end, said, held, kind in edits:
            if kind is not None and start < end:
                self._leave_out(start, end, kind)
            elif held is None and said.strip():
                self._change(start, end, said)
            replacements.append(Replacement(start, end, said if held is None else self._hold(held)))
        self._traced = self._traced.replaced(replacements)

    def _hold(self, held: Silence | Kept | Spoken) -> str:
        self._held.append(held)
        return chr(_FIRST + len(self._held) - 1)

    def _leave_out(self, start: int, end: int, kind: Kind) -> None:
        """The mark is told without the blanks that go with it."""
        first, last = self._traced.written(start, end)
        whole = self._written_of((first, last))
        mark = whole.strip()
        if mark:
            at = first + whole.index(mark)
            self._left_out.append(LeftOut(mark, at, at + len(mark), kind))

    def _change(self, start: int, end: int, said: str) -> None:
        place = self._traced.written(start, end)
        if (written := self._written_of(place)) != said:
            self._changed.append(Changed(written, said, *place))

    def reading(self) -> Reading:
        """What came of it."""
        for match in _HELD.finditer(self.text):
            if isinstance(held := self.held(match.group()), Spoken):
                place = self._traced.written(*match.span())
                self._changed.append(Changed(self._written_of(place), held.text, *place))
        words = self._traced.replaced(self._in_words())
        parts = tuple(joined_pauses(self._parts(words), has_words=not self._is_start))
        wholes = sorted(self._left_out, key=lambda one: (one.start, -one.end))
        left_out, end = [], -1
        for one in wholes:  # of a mark within another the larger one is told
            if one.end > end:
                left_out.append(one)
                end = one.end
        return Reading(parts, tuple(left_out), tuple(sorted(self._changed, key=lambda one: one.start)))

    def _in_words(self) -> Iterator[Replacement]:
        for match in _HELD.finditer(self.text):
            held = self.held(match.group())
            if isinstance(held, Spoken) or (isinstance(held, Kept) and not held.is_direction):
                yield Replacement(match.start(), match.end(), held.text)

    def _parts(self, words: TracedText) -> Iterator[Part]:
        at = 0
        for match in _HELD.finditer(words.text):
            held = self.held(match.group())
            if isinstance(held, Spoken) or (isinstance(held, Kept) and not held.is_direction):
                continue  # of a mark that the text itself spells; it cannot be one of ours
            yield from _words(words, at, match.start())
            at = match.end()
            place = words.written(*match.span())
            yield Pause(held.seconds, *place, held.is_asked) if isinstance(held, Silence) else Direction(held.text, *place)
        yield from _words(words, at, len(words))

    def _written_of(self, place: tuple[int, int]) -> str:
        return self._written[place[0] - self._offset : place[1] - self._offset]


def _words(words: TracedText, start: int, end: int) -> Iterator[Words]:
    traced = words.part(start, end)
    if traced.text.strip():
        yield Words(traced.text, *words.written(start, end), traced)


def joined_pauses(parts: Iterable[Part], *, has_words: bool) -> Iterator[Part]:
    """Of neighboring silences one; those of the layout stand behind words only. has_words: before these parts."""
    waiting: Pause | None = None
    for part in parts:
        if isinstance(part, Pause):
            waiting = part if waiting is None else _both(waiting, part)
            continue
        if waiting is not None and (waiting.is_asked or has_words):
            yield waiting
        waiting, has_words = None, True
        yield part
    if waiting is not None and (waiting.is_asked or has_words):
        yield waiting


def _both(one: Pause, other: Pause) -> Pause:
    if one.is_asked != other.is_asked:
        asked = one if one.is_asked else other
        return Pause(asked.seconds, one.start, other.end, is_asked=True)
    seconds = one.seconds + other.seconds if one.is_asked else max(one.seconds, other.seconds)
    return Pause(seconds, one.start, other.end, one.is_asked)
