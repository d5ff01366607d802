"""Answers about a take in parts: the forms of the JSON."""

from collections.abc import Sequence
from itertools import pairwise

from pydantic import BaseModel, ConfigDict, Field

from studio.speech.body import Text
from studio.speech.kept.entry import HistoryEntry
from studio.speech.timed_words import TimedWord
from studio.takes.kept_parts import PartedTake

__all__ = ["ChoiceBody", "LineTakeWordsAnswer", "SayAgainBody", "TakeAnswer", "TakeWordsAnswer", "TimedWordsAnswer", "told_words"]


class SayAgainBody(BaseModel):
    """How the part is said again; the rest is as the take has it."""

    model_config = ConfigDict(extra="forbid")
    input: Text | None = Field(default=None, description="Other words for this part; its own where absent.")
    seed: int | None = Field(default=None, description="Any, where absent. An engine without a seed says the same words the same way.")


class ChoiceBody(BaseModel):
    """Which rendition of the part is heard in the whole."""

    model_config = ConfigDict(extra="forbid")
    rendition: int = Field(description="From 1.")


class RenditionAnswer(BaseModel):
    """One time that the part was said. seed: null of an engine that has none."""

    rendition: int
    text: str
    seed: int | None
    seconds: float


class PartAnswer(BaseModel):
    """start, seconds: in the whole, silence included; null where the part is not in it. is_cut: whether its first rendition breaks off.

    chosen: the rendition that is heard in the whole; 0 for none.
    """

    part: int
    text: str
    start: float | None
    seconds: float | None
    is_cut: bool
    chosen: int
    renditions: list[RenditionAnswer]


class WordAnswer(BaseModel):
    """One word: seconds in the whole, as written and as it is read, and its characters in the text. guessed: it was not found."""

    model_config = ConfigDict(populate_by_name=True)
    start: float
    end: float
    written: str
    said: str
    from_: int = Field(alias="from")
    to: int
    guessed: bool = False


class TimedWordsAnswer(BaseModel):
    """words: of the text, in order; null where their times are not known, and `why` is the reason code then."""

    words: list[WordAnswer] | None
    why: str = ""

    @classmethod
    def of(cls, words: Sequence[TimedWord] | None, why: str = "") -> "TimedWordsAnswer":
        """why: told where there are no words."""
        return cls(words=told_words(words), why="" if words is not None else why or "word_times_unknown")


class LineTakeWordsAnswer(TimedWordsAnswer):
    """Those of a take of a script. text: that was said, in which they have their places; null where it cannot be told."""

    text: str | None


class TakeWordsAnswer(TimedWordsAnswer):
    """Those of a take of the history."""

    take: str
    text: str
    seconds: float


def told_words(words: Sequence[TimedWord] | None) -> list[WordAnswer] | None:
    return None if words is None else [WordAnswer.model_validate(word.members()) for word in words]


class TakeAnswer(BaseModel):
    """has_seed: whether its engine says the same words in another way by another seed. ended: why its speech was over."""

    take: str
    text: str
    seconds: float
    ended: str
    has_seed: bool
    parts: list[PartAnswer]

    @classmethod
    def of(cls, entry: HistoryEntry, take: PartedTake, *, draws: bool) -> "TakeAnswer":
        """entry: of the take, as it is now. draws: of its engine."""
        starts = iter(_starts(entry, take))
        bounds = [next(starts) if part.chosen else None for part in take.parts]
        told = [start for start in bounds if start is not None]
        seconds = dict(zip(told, (after - before for before, after in pairwise([*told, entry.seconds])), strict=True))
        parts = [
            PartAnswer(
                part=number,
                text=part.heard.text if part.heard else take.text[part.start : part.end],
                start=None if start is None else round(start, 4),
                seconds=None if start is None else round(seconds[start], 4),
                is_cut=part.is_cut,
                chosen=part.chosen,
                renditions=[
                    RenditionAnswer(rendition=n, text=one.text, seed=one.seed, seconds=round(one.seconds, 4))
                    for n, one in enumerate(part.renditions, start=1)
                ],
            )
            for number, (part, start) in enumerate(zip(take.parts, bounds, strict=True), start=1)
        ]
        has_seed = draws and isinstance(entry.options.get("seed"), int)
        return cls(take=entry.id, text=entry.text, seconds=entry.seconds, ended=entry.ended, has_seed=has_seed, parts=parts)


def _starts(entry: HistoryEntry, take: PartedTake) -> list[float]:
    """Seconds, of the parts that are heard: as it was put together, else as it was spoken."""
    heard = [part for part in take.parts if part.chosen]
    if any(part.heard and part.heard.file for part in heard):
        return list(entry.part_seconds)
    return [part.place[0] / entry.sample_rate for part in heard if part.place is not None]
