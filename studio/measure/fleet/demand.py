"""Demand: which listener asks for which speech, and when. Listeners, speeches and voices are drawn from a seed."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

__all__ = ["Demand", "Habits"]

Lengths = Literal["lognormal", "exponential", "constant"]


@dataclass(frozen=True)
class Habits:
    """Of listeners, so many of whom hear something at any time: they ask n_listeners / speech_seconds times a second, by Little's law.

    speech_seconds: of audio, on the mean. spread: of the logarithm of a lognormal length. voices: how many there are, asked for by Zipf's
    law with this exponent. new_share: of speeches in a voice that nobody has asked for before, which takes the place of another one.
    peak: of the rate over its mean, along a sine; 1 is no peak, 2 an empty night. day_seconds: of that sine.
    """

    n_listeners: int
    voices: int
    speech_seconds: float = 6.0
    spread: float = 0.6
    lengths: Lengths = "lognormal"
    zipf: float = 0.8
    new_share: float = 0.002
    peak: float = 1.0
    day_seconds: float = 86_400.0

    @property
    def per_second(self) -> float:
        """Speeches asked for, on the mean."""
        return self.n_listeners / self.speech_seconds

    def popularity(self) -> np.ndarray:
        """(voices,) shares of the speeches, falling, of sum 1."""
        weights = np.arange(1, self.voices + 1, dtype=np.float64) ** -self.zipf
        return weights / weights.sum()


@dataclass(frozen=True)
class Demand:
    """Speeches in the order in which they are asked for. at: (N,) seconds, from 0. seconds: (N,) of audio. voices: (N,) numbers of voices.

    is_new: (N,) nobody has asked for the voice before.
    """

    at: np.ndarray
    seconds: np.ndarray
    voices: np.ndarray
    is_new: np.ndarray

    def __len__(self) -> int:
        return len(self.at)

    @classmethod
    def drawn(cls, habits: Habits, n_speeches: int, seed: int) -> "Demand":
        """So many speeches; the same of the same habits and seed."""
        streams = [np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(5)]
        at = np.cumsum(streams[0].exponential(1 / habits.per_second, n_speeches))
        if habits.peak > 1.0:
            at = _along_the_day(at, habits)
        ranks = np.searchsorted(np.cumsum(habits.popularity()), streams[1].random(n_speeches)).clip(max=habits.voices - 1)
        is_new = streams[3].random(n_speeches) < habits.new_share
        voices = _with_newcomers(ranks, is_new, streams[4].integers(habits.voices, size=n_speeches), habits.voices)
        return cls(at, _lengths(habits, streams[2], n_speeches), voices, is_new)


def _lengths(habits: Habits, random: np.random.Generator, n: int) -> np.ndarray:
    if habits.lengths == "constant":
        return np.full(n, habits.speech_seconds)
    if habits.lengths == "exponential":
        return random.exponential(habits.speech_seconds, n)
    return random.lognormal(np.log(habits.speech_seconds) - habits.spread**2 / 2, habits.spread, n)


def _with_newcomers(ranks: np.ndarray, is_new: np.ndarray, taken: np.ndarray, n_voices: int) -> np.ndarray:
    """Voices of the ranks that are asked for. A new one has a rank of its own from then on, so that the law of popularity stays as it is.

    taken: (N,) the rank that a new voice takes, were it one.
    """
    voices = ranks.astype(np.int64)
    for place in np.flatnonzero(is_new):
        voices[place:][ranks[place:] == taken[place]] = n_voices + place
        voices[place] = n_voices + place
    return voices


def _along_the_day(at: np.ndarray, habits: Habits) -> np.ndarray:
    """Times of a steady rate moved so that the rate follows 1 + (peak - 1) sin(2 pi t / day): by the inverse of its integral."""
    days = at[-1] / habits.day_seconds if len(at) else 0.0
    grid = np.linspace(0.0, (np.ceil(days) + 1) * habits.day_seconds, int(np.ceil(days) + 1) * 1024 + 1)
    turn = 2 * np.pi / habits.day_seconds
    passed = grid + (habits.peak - 1.0) / turn * (1 - np.cos(turn * grid))
    return np.interp(at, passed, grid)
