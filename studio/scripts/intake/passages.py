"""Passage: a heading or a paragraph of what was read, before it is cut into lines. lines_of makes the lines of a script from them.

A line is a paragraph, or of a longer one as many sentences as are said in half a minute. That is what somebody says again: with one wrong
word in it, no more than half a minute is to be heard anew. It is long enough for the melody of a paragraph, and what one look of the ears
takes in (the windows of Whisper have 30 s).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil

from engines.text.spoken_length import SECONDS_PER_WEIGHT
from engines.text.text_splitter import split_text
from studio.reading.silences import HEADING, RULE
from studio.scripts.intake.headings import is_bare_heading, is_chapter_heading
from studio.scripts.script.cast import NARRATOR
from studio.scripts.script.line import MOST_LINE_CHARACTERS, LineText
from studio.text_files.text_check import has_words

__all__ = ["MOST_LINE_SECONDS", "Passage", "line_cuts", "lines_of"]

MOST_LINE_SECONDS = 30.0
_MOST_WEIGHT = MOST_LINE_SECONDS / SECONDS_PER_WEIGHT  # Latin letters
_MOST_SENTENCE_CHARACTERS = 1_200  # a longer one is cut at its clauses
_MOST_HEADING_CHARACTERS = 300
_IDEOGRAPHS = re.compile("[\u2e80-\u9fff\uac00-\ud7ff\uf900-\ufaff]+")  # each takes as long as three letters (spoken_length.py)
_CLOSED = re.compile(r"[.!?:;…。！？：」』”\"')\]]\Z")
_LEVELS = range(1, 7)  # those below begin no chapter (books/xhtml.py)


@dataclass(frozen=True)
class Passage:
    """level: of a heading, from 1; 0 for none. is_rule: behind it stood what parts scenes: "* * *", an empty space."""

    text: str
    level: int = 0
    is_silent: bool = False
    who: str = NARRATOR
    instructions: str | None = None
    is_rule: bool = False


def lines_of(passages: Iterable[Passage], chapter_level: int | None = None) -> tuple[LineText, ...]:
    """chapter_level: headings up to it begin chapters, and those below are said as lines; None: as the headings have it."""
    kept = list(_with_titles([passage for passage in passages if has_words(passage.text)]))
    level = _chapter_level(kept) if chapter_level is None else chapter_level
    return tuple(line for passage in kept for line in _lines(passage, level))


def line_cuts(text: str) -> tuple[str, ...]:
    """A paragraph as lines of at most MOST_LINE_SECONDS, as far as its sentences let it, and of MOST_LINE_CHARACTERS in any case."""
    total = _weight(text)
    if total <= _MOST_WEIGHT:
        return (text,)
    units = split_text(text, "sentence", most_characters=_MOST_SENTENCE_CHARACTERS)
    aim = total / ceil(total / _MOST_WEIGHT)
    cuts: list[int] = []
    at = held = 0
    for unit in units:
        start = text.index(unit, at)
        weight = _weight(unit)
        if held and (held + weight > _MOST_WEIGHT or held + weight / 2 > aim):
            cuts.append(start)
            held = 0
        held += weight
        at = start + len(unit)
    edges = [0, *cuts, len(text)]
    return tuple(text[first:last].strip() for first, last in pairwise(edges))


def _weight(text: str) -> int:
    """How long it takes to say, in Latin letters, roughly."""
    if text.isascii():
        return len(text)
    return len(text) + 2 * sum(map(len, _IDEOGRAPHS.findall(text)))


def _with_titles(passages: Sequence[Passage]) -> Iterator[Passage]:
    """A heading that only counts, "CHAPTER I", and the one behind it, "Down the Rabbit-Hole", are one."""
    at = 0
    while at < len(passages):
        passage = passages[at]
        following = passages[at + 1] if at + 1 < len(passages) else None
        if following and passage.level and following.level and is_bare_heading(passage.text) and not is_chapter_heading(following.text):
            mark = " " if _CLOSED.search(passage.text) or not passage.text.isascii() else ". "
            yield replace(passage, text=f"{passage.text}{mark}{following.text}", is_rule=following.is_rule)
            at += 2
            continue
        yield passage
        at += 1


def _chapter_level(passages: Sequence[Passage]) -> int:
    """The highest level that occurs more than once, or else the deepest; where headings count chapters, the deepest that does."""
    counting = Counter(passage.level for passage in passages if passage.level and is_chapter_heading(passage.text))
    if counting:
        return max((level for level, n in counting.items() if n > 1), default=max(counting))
    counts = Counter(passage.level for passage in passages if passage.level)
    return next((level for level in _LEVELS if counts[level] > 1), max(counts, default=1))


def _lines(passage: Passage, chapter_level: int) -> Iterator[LineText]:
    pause = RULE if passage.is_rule else None
    if 0 < passage.level <= chapter_level and len(passage.text) <= _MOST_HEADING_CHARACTERS:
        yield LineText(text=passage.text, kind="heading", is_silent=passage.is_silent)
        return
    pause = HEADING if passage.level and not passage.is_silent else pause
    cuts = _silent_cuts(passage.text) if passage.is_silent else line_cuts(passage.text)
    for number, cut in enumerate(cuts, 1):
        yield LineText(
            who=passage.who,
            text=cut,
            is_silent=passage.is_silent or not has_words(cut),
            pause_seconds=pause if number == len(cuts) else None,
            instructions=passage.instructions,
        )


def _silent_cuts(text: str) -> tuple[str, ...]:
    return (text,) if len(text) <= MOST_LINE_CHARACTERS else split_text(text, "none", most_characters=MOST_LINE_CHARACTERS)
