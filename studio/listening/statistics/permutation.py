"""Permutation tests, which assume nothing but symmetry, and the correction for several tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

__all__ = ["friedman", "holm", "least_sign_flip", "sign_flip", "wilcoxon"]

MOST_EXACT = 15  # listeners: all ways to flip them are gone through (one half, which the other mirrors); beyond, they are drawn
MOST_EXACT_RANKS = 50
NEARLY = 1e-9  # sums of the same numbers in another order may differ so much


def sign_flip(differences: np.ndarray, rng: np.random.Generator, n_flips: int = 2000) -> float:
    """Two-sided p of a mean of 0, by flipping the sign of whole listeners (Fisher 1935).

    Where flips are drawn, p is (1 + b) / (1 + m) (Phipson & Smyth 2010).
    differences: (L,) or (L, T) float64, NaN is missing: what a listener says of all texts flips together. 1 where there is nothing.
    """
    import numpy as np

    differences = differences.reshape(len(differences), -1)
    known = ~np.isnan(differences)
    sums = np.where(known, differences, 0.0).sum(axis=1)[known.any(axis=1)]
    if not len(sums) or not np.any(sums):
        return 1.0
    seen = abs(sums.sum()) - NEARLY * np.abs(sums).sum()
    if len(sums) <= MOST_EXACT:
        signs = 1 - 2 * (np.arange(2 ** (len(sums) - 1))[:, None] >> np.arange(len(sums)) & 1)
        return float(np.mean(np.abs(signs @ sums) >= seen))
    signs = rng.integers(0, 2, (n_flips, len(sums))) * 2 - 1
    return float((1 + np.sum(np.abs(signs @ sums) >= seen)) / (1 + n_flips))


def least_sign_flip(n_listeners: int) -> float:
    """The smallest p that `sign_flip` can come to: all one way, or all the other."""
    return 2.0 ** (1 - n_listeners)


def wilcoxon(differences: np.ndarray) -> float | None:
    """Two-sided p of the signed-rank test over listeners' means (Wilcoxon 1945). differences: (L,) float64, NaN is missing.

    None where all are 0. Exact up to 50 listeners; where some are equal, up to MOST_EXACT, which SciPy takes half a second for.
    """
    import numpy as np
    from scipy.stats import rankdata
    from scipy.stats import wilcoxon as signed_rank

    differences = differences[~np.isnan(differences) & (differences != 0)]
    if not len(differences):
        return None
    ranks = rankdata(np.abs(differences))
    is_tied = len(np.unique(ranks)) < len(ranks)
    if is_tied and len(ranks) <= MOST_EXACT:
        return sign_flip(np.copysign(ranks, differences), np.random.default_rng(0))
    found = signed_rank(differences, method="asymptotic" if is_tied or len(ranks) > MOST_EXACT_RANKS else "exact")
    return float(found.pvalue)  # pyright: ignore[reportAttributeAccessIssue]  # SciPy wraps the test in a decorator without types


def friedman(means: np.ndarray) -> float | None:
    """p of no difference among systems (Friedman 1937). means: (S, L) float64 of listeners' means, NaN is missing.

    None below 3 systems or 2 listeners who rated them all, or where they are all alike.
    """
    import numpy as np

    means = means[:, ~np.isnan(means).any(axis=0)]
    if means.shape[0] < 3 or means.shape[1] < 2 or np.all(means == means[0]):
        return None
    from scipy.stats import friedmanchisquare

    return float(friedmanchisquare(*means).pvalue)


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Corrected for all being tested together (Holm 1979), in the order given."""
    order = sorted(range(len(ps)), key=lambda number: ps[number])
    corrected, least = [1.0] * len(ps), 0.0
    for rank, number in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[number]))
        corrected[number] = least
    return tuple(corrected)
