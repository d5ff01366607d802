"""Routing: chooses the replica for a speech, by its voice (affinity) or by load (the better of two)."""

from collections.abc import Callable, Sequence
from typing import Literal

import numpy as np

from studio.running.rendezvous import SPILL_AT, cascaded, ranked

__all__ = ["ByVoice", "ByWork", "Choose", "Routing", "choose_by"]

Routing = Literal["affinity", "two choices"]
Choose = Callable[[int, Sequence[int]], int]  # (voice, requests under way at each replica) -> replica
EXACT_UP_TO = 32  # replicas whose order is that of the very keys; of more, of numbers mixed as well and many times as fast
KEPT_RANKS = 64  # of a voice's replicas, of which the first that takes it gets a speech
MIX = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # splitmix64 (Steele et al. 2014)


def choose_by(routing: Routing, n_replicas: int, spill_at: int, seed: int) -> Choose:
    """What sends speeches to replicas. spill_at: requests of a replica from which on its voices go to their next one."""
    return ByWork(n_replicas, seed).choose if routing == "two choices" else ByVoice(n_replicas, spill_at).choose


class ByWork:
    """Power of two choices: of two replicas drawn at random, the one with fewer requests under way (Mitzenmacher 2001)."""

    def __init__(self, n_replicas: int, seed: int):
        self._n_replicas, self._drawn, self._random = n_replicas, [], np.random.default_rng(seed)

    def choose(self, voice: int, depths: Sequence[int]) -> int:
        if self._n_replicas == 1:
            return 0
        if len(self._drawn) < 2:
            self._drawn = self._random.integers(self._n_replicas, size=8192).tolist()
        one, other = self._drawn.pop(), self._drawn.pop()
        return other if depths[other] < depths[one] else one


class ByVoice:
    """Rendezvous as the split shape routes: down the voice's ranking to the first replica with fewer than `spill_at` requests."""

    def __init__(self, n_replicas: int, spill_at: int = SPILL_AT):
        self._spill_at = spill_at
        self._names = [f"replica-{index}" for index in range(n_replicas)]
        self._rankings: dict[int, list[int]] = {}
        self._salts = _mixed(np.arange(1, n_replicas + 1, dtype=np.uint64))

    def choose(self, voice: int, depths: Sequence[int]) -> int:
        ranking = self.ranking(voice)
        first = ranking[0]
        return first if depths[first] < self._spill_at else cascaded(ranking, depths, self._spill_at)[0]

    def ranking(self, voice: int) -> list[int]:
        """The replicas that a voice prefers, KEPT_RANKS of them."""
        if voice not in self._rankings:
            self._rankings[voice] = self._ranked(voice)
        return self._rankings[voice]

    def _ranked(self, voice: int) -> list[int]:
        if len(self._names) <= EXACT_UP_TO:
            return ranked(self._names, str(voice))[:KEPT_RANKS]
        weights = _mixed(self._salts ^ _mixed(np.array([voice + 1], np.uint64)))
        best = np.argpartition(weights, KEPT_RANKS)[:KEPT_RANKS] if len(weights) > KEPT_RANKS else np.arange(len(weights))
        return best[np.argsort(weights[best])].tolist()


def _mixed(numbers: np.ndarray) -> np.ndarray:
    """(N,) uint64 -> (N,) uint64 that look random, each of its own number."""
    state = numbers * MIX[0]
    state = (state ^ (state >> np.uint64(30))) * MIX[1]
    state = (state ^ (state >> np.uint64(27))) * MIX[2]
    return state ^ (state >> np.uint64(31))
