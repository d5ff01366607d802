"""Clusters: changes of a recording with no word between them that stays; each is one piece that is put into the recording."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from engines.contract.editing import EditSpan
from studio.errors import WordTimesUnknown
from studio.speech.editing.bands import bands_at, floor_of
from studio.speech.editing.timed_sound import TimedSound, letters_place
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import plain_words

__all__ = ["Cluster", "Pair", "WordGap", "clusters_of", "kept_pairs"]

LEAST_KEPT_SECONDS = 0.06  # of a word beside which is cut: the fades of two cuts, and something between them
# Between the bands of one word in both sounds, at N_PLACES of it: of words that were found rightly 0.7 to 8, of others 11 (by measuring,
# see studio/measure/DIARY.md); more where all words are less alike.
MOST_UNLIKE_DB, UNLIKE_BY_MEDIAN, EVER_UNLIKE_DB, N_PLACES = 9.0, 2.0, 11.0, 9
MOST_UNFOUND = 3  # words beside a change that are said anew with it, since nobody knows where they are


@dataclass(frozen=True)
class Pair:
    """A word that stays: its numbers among the words of both sounds, and where it is in each."""

    source: int
    result: int
    source_word: TimedWord
    result_word: TimedWord

    @property
    def is_found(self) -> bool:
        """In both, and long enough to be cut beside."""
        words = (self.source_word, self.result_word)
        return not any(word.is_guessed or word.end_seconds - word.start_seconds < LEAST_KEPT_SECONDS for word in words)


@dataclass(frozen=True)
class WordGap:
    """Between two words that stay, in one sound of so many seconds. before, behind: these words, None where the sound begins or ends
    instead. first, last: of the words between them, None where there are none.
    """

    seconds: float
    before: TimedWord | None
    behind: TimedWord | None
    first: TimedWord | None
    last: TimedWord | None


@dataclass(frozen=True)
class Cluster:
    """before, behind: words that stay; None at the beginning and at the end. source, result: what lies between them.

    words: of the result that are new.
    """

    before: Pair | None
    behind: Pair | None
    source: WordGap
    result: WordGap
    words: Sequence[TimedWord]


def kept_pairs(source: TimedSound, result: TimedSound, spans: Sequence[EditSpan]) -> list[Pair]:
    """All words that no change touches, found in both, in order."""
    places = {letters_place(result.text, word.start, word.end): number for number, word in enumerate(result.words)}
    found = []
    for start, end, moved in _unchanged(source.text, result.text, spans):
        for number, word in enumerate(source.words):
            first, last = letters_place(source.text, word.start, word.end)
            other = places.get((first + moved, last + moved))
            if start <= first and last <= end and other is not None:
                found.append(Pair(number, other, word, result.words[other]))
    return found


def clusters_of(source: TimedSound, result: TimedSound, spans: Sequence[EditSpan], pairs: Sequence[Pair]) -> list[Cluster]:
    """In order. Raises WordTimesUnknown where too many words beside a change were not found."""
    sure = _sure_pairs(source, result, pairs)
    bounds: list[tuple[Pair | None, Pair | None, list[EditSpan]]] = []
    for span in spans:
        before = next((pair for pair in reversed(sure) if pair.source_word.end <= span.start), None)
        behind = next((pair for pair in sure if pair.source_word.start >= span.end), None)
        if bounds and bounds[-1][0] is before:
            bounds[-1] = (before, behind, [*bounds[-1][2], span])
        else:
            bounds.append((before, behind, [span]))
    return [_cluster(source, result, before, behind, within) for before, behind, within in bounds]


def _sure_pairs(source: TimedSound, result: TimedSound, pairs: Sequence[Pair]) -> list[Pair]:
    """Beside which may be cut: they sound alike in both, or one of them is not where it is said to be."""
    found = [pair for pair in pairs if pair.is_found]
    if not found:
        return []
    floors = [floor_of(said.samples, said.sample_rate) for said in (source, result)]
    unlike = [_unlike(_shape(source, pair.source_word, floors[0]), _shape(result, pair.result_word, floors[1])) for pair in found]
    most = float(np.clip(UNLIKE_BY_MEDIAN * np.median(unlike), MOST_UNLIKE_DB, EVER_UNLIKE_DB))
    return [pair for pair, each in zip(found, unlike, strict=True) if each <= most]


def _shape(said: TimedSound, word: TimedWord, floor: float) -> np.ndarray:
    """(N_PLACES, N_BANDS) dB along a word, whatever its level."""
    places = np.linspace(word.start_seconds, word.end_seconds, N_PLACES)
    bands = bands_at(said.samples, places, said.sample_rate, floor)
    return bands - bands.mean()


def _unlike(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.abs(one - other).mean())


def _unchanged(text: str, other: str, spans: Sequence[EditSpan]) -> Iterator[tuple[int, int, int]]:
    """(start, end, by how much a character is further behind in the other text) of what is between two changes.

    Blanks at its beginning may differ: words that come together keep one between them.
    """
    at, other_at = 0, 0
    for span in (*spans, EditSpan(len(text), len(text), len(other), len(other))):
        start = at + _n_blanks(text[at : span.start])
        yield at, span.start, other_at + _n_blanks(other[other_at : span.other_start]) - start
        at, other_at = span.end, span.other_end


def _n_blanks(text: str) -> int:
    return len(text) - len(text.lstrip())


def _cluster(source: TimedSound, result: TimedSound, before: Pair | None, behind: Pair | None, spans: Sequence[EditSpan]) -> Cluster:
    _check_found(source.text, before, behind, spans)
    between = source.words[before.source + 1 if before else 0 : behind.source if behind else len(source.words)]
    new = result.words[before.result + 1 if before else 0 : behind.result if behind else len(result.words)]
    first, last = (between[0], between[-1]) if between else (None, None)
    old_gap = WordGap(source.seconds, before and before.source_word, behind and behind.source_word, first, last)
    first, last = (new[0], new[-1]) if new else (None, None)
    return Cluster(
        before, behind, old_gap, WordGap(result.seconds, before and before.result_word, behind and behind.result_word, first, last), new
    )


def _check_found(text: str, before: Pair | None, behind: Pair | None, spans: Sequence[EditSpan]) -> None:
    at, end = before.source_word.end if before else 0, behind.source_word.start if behind else len(text)
    unfound = []
    for start, stop in [*((span.start, span.end) for span in spans), (end, end)]:
        unfound += plain_words(text[at:start])
        at = stop
    if len(unfound) > MOST_UNFOUND:
        hint = "Check the words of the recording, try another seed, or send whole=true: then all of it is said anew."
        words = " ".join(word.said for word in unfound[:MOST_UNFOUND])
        raise WordTimesUnknown(sentence="edit_words_unfound", hint=hint, words=words, n=len(unfound))
