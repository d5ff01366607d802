"""Ranges: 95 % intervals of means and of differences. The two-way bootstrap gives their shape, crossed effects their width.

Measured by `python -m studio.measure.listening_tests`, with 5 x 10 to 30 x 20 listeners and texts: percentiles of the bootstrap alone hold
the truth of a difference 92 to 100 % of the time, of a mean 90 to 96 %; ranges of this width 93 to 97 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from studio.listening.statistics.bootstrap import N_RESAMPLES, percentile_interval, resampled_means
from studio.listening.statistics.crossed import mean_error

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MeanRange", "ranges_of"]


@dataclass(frozen=True)
class MeanRange:
    """n: cells that the mean is of. low, high: None below two cells. p: of a mean of 0, two-sided; 1 where nothing is known."""

    n: int
    mean: float | None
    low: float | None
    high: float | None
    p: float

    @property
    def known_mean(self) -> float:
        """The mean, where there is a cell."""
        assert self.mean is not None
        return self.mean

    @property
    def is_apart(self) -> bool:
        """Whether 0 lies outside."""
        return self.low is not None and self.high is not None and not self.low <= 0 <= self.high

    @property
    def farthest(self) -> float:
        """From 0, inside the range."""
        return max(abs(self.low or 0.0), abs(self.high or 0.0))


def ranges_of(
    cells: np.ndarray, rng: np.random.Generator, *, step: float, ends: tuple[float, float], n_resamples: int = N_RESAMPLES
) -> tuple[MeanRange, ...]:
    """Of each of the first axis. cells: (K, L, T) float64, NaN is missing; returns K.

    step: of the scale, as mean_error() has it. ends: of the scale, or of its differences; no range goes beyond.
    """
    if not len(cells) or not cells.size:
        return ()
    resampled = percentile_interval(resampled_means(cells, rng, n_resamples))
    found = []
    for kind, lowest, highest in zip(cells, *resampled, strict=True):
        error = mean_error(kind, step)
        if error.half_width is None:
            found.append(MeanRange(error.n, error.mean, None, None, 1.0))
            continue
        # How much of the width lies below the mean; halves where resampling changed nothing.
        below = (error.known_mean - lowest) / (highest - lowest) if highest > lowest else 0.5
        low = max(error.known_mean - 2 * error.half_width * below, ends[0])
        high = min(error.known_mean + 2 * error.half_width * (1 - below), ends[1])
        found.append(MeanRange(error.n, error.mean, float(low), float(high), error.p))
    return tuple(found)
