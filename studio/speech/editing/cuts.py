"""Cuts: where a piece of another sound is put into a recording, so that nobody hears it.

A pair of places, one in each sound, by the costs of unit selection (Hunt and Black, "Unit selection in a concatenative speech synthesis
system using a large speech database", ICASSP 1996): it is quiet there, both sound alike, and both are as far from the word that stays.
"""

from dataclasses import dataclass, replace

import numpy as np

from studio.speech.editing.bands import bands_at, floor_of
from studio.speech.editing.clusters import Cluster, WordGap
from studio.speech.timed_words import TimedWord

__all__ = ["FADE_SECONDS", "Cuts", "cuts_of"]

FADE_SECONDS = 0.01
INTO_KEPT_SECONDS = 0.06  # that a cut may lie within a word that stays: where words run into one another their ends are known so well
INTO_NEW_SECONDS = 0.02
MOST_AWAY_SECONDS = 0.4  # from the word, in a long silence
STEP_SECONDS = 0.004
PHASE_SECONDS = 0.005  # by which the other sound is moved, so that waves meet in phase: the period of a voice of 200 Hz
# Costs in dB, by measuring (studio/measure/DIARY.md): of the level, and of seconds.
LEVEL_COST, SKEW_COST, AWAY_COST = 0.4, 60.0, 20.0
STAY_COST = 0.02  # of likeness, which is 1 at most


@dataclass(frozen=True)
class Cuts:
    """Samples of both sounds: result[other_start:other_end] takes the place of source[start:end]."""

    start: int
    end: int
    other_start: int
    other_end: int


@dataclass(frozen=True)
class _Side:
    """One sound, with where its cut is looked for. anchor: of the word that stays, from which places are counted. Seconds."""

    anchor: float
    least: float
    most: float

    @property
    def places(self) -> np.ndarray:
        """(P,) seconds, P at least 1."""
        return np.arange(self.least, max(self.least, self.most) + 1e-9, STEP_SECONDS)


def cuts_of(cluster: Cluster, source: np.ndarray, result: np.ndarray, sample_rate: int) -> Cuts:
    """source, result: (T,) float32 at the same level."""
    start, other_start = _first_cut(cluster.source, cluster.result, source, result, sample_rate)
    end, other_end = _first_cut(_turned(cluster.source), _turned(cluster.result), source[::-1], result[::-1], sample_rate)
    return Cuts(start, max(start, len(source) - end), other_start, max(other_start, len(result) - other_end))


def _first_cut(gap: WordGap, other_gap: WordGap, source: np.ndarray, result: np.ndarray, sample_rate: int) -> tuple[int, int]:
    """The one behind the word before, in samples of both sounds."""
    side, other = _side(gap), _side(other_gap)
    places, others = side.places, other.places
    floor = floor_of(source, sample_rate)
    bands, other_bands = bands_at(source, places, sample_rate, floor), bands_at(result, others, sample_rate, floor)
    unlike = np.abs(bands[:, None] - other_bands[None]).mean(axis=2)
    level = (bands.mean(axis=1)[:, None] + other_bands.mean(axis=1)[None]) / 2
    away, other_away = places - side.anchor, others - other.anchor
    skew = np.abs(away[:, None] - other_away[None])
    cost = unlike + LEVEL_COST * level + SKEW_COST * skew + AWAY_COST * np.abs(away)[:, None]
    best, other_best = np.unravel_index(int(np.argmin(cost)), cost.shape)
    at, other_at = round(places[best] * sample_rate), round(others[other_best] * sample_rate)
    return at, _in_phase(source, at, result, other_at, sample_rate)


def _side(gap: WordGap) -> _Side:
    """Of the first cut of a gap."""
    following = gap.first or gap.behind
    until = following.start_seconds if following else gap.seconds
    if gap.before is None:
        most = until if gap.first else until / 2
        return _Side(until, max(0.0, most - MOST_AWAY_SECONDS), most)
    word = gap.before
    anchor = word.end_seconds
    into = min(INTO_KEPT_SECONDS, (anchor - word.start_seconds) / 2 - FADE_SECONDS)
    most = until + INTO_NEW_SECONDS if gap.first else (anchor + max(anchor, until)) / 2
    return _Side(anchor, anchor - into, max(anchor - into, min(most, anchor + MOST_AWAY_SECONDS)))


def _turned(gap: WordGap) -> WordGap:
    """The same of a sound that is played backwards."""

    def turned(word: TimedWord | None) -> TimedWord | None:
        return word and replace(word, start_seconds=gap.seconds - word.end_seconds, end_seconds=gap.seconds - word.start_seconds)

    return WordGap(gap.seconds, turned(gap.behind), turned(gap.before), turned(gap.last), turned(gap.first))


def _in_phase(source: np.ndarray, at: int, result: np.ndarray, other_at: int, sample_rate: int) -> int:
    """other_at, moved to where the result goes on most like the source there."""
    half, most = round(FADE_SECONDS * sample_rate), round(PHASE_SECONDS * sample_rate)
    if at < half or at + half > len(source) or other_at < half + most or other_at + half + most > len(result):
        return other_at
    wanted = source[at - half : at + half].astype(np.float64)
    offered = result[other_at - half - most : other_at + half + most].astype(np.float64)
    energy = np.convolve(np.square(offered), np.ones(2 * half), "valid")
    likeness = np.correlate(offered, wanted, "valid") / np.sqrt(np.maximum(energy, 1e-9) * max(float(wanted @ wanted), 1e-9))
    moved = np.arange(-most, most + 1)
    return other_at + int(moved[np.argmax(likeness - STAY_COST * np.abs(moved) / most)])  # in silence it stays where it is
