"""spread_of_whole_cells: how sure a mean is where every voice says every text: the crossed model in closed form.

There it comes to an analysis of variance, in which variances below 0, and interactions that cells do not show, are pooled with the rest
(Searle, Casella & McCulloch 1992, "Variance components", 4.8). It takes microseconds where a fit takes hundredths of a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING, NamedTuple

from studio.listening.model.crossed_model import USUAL

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Sides", "spread_of_whole_cells"]

Sides = tuple["np.ndarray", "np.ndarray"]  # voices and texts of values: (n,) int each, from 0
LEAST_SQUARES = 1e-9  # of values with a standard deviation of 1: of a rest of none


class _Squares(NamedTuple):
    """A sum of squares, and its degrees of freedom."""

    total: float
    df: int

    @property
    def mean(self) -> float:
        return self.total / self.df


@dataclass(frozen=True)
class _Parts:
    """Of an analysis of variance. sides: of voices, and of texts."""

    sides: tuple[_Squares, _Squares]
    rest: _Squares

    def pooled(self, kept: tuple[int, ...]) -> tuple[tuple[int, ...], _Squares]:
        """Of these sides those with more than the rest, and the rest with all others in it."""
        gone = [self.sides[side] for side in (0, 1) if side not in kept]
        rest = _Squares(self.rest.total + sum(one.total for one in gone), self.rest.df + sum(one.df for one in gone))
        low = [side for side in kept if self.sides[side].mean <= rest.mean]
        if not low:
            return kept, rest
        least = min(low, key=lambda side: self.sides[side].mean)
        return self.pooled(tuple(side for side in kept if side != least))

    def deviance(self, kept: tuple[int, ...]) -> float:
        """-2 log likelihood, without what is the same of all."""
        shown, rest = self.pooled(kept)
        return sum(one.df * log(one.mean) for one in (rest, *(self.sides[side] for side in shown)))

    def chosen(self) -> tuple[int, ...]:
        """Sides whose interactions stay, by the rule of CrossedModel."""
        kept: tuple[int, ...] = (0, 1)
        while kept:
            losses = {side: self.deviance(tuple(other for other in kept if other != side)) - self.deviance(kept) for side in kept}
            least = min(losses, key=lambda side: losses[side])
            if losses[least] >= USUAL.needed(self.sides[least].df):
                break
            kept = tuple(side for side in kept if side != least)
        return kept


def spread_of_whole_cells(values: np.ndarray, sides: Sides) -> tuple[float, float]:
    """Variance of the mean, and its degrees of freedom (Satterthwaite 1946). values: (n,) with a standard deviation of 1, of whole
    cells."""
    parts = _parts(values, sides)
    shown, rest = parts.pooled(parts.chosen())
    # n var(mean) is the sum of the sides' mean squares; where both are in it, the rest is in both, and once too often.
    terms = [parts.sides[side] for side in shown]
    weighted = [(one.mean, one.df) for one in terms] + [((1 - len(shown)) * rest.mean, rest.df)]
    variance = sum(term for term, _ in weighted)
    df = variance**2 / sum(term**2 / degrees for term, degrees in weighted)
    return variance / len(values), min(df, len(values) - 1.0)


def _parts(values: np.ndarray, sides: Sides) -> _Parts:
    import numpy as np

    centered = values - values.mean()
    left, squares = centered, []
    for levels in sides:
        n_of_each = len(values) // (int(levels.max()) + 1)
        effects = np.bincount(levels, centered) / n_of_each
        squares.append(_Squares(max(n_of_each * float(effects @ effects), LEAST_SQUARES), int(levels.max())))
        left = left - effects[levels]
    df = len(values) - 1 - squares[0].df - squares[1].df
    return _Parts((squares[0], squares[1]), _Squares(max(float(left @ left), LEAST_SQUARES), df))
