"""FigureEstimate: a mean, or a difference of two systems, of one figure: value, range and p. Also the floors below which nobody is sure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.crossed.crossed_model import Contrast
from studio.crossed.ranges import ROUNDING
from studio.crossed.together import ALPHA
from studio.evaluations.plan.figures import FigureKind
from studio.evaluations.statistics.cell_table import CellValue, differences, scores
from studio.evaluations.statistics.crossed_mean import Score, crossed_mean, floored_to

__all__ = ["FigureEstimate", "counts_words", "estimated_difference", "estimated_mean"]

# Wrong words of which none was found: of a Poisson count of 0 up to 3.69 are in its 95 % range (Garwood 1936), which is 1.96 times the root
# of this one.
LEAST_COUNT = 3.54
WORDS_AT_ONCE = 3.0  # wrong words of a sound that has any, as where one text fails: they count as one
OCTAVE_STEP = 0.01  # of figures that are compared by factors: none is surer than this for each cell
MOST_OCTAVES = 20.0  # ends of factors lie within a million times: where so little is known, more says no more
HUNDRED = 100.0


@dataclass(frozen=True)
class FigureEstimate:
    """value: in the figure's unit; of figures that are compared by factors log2. found: None where there is one cell. n: cells."""

    value: float
    n: int
    found: Contrast | None
    kind: FigureKind
    is_difference: bool = False

    @property
    def p(self) -> float:
        """Of no difference; 1 where nothing is known."""
        from scipy.special import stdtr

        if self.found is None or not self.value:
            return 1.0
        return float(2 * stdtr(self.found.df, -abs(self.found.estimate) / self.found.error))

    def around(self, alpha: float = ALPHA) -> tuple[float, float] | tuple[None, None]:
        """The range that leaves out alpha, within the ends of the figure, in its unit; of factors no log2. None where nothing is known."""
        from scipy.special import stdtrit

        if self.found is None:
            return None, None
        if not self.is_difference and counts_words(self.kind):
            return _around_rate(self.found, alpha)
        half = float(stdtrit(self.found.df, 1 - alpha / 2)) * self.found.error
        low, high = self.value - half, self.value + half
        if self.kind.is_ratio:
            return 2.0 ** max(low, -MOST_OCTAVES), 2.0 ** min(high, MOST_OCTAVES)
        least, most = self.kind.ends
        if self.is_difference:
            least, most = least - most, most - least
        return max(low, least), min(high, most)


def counts_words(kind: FigureKind) -> bool:
    """Whether it is a rate of words."""
    return kind.name == "wrong_words"


def estimated_mean(cells: Sequence[CellValue], kind: FigureKind) -> FigureEstimate:
    """cells: of one system, one at least."""
    values = scores(cells)
    found = crossed_mean([Score(*cell[:3], value) for cell, value in zip(cells, values, strict=True)])
    n_words = sum(cell.weight for cell in cells)
    if found is not None:
        errors = sum(cell.value * cell.weight for cell in cells) / HUNDRED
        found = floored_to(found, _least_variance(kind, len(cells), errors, n_words))
    return FigureEstimate(sum(values) / len(values), len(cells), found, kind)


def estimated_difference(
    cells: Sequence[CellValue], others: Sequence[CellValue], kind: FigureKind, *, of_these_voices: bool = False
) -> FigureEstimate | None:
    """Of the first less the second over the cells that both have; None where there is none. of_these_voices: for other texts, in the same
    voices."""
    both = differences(cells, others)
    if not both:
        return None
    found = crossed_mean([Score(*cell[:4]) for cell in both], of_these_voices=of_these_voices)
    if found is not None:
        # What both say wrong in one place, such as what a recognizer never hears right, tells nothing of a difference.
        n_words = sum(cell.weight for cell in both)
        errors = sum(abs(cell.value) for cell in both) / len(both) * n_words / HUNDRED
        found = floored_to(found, _least_variance(kind, len(both) / 2, errors, n_words))
    return FigureEstimate(sum(cell.value for cell in both) / len(both), len(both), found, kind, is_difference=True)


def _least_variance(kind: FigureKind, n: float, errors: float, n_words: float) -> float:
    """Of a mean of n cells: what the last decimal hides; of wrong words what chance does to as few (Poisson)."""
    if counts_words(kind):
        return HUNDRED**2 * max(errors, LEAST_COUNT) / max(n_words, 1.0) ** 2
    step = OCTAVE_STEP if kind.is_ratio else 10.0**-kind.decimals
    return ROUNDING * step**2 / n


def _around_rate(found: Contrast, alpha: float) -> tuple[float, float]:
    """Of wrong words in a hundred: the range of a Poisson count that is as sure (Fay & Feuer 1997, "Confidence intervals for directly
    standardized rates"), which is never below 0 and longer above, with the degrees of freedom allowed for."""
    from scipy.special import gammaincinv, ndtri, stdtrit

    normal = -float(ndtri(alpha / 2))
    rate, error = found.estimate / HUNDRED, found.error / HUNDRED
    if rate <= 0:
        exposure = LEAST_COUNT**0.5 / error / WORDS_AT_ONCE  # the floor of the variance is of as many words
        return 0.0, HUNDRED * float(gammaincinv(1.0, 1 - alpha / 2)) / exposure
    error *= float(stdtrit(found.df, 1 - alpha / 2)) / normal
    count = (rate / error) ** 2
    exposure = count / rate
    low = float(gammaincinv(count, alpha / 2)) / exposure
    return HUNDRED * low, HUNDRED * float(gammaincinv(count + 1, 1 - alpha / 2)) / exposure
