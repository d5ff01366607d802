"""Proportions: exact binomial tests of right answers and of preferences, and the correction for several tests."""

from collections.abc import Sequence

from studio.crossed.together import ALPHA

__all__ = ["critical_one_sided", "holm", "one_sided", "two_sided"]


def one_sided(k: int, n: int, chance: float = 0.5) -> float:
    """P(X >= k) of n questions that are answered right with probability `chance`."""
    from scipy.special import bdtrc

    return float(bdtrc(k - 1, n, chance)) if k > 0 else 1.0


def two_sided(k: int, n: int) -> float:
    """Of k in n against one half: the smaller tail twice, at most 1."""
    return min(1.0, 2 * one_sided(max(k, n - k), n))


def critical_one_sided(n: int, alpha: float = ALPHA) -> int | None:
    """The fewest right answers in n that chance alone reaches with probability alpha at most; None where even n is too few."""
    import numpy as np
    from scipy.special import bdtrc

    enough = np.flatnonzero(bdtrc(np.arange(n), n, 0.5) <= alpha)  # P(X >= k) for k = 1 to n
    return int(enough[0]) + 1 if len(enough) else None


def holm(ps: Sequence[float]) -> tuple[float, ...]:
    """Corrected for all being tested together (Holm 1979), in the order given."""
    order = sorted(range(len(ps)), key=lambda number: ps[number])
    corrected, least = [1.0] * len(ps), 0.0
    for rank, number in enumerate(order):
        least = max(least, min(1.0, (len(ps) - rank) * ps[number]))
        corrected[number] = least
    return tuple(corrected)
