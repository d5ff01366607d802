"""Cues of a script: what its lines show, one after the other, in the times of the whole sound."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from itertools import accumulate, pairwise

from engines.text.spoken_length import spoken_seconds
from studio.scripts.export.plan import ExportPlan, PlannedLine
from studio.speech.timed_words import TimedWord, shifted
from studio.speech.words.cues import Cue, CueRules, cues_of

__all__ = ["named", "script_cues"]

RULES = CueRules()


def script_cues(plan: ExportPlan, *, names: bool) -> tuple[Cue, ...]:
    """In the order in which they are shown. Where times of words are not known, cues have guessed ones and no words. A cue that is
    shown longer than it is heard, so that it can be read, ends before the next one. names: each cue has who says it."""
    found = [cue for line in plan.lines for cue in _cues_of_line(line, plan.sample_rate, names=names)]
    return (*(_before(cue, following.start_seconds) for cue, following in pairwise(found)), *found[-1:])


def named(cues: tuple[Cue, ...]) -> tuple[Cue, ...]:
    """Who speaks is written before the first of several cues of one person, as SRT and text tracks have no voices."""
    before = ("", *(cue.who for cue in cues))
    return tuple(
        replace(cue, lines=(f"{cue.who}: {cue.lines[0]}", *cue.lines[1:])) if cue.who and cue.who != last else cue
        for cue, last in zip(cues, before, strict=False)
    )


def _cues_of_line(line: PlannedLine, sample_rate: int, *, names: bool) -> Iterator[Cue]:
    written, begins = line.line.written, line.start / sample_rate
    words = shifted(line.line.words or tuple(_guessed(written.text, line.n_samples / sample_rate)), begins)
    for cue in cues_of(words, written.text, RULES):
        known = cue.words if line.line.words else tuple(() for _ in cue.lines)
        yield replace(cue, words=known, who=written.who if names else "")


def _before(cue: Cue, next_start: float) -> Cue:
    """Ends with the next one where its own words have ended by then: of lines that overlap both are shown."""
    if not cue.start_seconds < next_start < cue.end_seconds:
        return cue
    heard = max((word.end_seconds for words in cue.words for word in words), default=next_start)
    return replace(cue, end_seconds=min(cue.end_seconds, max(heard, next_start)))


def _guessed(text: str, seconds: float) -> Iterator[TimedWord]:
    places = list(_words_of(text))
    ends = list(accumulate(max(1e-3, spoken_seconds(text[start:end])) for start, end in places))
    for (start, end), first, last in zip(places, [0.0, *ends[:-1]], ends, strict=True):
        written = text[start:end]
        yield TimedWord(first / ends[-1] * seconds, last / ends[-1] * seconds, written, written, start, end, is_guessed=True)


def _words_of(text: str) -> Iterator[tuple[int, int]]:
    """(start, end): between blanks; in scripts without blanks, each character with the marks behind it."""
    start = None
    for place, character in enumerate(text):
        is_wide = unicodedata.east_asian_width(character) in "WF" and unicodedata.category(character)[0] != "P"
        if start is not None and (character.isspace() or is_wide):
            yield start, place
            start = None
        if start is None and not character.isspace():
            start = place
    if start is not None:
        yield start, len(text)
