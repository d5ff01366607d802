"""Crossed effects: how sure a mean is, when listeners and texts are both a sample. There is one variance for each, and one for the rest.

Components by differences of sums of squares (Henderson's method III; of whole cubes the usual analysis of variance), degrees of freedom
by Satterthwaite 1946. What listeners or texts do not show to explain (F test at 25 %, Bancroft 1964, "some recently developed aspects of
preliminary tests") is pooled with the rest. `studio/measure/listening_tests.py` measures how often such a range holds the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["MeanError", "mean_error"]

LEVEL = 0.95
POOLED_ABOVE = 0.25  # p of the F test
ROUNDING = 1 / 12  # variance that a scale of steps of 1 hides (Sheppard)


@dataclass(frozen=True)
class MeanError:
    """half_width: of the 95 % range around the mean; None where one cell alone is known. p: of a mean of 0, two-sided, else 1. n: cells."""

    n: int
    mean: float | None
    half_width: float | None
    p: float

    @property
    def known_mean(self) -> float:
        """The mean, where one cell is known at least."""
        assert self.mean is not None
        return self.mean


@dataclass(frozen=True)
class _SquareSum:
    """Of one factor, the other one taken away first. size: variance of the mean for one of its component's."""

    squares: float
    df: int
    share: float

    @property
    def mean(self) -> float:
        return self.squares / self.df if self.df else 0.0


def mean_error(cells: np.ndarray, step: float = 0.0) -> MeanError:
    """Of the mean of cells (L, T) float64, NaN is missing. step: of the scale, or of a difference the root of 2 times it; 0: unknown."""
    import numpy as np

    known = ~np.isnan(cells)
    cells, known = cells[known.any(axis=1)][:, known.any(axis=0)], known[known.any(axis=1)][:, known.any(axis=0)]
    n = int(known.sum())
    if n < 2:
        return MeanError(n, float(cells[known][0]) if n else None, None, 1.0)
    mean = float(cells[known].mean())
    factors, rest, rest_df = _sums_of_squares(np.where(known, cells - mean, 0.0), known)
    variance, df = _variance_of_mean(factors, rest, rest_df, n)
    return _with_range(n, mean, max(variance, ROUNDING * step**2 / n), max(df, 1.0))


def _with_range(n: int, mean: float, variance: float, df: float) -> MeanError:
    from scipy.special import stdtr, stdtrit

    deviation = variance**0.5
    if deviation == 0:
        return MeanError(n, mean, 0.0, 1.0 if mean == 0 else 0.0)
    half_width = float(stdtrit(df, (1 + LEVEL) / 2)) * deviation
    return MeanError(n, mean, half_width, float(2 * stdtr(df, -abs(mean) / deviation)))


def _sums_of_squares(deviations: np.ndarray, known: np.ndarray) -> tuple[tuple[_SquareSum, _SquareSum], float, int]:
    """Of listeners and of texts, and of the rest with its degrees of freedom. deviations: (L, T), 0 where not known."""
    import numpy as np

    n_of_listener, n_of_text = known.sum(axis=1), known.sum(axis=0)
    of_listeners, of_texts = deviations.sum(axis=1), deviations.sum(axis=0)
    # Least squares of listener + text: listeners are put in, which leaves one equation for each text.
    shared = known / n_of_listener[:, None]
    texts, _, rank, _ = np.linalg.lstsq(np.diag(n_of_text) - known.T @ shared, of_texts - of_listeners @ shared, rcond=1e-9)
    listeners = (of_listeners - known @ texts) / n_of_listener
    total = float((deviations**2).sum())
    rest = max(total - float(listeners @ of_listeners + texts @ of_texts), 0.0)
    rest = 0.0 if rest < 1e-12 * total else rest
    n, n_effects = int(known.sum()), len(listeners) + int(rank)
    without_listeners = total - float((of_texts**2 / n_of_text).sum())
    without_texts = total - float((of_listeners**2 / n_of_listener).sum())
    sums = []
    for without, count, others in ((without_listeners, n_of_listener, n_of_text), (without_texts, n_of_text, n_of_listener)):
        df = n_effects - len(others)
        # The component is in its mean square (n - others) / df times, and in the variance of the mean sum(count^2) / n^2 times.
        share = float((count**2).sum()) / n**2 * df / (n - len(others)) if df else 0.0
        sums.append(_SquareSum(max(without - rest, 0.0), df, share))
    return (sums[0], sums[1]), rest, n - n_effects


def _variance_of_mean(factors: tuple[_SquareSum, ...], rest: float, rest_df: int, n: int) -> tuple[float, float]:
    """With its degrees of freedom."""
    shown = [factor for factor in factors if _shows(factor, rest, rest_df)]
    pooled = [factor for factor in factors if factor not in shown]
    rest, rest_df = rest + sum(factor.squares for factor in pooled), rest_df + sum(factor.df for factor in pooled)
    rest_mean = rest / rest_df if rest_df else 0.0
    shown = [factor for factor in shown if factor.mean > rest_mean]
    parts = [(factor.share * factor.mean, factor.df) for factor in shown]
    parts.append(((1 / n - sum(factor.share for factor in shown)) * rest_mean, rest_df))
    variance = sum(part for part, _ in parts)
    spread = sum(part**2 / df for part, df in parts if df)
    return variance, variance**2 / spread if spread else float(n - 1)


def _shows(factor: _SquareSum, rest: float, rest_df: int) -> bool:
    from scipy.special import fdtrc

    if not factor.df or not rest_df or not factor.squares:
        return False
    return rest == 0 or float(fdtrc(factor.df, rest_df, factor.mean * rest_df / rest)) < POOLED_ABOVE
