"""joint: many comparisons judged together, so that of systems that are alike an evaluation calls any better in at most 5 of 100.

Of one figure all pairs are counted by Tukey's range (studio/crossed/together.py), and figures by Holm 1979 ("A simple sequentially
rejective multiple test procedure") on top: the smallest p is multiplied by the number of figures, and one figure less is counted once
all its pairs are beyond chance. What follows the first that is not is counted as it is, so that every p and its range agree.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

from studio.crossed.together import ALPHA, Family

__all__ = ["Counted", "joint"]


class Counted(NamedTuple):
    """p_all: with all counted, below ALPHA of what is beyond chance. level: what p of this one alone has to be below for that."""

    p_all: float
    level: float


def joint(alone: Mapping[str, Sequence[float]], family: Family, share: float = 1.0) -> dict[str, list[Counted]]:
    """alone: figure -> two-sided p of its pairs, each by itself. family: of the pairs of one figure. share: of the 5 of 100 that these
    comparisons may spend, where others are judged beside them."""
    of_figure = {figure: [family.p(p) for p in ps] for figure, ps in alone.items()}
    order = sorted((p, figure, place) for figure, ps in of_figure.items() for place, p in enumerate(ps))
    left = {figure: len(ps) for figure, ps in of_figure.items() if ps}
    counted: dict[str, list[Counted]] = {figure: [Counted(1.0, 0.0)] * len(ps) for figure, ps in of_figure.items()}
    highest, is_over = 0.0, False
    for p, figure, place in order:
        n_left = len(left)
        highest = min(1.0, max(highest, n_left * p / share))
        counted[figure][place] = Counted(highest, _alone(family, share * ALPHA / n_left))
        is_over = is_over or highest >= ALPHA
        left[figure] -= not is_over
        if not left[figure]:
            del left[figure]
    return counted


@cache
def _alone(family: Family, level: float) -> float:
    """The p of one pair alone of which the family's is `level`, by halving: the one grows with the other."""
    low, high = 0.0, level
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if family.p(middle) < level else (low, middle)
    return low
