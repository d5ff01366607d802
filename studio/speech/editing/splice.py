"""Splice: what changed of a recording, put into it. All else are the recording's own samples."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from engines.clips.clip import Span
from engines.contract.editing import EditSpan
from studio.speech.editing.clusters import Cluster, Pair, clusters_of, kept_pairs
from studio.speech.editing.cuts import FADE_SECONDS, Cuts, cuts_of
from studio.speech.editing.timed_sound import TimedSound
from studio.speech.timed_words import TimedWord

__all__ = ["Spliced", "spliced"]

MOST_GAIN_DB = 12.0
N_LEVEL_WORDS = 6  # around a piece, by which its level is known: a phrase


@dataclass(frozen=True, eq=False)
class Spliced:
    """samples: (T,) float32. changed: seconds that are not the source's. words: of the new text, in time."""

    samples: np.ndarray
    changed: tuple[Span, ...]
    words: tuple[TimedWord, ...]


def spliced(source: TimedSound, result: TimedSound, spans: Sequence[EditSpan]) -> Spliced:
    """The source, with what changed of the result in place of what it was. Both have one rate. Raises WordTimesUnknown."""
    pairs = kept_pairs(source, result, spans)
    clusters = clusters_of(source, result, spans, pairs)
    joining = _Joining(source)
    for cluster in clusters:
        sound = result.samples * np.float32(_gain(cluster, source, result, pairs))
        cuts = cuts_of(cluster, source.samples, sound, source.sample_rate)
        joining.put(sound, cuts, cluster)
    return joining.finished(pairs)


def _gain(cluster: Cluster, source: TimedSound, result: TimedSound, pairs: Sequence[Pair]) -> float:
    """By which the result is as loud as the source, by words that both have: the nearest, half of them before."""
    place = cluster.before.source if cluster.before else -1
    nearest = sorted(pairs, key=lambda pair: abs(pair.source - place - 0.5))[:N_LEVEL_WORDS]
    levels = [(source.level(pair.source_word), result.level(pair.result_word)) for pair in nearest]
    if not nearest:  # all words are new
        levels = [tuple(float(np.sqrt(np.mean([each.level(word) ** 2 for word in each.words] or [0.0]))) for each in (source, result))]
    ratios = [old / new for old, new in levels if old > 0 and new > 0]
    most = 10 ** (MOST_GAIN_DB / 20)
    gain = float(np.clip(np.exp(np.median(np.log(ratios))), 1 / most, most)) if ratios else 1.0
    peak = float(np.abs(result.samples).max(initial=0.0))
    return min(gain, max(1.0, 1.0 / peak)) if peak > 0 else gain


class _Joining:
    """The new recording, as far as it is put together."""

    def __init__(self, source: TimedSound):
        self._source = source
        self._rate = source.sample_rate
        self._half = round(FADE_SECONDS * source.sample_rate / 2)
        self._rising = _rising(2 * self._half)
        self._parts: list[np.ndarray] = []
        self._n = 0  # samples of them
        self._at = 0  # of the source, what is not taken yet
        self._changed: list[Span] = []
        self._new: list[tuple[Cluster, float]] = []  # each with the seconds by which its words are later than in the result
        self._shifts: list[tuple[int, float]] = []  # the number of the source's word from which on words are so much later

    def put(self, result: np.ndarray, cuts: Cuts, cluster: Cluster) -> None:
        """What the source has before the cuts, and the piece."""
        source, half = self._source.samples, self._half
        self._add(source[self._at : max(self._at, cuts.start - half)])
        begun = self._n
        has_lead, has_tail = cuts.start >= half, cuts.end + half <= len(source)
        if cuts.other_end - cuts.other_start < 2 * half and has_lead and has_tail:
            self._seam(source, cuts.start, source, cuts.end)
        else:
            if has_lead:
                self._seam(source, cuts.start, result, cuts.other_start)
            first = cuts.other_start + (half if has_lead else 0)
            piece = result[first : max(first, cuts.other_end - (half if has_tail else 0))].copy()
            self._soften(piece, at_start=not has_lead and first > 0, at_end=not has_tail and cuts.other_end < len(result))
            self._add(piece)
            if has_tail:
                self._seam(result, cuts.other_end, source, cuts.end)
        place = begun + (half if has_lead else 0)  # of cuts.other_start
        self._new.append((cluster, (place - cuts.other_start) / self._rate))
        self._changed.append((begun / self._rate, self._n / self._rate))
        self._at = cuts.end + half if has_tail else len(source)
        self._shifts.append((cluster.behind.source if cluster.behind else len(self._source.words), (self._n - self._at) / self._rate))

    def finished(self, pairs: Sequence[Pair]) -> Spliced:
        """With the rest of the source."""
        self._add(self._source.samples[self._at :])
        samples = np.concatenate(self._parts)
        words = [_moved(word, word, later) for cluster, later in self._new for word in cluster.words]
        new = {id(word) for cluster, _ in self._new for word in cluster.words}
        for pair in pairs:
            if id(pair.result_word) not in new:
                later = next((later for first, later in reversed(self._shifts) if pair.source >= first), 0.0)
                words.append(_moved(pair.result_word, pair.source_word, later))
        return Spliced(samples, tuple(self._changed), tuple(sorted(words, key=lambda word: word.start)))

    def _add(self, samples: np.ndarray) -> None:
        self._parts.append(samples)
        self._n += len(samples)

    def _seam(self, before: np.ndarray, end: int, behind: np.ndarray, start: int) -> None:
        """From one sound into another, around a sample of each."""
        falling, rising = self._rising[::-1], self._rising
        self._add(self._around(before, end) * falling + self._around(behind, start) * rising)

    def _around(self, samples: np.ndarray, at: int) -> np.ndarray:
        """(2 * half,), silent where the sound is over."""
        first, last = at - self._half, at + self._half
        return np.pad(samples[max(0, first) : max(0, last)], (max(0, -first), max(0, last - max(len(samples), first, 0))))[: 2 * self._half]

    def _soften(self, piece: np.ndarray, *, at_start: bool, at_end: bool) -> None:
        """A piece with which the recording begins or ends does so softly, where it was cut out of a sound."""
        rising = _rising(min(2 * self._half, len(piece) // 2))
        if at_start:
            piece[: len(rising)] *= rising
        if at_end:
            piece[len(piece) - len(rising) :] *= rising[::-1]


def _rising(n: int) -> np.ndarray:
    """(n,) float32 from 0 to 1; with itself turned around it sums to 1."""
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(n) + 0.5) / max(1, n))).astype(np.float32)


def _moved(word: TimedWord, heard: TimedWord, later: float) -> TimedWord:
    """A word of the new text, heard as that one, so much later."""
    start, end = max(0.0, heard.start_seconds + later), max(0.0, heard.end_seconds + later)
    return replace(word, start_seconds=start, end_seconds=end, is_guessed=heard.is_guessed)
