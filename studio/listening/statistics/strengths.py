"""Strengths: a ranking of systems from pairwise preferences (Bradley & Terry 1952), fitted by MM (Hunter 2004, equation 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.crossed.together import ALPHA
from studio.listening.statistics.proportions import holm

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "LOOKED_AT_ALPHA",
    "N_RESAMPLES",
    "STEADY_VOTES",
    "Strengths",
    "are_linked",
    "bradley_terry",
    "fit_strengths",
    "votes_strengths",
]

N_RESAMPLES = 2000
POINTS = 400 / math.log(10)  # of one natural logarithm: Elo's scale
PRIOR_GAMES = 2.0  # of every system against an average one, one of them won: 3 to 0 is no infinity
QUANTILE = 1.959964  # of the normal distribution, at 0.975
LOOKED_AT_ALPHA = 0.005  # of two alike systems, looked at after each of 300 votes, one is ever ahead in 4.2 % of runs; at 0.05 in 36 %.
# Of five, looked at 40 times while 40 voters with tastes (SD 0.5 logits) vote, in 4.5 % of 200 runs and none of 120; at 0.05 in 21 %.
LEAST_ERROR = 1e-6  # points, where all listeners said the same
STEADY_VOTES = 30  # for each pair
CLOSE = 1e-9  # logarithms of strengths that change by less are found
CLOSE_ENOUGH = 1e-6  # for a table: less than a tenth of a point from where they come to rest
CLOSE_RESAMPLED = 1e-4
LEAST_LISTENERS = 1.5  # of equal weight: below, nothing tells how much they differ
MOST_ITERATIONS = 10_000


@dataclass(frozen=True, eq=False)
class Strengths:
    """points: (S,) float64, their mean 0; low, high: 95 % ranges, NaN with one listener alone. ahead: (S, S) bool, the row of the column:
    their ranges do not overlap, and with all pairs counted (Holm) their difference is no chance."""

    points: np.ndarray
    low: np.ndarray
    high: np.ndarray
    ahead: np.ndarray


def bradley_terry(wins: np.ndarray, rng: np.random.Generator, n_resamples: int = N_RESAMPLES, alpha: float = ALPHA) -> Strengths:
    """With ranges by resampling whole listeners.

    A bootstrap of few is too narrow: it is widened by the root of L / (L - 1), and by Student's t in place of the normal distribution.
    L is how many listeners of equal weight would say as much (Kish 1965): one of many votes makes up for no others.
    Listeners who all say the same leave it no width: it is never narrower than if each vote were one of its own.
    wins: (L, S, S) float64, how often each preferred the row to the column; ties count half for each. alpha: of `ahead`.
    """
    import numpy as np
    from scipy.special import ndtr, stdtr, stdtrit

    n_listeners, n_systems, _ = wins.shape
    points, weights = fit_strengths(wins.sum(axis=0)), wins.sum(axis=(1, 2))
    n_equal = float(weights.sum() ** 2 / (weights**2).sum()) if weights.any() else 0.0
    if n_equal < LEAST_LISTENERS:
        unknown = np.full_like(points, np.nan)
        return Strengths(points, unknown, unknown, np.zeros((n_systems, n_systems), bool))
    chosen = rng.multinomial(n_listeners, np.full(n_listeners, 1 / n_listeners), n_resamples).astype(float)
    resampled = (chosen @ wins.reshape(n_listeners, -1)).reshape(n_resamples, n_systems, n_systems)
    deviations = (fit_strengths(resampled, close=CLOSE_RESAMPLED, start=points) - points) * (n_equal / (n_equal - 1)) ** 0.5
    wider = float(stdtrit(n_equal - 1, 0.975)) / QUANTILE
    covariance = _covariance(points, wins.sum(axis=0))
    variances = np.diag(covariance)
    low, high = points + wider * np.quantile(deviations, [0.025, 0.975], axis=0)
    low, high = np.minimum(low, points - QUANTILE * variances**0.5), np.maximum(high, points + QUANTILE * variances**0.5)
    first, second = np.triu_indices(n_systems, 1)
    least = variances[first] + variances[second] - 2 * covariance[first, second]
    gaps = np.abs(points[first] - points[second])
    errors = np.maximum((deviations[:, first] - deviations[:, second]).std(axis=0), LEAST_ERROR)
    ps = 2 * np.maximum(stdtr(n_equal - 1, -gaps / errors), ndtr(-gaps / least**0.5))
    clear = np.zeros((n_systems, n_systems), bool)
    clear[first, second] = clear[second, first] = np.array(holm(ps)) < alpha
    return Strengths(points, low, high, clear & (low[:, None] > high))


def votes_strengths(wins: np.ndarray) -> Strengths:
    """Of votes that are each one of its own, as of one person on many texts, with ranges from the curvature of the likelihood.

    Wald's: points are asymptotically normal, with the inverse of the observed information as their covariance (Bradley 1984, "Paired
    comparisons", Handbook of Statistics 4, 14.4). The prior is in both, so a system without votes has a wide range and not an endless one.
    Ties as halves lean both to the middle: where Davidson's model (1970) has a fifth to a third of them, a range holds the true strength
    in 93 % of sets and not in 95.
    Who votes looks after each vote, and stops when it pleases: `ahead` allows for it by LOOKED_AT_ALPHA in place of ALPHA.
    wins: (S, S) float64, how often the row was preferred to the column; ties count half for each.
    """
    import numpy as np
    from scipy.special import ndtr

    points = fit_strengths(wins, close=CLOSE_ENOUGH)
    covariance = _covariance(points, wins)
    variances = np.diag(covariance)
    reach = QUANTILE * variances**0.5
    first, second = np.triu_indices(len(points), 1)
    errors = (variances[first] + variances[second] - 2 * covariance[first, second]) ** 0.5
    ps = 2 * ndtr(-np.abs(points[first] - points[second]) / errors)
    clear = np.zeros(covariance.shape, bool)
    clear[first, second] = clear[second, first] = np.array(holm(ps)) < LOOKED_AT_ALPHA
    low, high = points - reach, points + reach
    return Strengths(points, low, high, clear & (low[:, None] > high))


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


def _covariance(points: np.ndarray, wins: np.ndarray) -> np.ndarray:
    """(S, S) of points, from the curvature of the likelihood, around their mean. points: (S,); wins: (S, S)."""
    import numpy as np

    won = 1 / (1 + np.exp((points[None, :] - points[:, None]) / POINTS))
    information = (wins + wins.T) * won * (1 - won)
    curvature = np.diag(information.sum(axis=1) + PRIOR_GAMES / 4) - information
    centerd = np.eye(len(points)) - 1 / len(points)
    return POINTS**2 * centerd @ np.linalg.inv(curvature) @ centerd


def are_linked(wins: np.ndarray) -> bool:
    """Whether votes lead from each system to each other one. wins: (S, S)."""
    import numpy as np

    beside = (wins + wins.T > 0) | np.eye(len(wins), dtype=bool)
    reached = np.linalg.matrix_power(beside.astype(int), max(len(wins) - 1, 1)) if len(wins) else beside
    return bool((reached > 0).all())
