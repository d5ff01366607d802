"""Reading: what is said of a text, in parts, with places in what was written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from engines.contract.contract import EngineInfo
from engines.text.text_splitter import split_text
from studio.reading.traced_text import TracedText

__all__ = [
    "NOTHING",
    "NOT_TOLD",
    "Changed",
    "Direction",
    "Kind",
    "LeftOut",
    "Part",
    "Pause",
    "Reading",
    "Stretch",
    "Words",
    "told",
    "turns_of",
]

# Of what is left out. layout: signs without a word of their own (**, #, -). invisible: characters that nobody sees.
Kind = Literal["markup", "picture", "code", "reasoning", "address", "layout", "invisible"]
NOT_TOLD = ("layout", "invisible")


@dataclass(frozen=True)
class Words:
    """text: as the engine is given it, marks that it obeys within words included. start, end: where that was written.

    traced: of the text; None for one that stands as it was written.
    """

    text: str
    start: int
    end: int
    traced: TracedText | None = field(default=None, repr=False, compare=False)

    def written(self, index: int) -> tuple[int, int]:
        """Where one character of the text was written."""
        return self.traced.written(index, index + 1) if self.traced else (self.start + index, self.start + index + 1)


@dataclass(frozen=True)
class Pause:
    """Silence of so many seconds. is_asked: somebody wrote a mark for it; else the layout of the text asks for it."""

    seconds: float
    start: int
    end: int
    is_asked: bool = False


@dataclass(frozen=True)
class Direction:
    """text: what the engine does not say but follows, as it is given it."""

    text: str
    start: int
    end: int


Part = Words | Pause | Direction


@dataclass(frozen=True)
class LeftOut:
    """mark: as written."""

    mark: str
    start: int
    end: int
    kind: Kind


@dataclass(frozen=True)
class Changed:
    """What is said otherwise than it is written."""

    written: str
    said: str
    start: int
    end: int


@dataclass(frozen=True)
class Stretch:
    """What an engine is given at a time, between silences: `text`, of these parts. pause: seconds of silence behind it, which somebody
    asked for where is_asked.
    """

    parts: tuple[Words | Direction, ...]
    pause: float = 0.0
    is_asked: bool = False

    @property
    def text(self) -> str:
        return self._whole.strip()

    @cached_property
    def _whole(self) -> str:
        return "".join(part.text for part in self.parts)

    @property
    def n_ahead(self) -> int:
        """Blanks before `text` in its parts."""
        return len(self._whole) - len(self._whole.lstrip())

    def written(self, start: int, end: int) -> tuple[int, int]:
        """Where text[start:end] was written."""
        return self._place(start + self.n_ahead)[0], self._place(max(start, end - 1) + self.n_ahead)[1]

    def _place(self, index: int) -> tuple[int, int]:
        """Of one character."""
        at, part = 0, self.parts[0]
        for part in self.parts:
            if index < at + len(part.text):
                break
            at += len(part.text)
        return (part.start, part.end) if isinstance(part, Direction) else part.written(index - at)


@dataclass(frozen=True)
class Reading:
    """parts: in order. lead: seconds of silence before the first word. pieces: what is said, each with the silence behind it.
    untaken: words whose sounds a dictionary knows, and the engine takes no sounds: they are said as they are written.

    Every character of what was written is in a part, in `left_out`, or is white space.
    """

    parts: tuple[Part, ...]
    left_out: tuple[LeftOut, ...] = ()
    changed: tuple[Changed, ...] = ()
    untaken: tuple[str, ...] = ()

    def then(self, other: "Reading") -> "Reading":
        """This, and what was read behind it."""
        parts, left_out = (*self.parts, *other.parts), (*self.left_out, *other.left_out)
        return Reading(parts, left_out, (*self.changed, *other.changed), (*self.untaken, *other.untaken))

    @cached_property
    def text(self) -> str:
        """All that the engine is given, a line for each piece."""
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def told_marks(self) -> tuple[str, ...]:
        """Of what is left out, all that could be taken for words, as written."""
        return told(self.left_out)

    @property
    def directions(self) -> tuple[str, ...]:
        return tuple(part.text for part in self.parts if isinstance(part, Direction))

    @property
    def lead(self) -> float:
        found = 0.0
        for part in self.parts:
            if not isinstance(part, Pause):
                return found
            found += part.seconds
        return found

    @cached_property
    def pieces(self) -> tuple[Stretch, ...]:
        return tuple(_pieces(self.parts))

    @property
    def n_characters(self) -> int:
        """Of its parts, as written."""
        return sum(part.end - part.start for part in self.parts)

    @property
    def silence_seconds(self) -> float:
        return sum(part.seconds for part in self.parts if isinstance(part, Pause))


NOTHING = Reading(())


def turns_of(piece: Stretch, info: EngineInfo) -> tuple[str, ...]:
    """What that engine is given of a piece, one after the other."""
    text, most = piece.text, info.most_text_characters
    return (text,) if len(text) <= most else split_text(text, "none", most_characters=most)


def told(left_out: Sequence[LeftOut]) -> tuple[str, ...]:
    """The marks of what a person is told about."""
    return tuple(one.mark for one in left_out if one.kind not in NOT_TOLD)


def _pieces(parts: Sequence[Part]) -> Iterator[Stretch]:
    """What has no letter and no digit is no piece by itself: it goes with the one before it, or with the next."""
    waiting: list[Words | Direction] = []
    pause, is_asked = 0.0, False
    for part in parts:
        if isinstance(part, Pause):
            if any(map(_is_said, waiting)):
                pause, is_asked = pause + part.seconds, is_asked or part.is_asked
        else:
            if pause and _is_said(part):
                yield Stretch(tuple(waiting), pause, is_asked)
                waiting, pause, is_asked = [], 0.0, False
            waiting.append(part)
    if waiting:
        yield Stretch(tuple(waiting), pause, is_asked)


def _is_said(part: Words | Direction) -> bool:
    return any(map(str.isalnum, part.text))
