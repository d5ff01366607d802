"""Differences: compares every two systems of a rating test or of CMOS, in paired cells."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from studio.listening.statistics.ballot import Ballot
from studio.listening.statistics.findings import PairFinding
from studio.listening.statistics.permutation import holm, sign_flip, wilcoxon
from studio.listening.statistics.proportions import ALPHA, clopper_pearson
from studio.listening.statistics.ranges import MeanRange, ranges_of

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Pair", "ahead_of", "compared_pairs", "listeners_means"]

Pair = tuple[str, str]


def compared_pairs(
    differences: Mapping[Pair, np.ndarray], ballot: Ballot, most: float
) -> tuple[tuple[PairFinding, ...], dict[Pair, MeanRange]]:
    """Findings and ranges of pairs. differences: (L, T) float64 of each, NaN is missing. most: the largest there can be.

    Tests of sign-flip and Wilcoxon allow for other listeners; ranges allow for other texts too, and decide what is called clear.
    """
    import numpy as np

    if not differences:
        return (), {}
    step = 1.0 if ballot.method == "cmos" else 2**0.5  # a difference of two ratings has the rounding of both
    ranges = ranges_of(np.stack(list(differences.values())), ballot.rng(), step=step, ends=(-most, most))
    rng = ballot.rng()
    ps = [sign_flip(cells, rng) for cells in differences.values()]
    pairs = []
    for (pair, cells), found, p, p_holm in zip(differences.items(), ranges, ps, holm(ps), strict=True):
        known = cells[~np.isnan(cells)]
        ties, n = int((known == 0).sum()), len(known)
        wins = int((known > 0).sum()) + ties / 2
        low, high = clopper_pearson(wins, n)
        pairs.append(
            PairFinding(
                *pair,
                n,
                "sign-flip",
                p,
                p_holm,
                wins=wins,
                ties=ties,
                share=wins / n if n else None,
                share_low=low,
                share_high=high,
                difference=found.mean,
                low=found.low,
                high=found.high,
                p_wilcoxon=wilcoxon(listeners_means(cells)),
            )
        )
    return tuple(pairs), dict(zip(differences, ranges, strict=True))


def ahead_of(ranges: Mapping[Pair, MeanRange]) -> frozenset[Pair]:
    """(better, worse) of pairs whose range lies to one side of 0, and is clear enough with all pairs counted (Holm)."""
    corrected = holm([found.p for found in ranges.values()])
    clear = ((pair, found) for (pair, found), p in zip(ranges.items(), corrected, strict=True) if found.is_apart and p < ALPHA)
    return frozenset(pair if found.known_mean > 0 else (pair[1], pair[0]) for pair, found in clear)


def listeners_means(cells: np.ndarray) -> np.ndarray:
    """(L,) float64 of cells (L, T), over what each listener said; NaN of who said nothing."""
    import numpy as np

    known = ~np.isnan(cells)
    with np.errstate(invalid="ignore"):
        return np.where(known, cells, 0.0).sum(axis=1) / known.sum(axis=1)
