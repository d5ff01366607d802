"""From places of said words to written words in time. Where an engine marks words, they are exact."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence

from engines.contract.word_marks import WordMark
from studio.speech.in_turn import PartTrack, SpeechTrack
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import SaidWord, is_unspaced

__all__ = ["Interval", "marked_intervals", "timed_words"]

Interval = tuple[float, float] | None  # seconds; None of a word whose place is not known


def marked_intervals(words: Sequence[SaidWord], track: SpeechTrack) -> list[Interval]:
    """When each is heard by what the engine marked; None of those that it has not reached, or says no word of."""
    found: list[Interval] = []
    parts = [_MarkedPart(part) for part in tuple(track.parts)]
    for word in words:
        samples = parts[word.part].samples(word) if word.part < len(parts) else None
        found.append(None if samples is None else (samples[0] / track.samples_per_second, samples[1] / track.samples_per_second))
    return found


class _MarkedPart:
    """One part with the marks that it has by now."""

    def __init__(self, part: PartTrack):
        self._part, self._marks = part, tuple(part.marks)
        self._starts = [mark.start for mark in self._marks]

    def samples(self, word: SaidWord) -> tuple[int, int] | None:
        """(first, last) in the whole. Of several words within one mark each has the share of its letters."""
        at = max(0, bisect_right(self._starts, word.start) - 1)
        over = [mark for mark in self._marks[at : bisect_right(self._starts, word.end - 1)] if mark.end > word.start]
        if not over:
            return None
        first, last = over[0], over[-1]
        begin = first.start_samples + self._share(first.start, word.start, first) * (first.end_samples - first.start_samples)
        end = last.end_samples - self._share(word.end, last.end, last) * (last.end_samples - last.start_samples)
        return self._part.whole_samples(round(begin)), self._part.whole_samples(round(end))

    def _share(self, start: int, end: int, mark: WordMark) -> float:
        """Of the letters of a mark, those in text[start:end]."""
        letters = _n_letters(self._part.text[start:end]) if end > start else 0
        return letters / _n_letters(self._part.text[mark.start : mark.end]) if letters else 0.0


def timed_words(words: Sequence[SaidWord], intervals: Sequence[Interval], written: str, seconds: float) -> tuple[TimedWord, ...]:
    """The written words, each with all that is said of it. written: the text; "" where only what is said is known.

    seconds: of the sound, beyond which no word is heard. Words behind the last whose place is known are left out: they are not heard, or
    not yet. One between others whose place is not known lies between them, and is_guessed.
    """
    known = [number for number, interval in enumerate(intervals) if interval is not None and interval[0] < seconds]
    if not known:
        return ()
    heard = list(_filled(intervals[: known[-1] + 1]))
    found = []
    for group in _groups(words[: len(heard)]):
        places = [heard[number] for number in group]
        first, last = words[group[0]], words[group[-1]]
        start, end = first.written_start, max(words[number].written_end for number in group)
        said = "".join(_spaced([words[number].said for number in group]))
        found.append(
            TimedWord(
                places[0][0],
                min(seconds, max(place[1] for place in places)),
                written[start:end] if written else said,
                said,
                start,
                max(end, last.written_end),
                all(place[2] for place in places),
            )
        )
    return tuple(found)


def _filled(intervals: Sequence[Interval]) -> Iterator[tuple[float, float, bool]]:
    """(start, end, whether it is guessed) of each: those in a gap share it alike. None begins before the one ahead of it."""
    number, before = 0, 0.0
    while number < len(intervals):
        behind = number
        while behind < len(intervals) and intervals[behind] is None:
            behind += 1
        following = intervals[behind] if behind < len(intervals) else None
        until = max(before, following[0]) if following else before
        for place in range(behind - number):
            step = (until - before) / (behind - number)
            yield before + place * step, before + (place + 1) * step, True
        if following:
            start = max(before, following[0]) if behind > number else max(following[0], 0.0)
            before = max(start, following[1])
            yield start, before, False
        number = behind + 1


def _groups(words: Sequence[SaidWord]) -> Iterator[list[int]]:
    """Numbers of words that were written as one."""
    group: list[int] = []
    for number, word in enumerate(words):
        if group and not _is_one(words[group[-1]], word):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


def _is_one(before: SaidWord, word: SaidWord) -> bool:
    """Whether they were written as one word: of the same replacement, or without anything between them."""
    if word.written_start < before.written_end:
        return True
    return word.written_start == before.written_end and not (is_unspaced(before.said) or is_unspaced(word.said))


def _spaced(said: Sequence[str]) -> Iterator[str]:
    """With blanks between words that have them."""
    for number, word in enumerate(said):
        if number and not (is_unspaced(word) and is_unspaced(said[number - 1][-1:])):
            yield " "
        yield word


def _n_letters(text: str) -> int:
    return sum(map(str.isalnum, text))
