"""Strengths: a ranking of systems from who was preferred to whom (Bradley & Terry 1952), fitted by MM (Hunter 2004, equation 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.listening.statistics.bootstrap import N_RESAMPLES

if TYPE_CHECKING:
    import numpy as np

__all__ = ["STEADY_VOTES", "Strengths", "are_linked", "bradley_terry", "fit_strengths"]

POINTS = 400 / math.log(10)  # of one natural logarithm: Elo's scale
PRIOR_GAMES = 2.0  # of every system against an average one, one of them won: 3 to 0 is no infinity
STEADY_VOTES = 30  # for each pair
CLOSE = 1e-9  # logarithms of strengths that change by less are found
CLOSE_RESAMPLED = 1e-4
MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class Strengths:
    """points: (S,) float64, their mean 0; low, high: 95 % ranges, NaN with one listener alone. ranks: equal where ranges overlap."""

    points: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def ranks(self) -> tuple[int, ...]:
        """1 is best: as many ahead of one as have ranges wholly above its own."""
        return tuple(1 + int((self.low > high).sum()) for high in self.high)


def bradley_terry(wins: np.ndarray, rng: np.random.Generator, n_resamples: int = N_RESAMPLES) -> Strengths:
    """With ranges by resampling whole listeners.

    wins: (L, S, S) float64, how often each preferred the row to the column; ties count half for each.
    """
    import numpy as np

    points = fit_strengths(wins.sum(axis=0))
    if len(wins) < 2:
        return Strengths(points, np.full_like(points, np.nan), np.full_like(points, np.nan))
    chosen = rng.multinomial(len(wins), np.full(len(wins), 1 / len(wins)), n_resamples).astype(float)
    resampled = (chosen @ wins.reshape(len(wins), -1)).reshape(n_resamples, *wins.shape[1:])
    low, high = np.quantile(fit_strengths(resampled, close=CLOSE_RESAMPLED, start=points), [0.025, 0.975], axis=0)
    return Strengths(points, low, high)


def fit_strengths(wins: np.ndarray, *, prior: float = PRIOR_GAMES, close: float = CLOSE, start: np.ndarray | None = None) -> np.ndarray:
    """Points of the most likely strengths, their mean 0. wins: (..., S, S) float64; returns (..., S). start: (S,) points to begin from.

    prior: virtual games of each system; 0 needs that no group of systems won all or lost all of its games with the rest.
    """
    import numpy as np

    games = wins + np.swapaxes(wins, -1, -2)
    won = wins.sum(axis=-1) + prior / 2
    strengths = np.ones(won.shape) if start is None else np.broadcast_to(np.exp(start / POINTS), won.shape).copy()
    for _ in range(MOST_ITERATIONS):
        expected = (games / (strengths[..., :, None] + strengths[..., None, :])).sum(axis=-1) + prior / (strengths + 1.0)
        found = won / expected
        change = np.abs(np.log(found / strengths)).max()
        strengths = found
        if change < close:
            break
    logs = np.log(strengths)
    return POINTS * (logs - logs.mean(axis=-1, keepdims=True))


def are_linked(wins: np.ndarray) -> bool:
    """Whether votes lead from each system to each other one. wins: (S, S)."""
    import numpy as np

    beside = (wins + wins.T > 0) | np.eye(len(wins), dtype=bool)
    reached = np.linalg.matrix_power(beside.astype(int), max(len(wins) - 1, 1)) if len(wins) else beside
    return bool((reached > 0).all())
