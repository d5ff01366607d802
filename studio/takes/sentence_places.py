"""Where the sentences of a text begin in its sound. The engine does not say that: silences tell it, and how long each should last.

No model, and no cut within words: where no silence tells two sentences apart, they are one part.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from engines.text.spoken_length import spoken_seconds
from studio.speech.in_turn import ONSET_SECONDS, QUIET

__all__ = ["SentencePlaces", "quiet_level", "sentence_places"]

FRAME_SECONDS = 0.005
LEAST_SILENCE_SECONDS = 0.1
BETWEEN_SECONDS = 0.23  # of silence between sentences, at least, of engines that make it themselves (studio/reading/units.py)
RELATIVE_LEVEL = 10 ** (-36 / 20)  # of the loud frames: quieter is silence of a voice whose recording had noise
LOUD_PERCENTILE = 95
# An estimate of a sentence is good to about a third; one of a few words is worse.
SPREAD, SPREAD_SECONDS = 0.22, 0.25
SHORT_SILENCE_COST = 12.0  # of a silence of no length, between sentences; within one it costs as much as it is long
JOINED_COST = 9.0  # of two sentences that are one part
MOST_JOINED = 4
LEAST_OF_EXPECTED, MOST_OF_EXPECTED, MORE_SECONDS = 0.35, 2.2, 0.8  # a part that lasts less or more is none
UNENDED_COST = 0.5


@dataclass(frozen=True)
class SentencePlaces:
    """starts: of each part the first sample. n_sentences: of each part, 1 but where several are one. is_cut: whether the last breaks off.

    Sentences behind those are not in the sound. seconds_per_second: of the sound for each that was expected.
    """

    starts: tuple[int, ...]
    n_sentences: tuple[int, ...]
    is_cut: bool
    pace: float


@dataclass(frozen=True)
class _Silence:
    """end: seconds, where the sound begins again."""

    end: float
    seconds: float


@dataclass(frozen=True)
class _Way:
    """The cheapest one to a silence: cost, and the state before it."""

    cost: float
    before: tuple[int, int] | None


def sentence_places(samples: np.ndarray, sample_rate: int, sentences: Sequence[str], *, pace: float | None = None) -> SentencePlaces:
    """samples: (T,) float32 of these sentences. pace: seconds of sound for each expected, of one that broke off; None of a whole one."""
    seconds = len(samples) / sample_rate
    expected = [spoken_seconds(sentence) for sentence in sentences]
    is_whole = pace is None
    pace = pace or seconds / max(sum(expected), 0.1)
    silences = list(_silences(samples, sample_rate))
    cuts, is_cut = _Search([pace * one for one in expected], silences, seconds).best(is_whole=is_whole)
    starts = [0] + [max(0, round((silences[silence].end - ONSET_SECONDS) * sample_rate)) for _, silence in cuts[:-1]]
    ends = [n for n, _ in cuts]
    return SentencePlaces(tuple(starts), tuple(end - start for start, end in zip([0, *ends], ends, strict=False)), is_cut, pace)


def _silences(samples: np.ndarray, sample_rate: int) -> Iterator[_Silence]:
    """Those between sounds."""
    size = max(1, round(FRAME_SECONDS * sample_rate))
    n_frames = len(samples) // size
    if not n_frames:
        return
    peaks = np.abs(samples[: n_frames * size]).reshape(n_frames, size).max(axis=1)
    loud = np.flatnonzero(peaks >= quiet_level(peaks))
    for at in np.flatnonzero(np.diff(loud) > LEAST_SILENCE_SECONDS / FRAME_SECONDS):
        yield _Silence(loud[at + 1] * size / sample_rate, (loud[at + 1] - loud[at] - 1) * size / sample_rate)


def quiet_level(sizes: np.ndarray) -> float:
    """What is silence of a voice stays below: full scale is 1, as of these sizes of samples."""
    return max(QUIET, RELATIVE_LEVEL * float(np.percentile(sizes, LOUD_PERCENTILE))) if len(sizes) else QUIET


class _Search:
    """The cheapest way through the silences. A state: how many sentences are over, and at which silence; -1 is the beginning.

    expected: seconds of each sentence.
    """

    def __init__(self, expected: Sequence[float], silences: Sequence[_Silence], seconds: float):
        self._expected, self._seconds = expected, seconds
        self._silences = [*silences, _Silence(seconds, BETWEEN_SECONDS)]  # the end is one that is long enough

    def best(self, *, is_whole: bool) -> tuple[list[tuple[int, int]], bool]:
        """(how many sentences are over at the end of each part, and the silence there), and whether the last part breaks off."""
        n, last = len(self._expected), len(self._silences) - 1
        ways = self._ways()
        if is_whole:
            return (self._back(ways, (n, last)) if (n, last) in ways else [(n, last)]), False
        ends = {state: way.cost + self._unended(state) for state, way in ways.items() if state[0] < n and state[1] != last}
        state = min(ends, key=lambda one: ends[one])
        return [*self._back(ways, state), (state[0] + 1, last)], True

    def _ways(self) -> dict[tuple[int, int], _Way]:
        """Of each state that can be reached; each has more sentences behind it than the one before."""
        ways = {(0, -1): _Way(0.0, None)}
        reached: list[set[tuple[int, int]]] = [{(0, -1)}, *(set() for _ in self._expected)]
        for state in chain.from_iterable(reached):  # which grows behind the one that is looked at
            for following, cost in self._following(*state):
                total = ways[state].cost + cost
                if following not in ways or total < ways[following].cost:
                    ways[following] = _Way(total, state)
                    reached[following[0]].add(following)
        return ways

    def _following(self, n: int, silence: int) -> Iterator[tuple[tuple[int, int], float]]:
        start, expected = self._start(silence), 0.0
        for n_joined in range(1, min(MOST_JOINED, len(self._expected) - n) + 1):
            expected += self._expected[n + n_joined - 1]
            inside = 0.0
            for at in range(silence + 1, len(self._silences)):
                seconds = self._silences[at].end - start
                if seconds > MOST_OF_EXPECTED * expected + MORE_SECONDS:
                    break
                if seconds >= LEAST_OF_EXPECTED * expected:
                    yield (n + n_joined, at), self._cost(expected, seconds, at) + inside + JOINED_COST * (n_joined - 1)
                inside += _inside_cost(self._silences[at].seconds)

    def _cost(self, expected: float, seconds: float, silence: int) -> float:
        lacking = max(0.0, 1 - self._silences[silence].seconds / BETWEEN_SECONDS)
        return ((seconds - expected) / (SPREAD * expected + SPREAD_SECONDS)) ** 2 + SHORT_SILENCE_COST * lacking

    def _unended(self, state: tuple[int, int]) -> float:
        """Of the sentence behind it, which is cut by the end of the sound."""
        expected, seconds = self._expected[state[0]], self._seconds - self._start(state[1])
        inside = sum(_inside_cost(one.seconds) for one in self._silences[state[1] + 1 : -1])
        over = max(0.0, seconds - expected) / (SPREAD * expected + SPREAD_SECONDS)
        return UNENDED_COST + over**2 + inside

    def _start(self, silence: int) -> float:
        return self._silences[silence].end if silence >= 0 else 0.0

    def _back(self, ways: dict[tuple[int, int], _Way], state: tuple[int, int]) -> list[tuple[int, int]]:
        found: list[tuple[int, int]] = []
        here: tuple[int, int] | None = state
        while here is not None and here[0]:
            found.append(here)
            here = ways[here].before
        return found[::-1]


def _inside_cost(seconds: float) -> float:
    """Of a silence within a sentence: a long one is a pause that somebody would take for an end."""
    return 3.0 * max(0.0, math.log(max(seconds, 1e-3) / 0.15)) if seconds > 0.15 else 0.0
