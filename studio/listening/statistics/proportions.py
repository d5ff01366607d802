"""Proportions: exact binomial tests and intervals, for right answers and for preferences."""

from dataclasses import dataclass

__all__ = ["SignTest", "clopper_pearson", "critical_one_sided", "critical_two_sided", "one_sided", "sign_test", "two_sided"]

LEVEL = 0.95
ALPHA = 0.05


@dataclass(frozen=True)
class SignTest:
    """wins, losses: what was counted; ties: what was dropped. p: two-sided."""

    wins: int
    losses: int
    ties: int
    p: float


def one_sided(k: int, n: int, chance: float = 0.5) -> float:
    """P(X >= k) of n questions that are answered right with probability `chance`."""
    from scipy.special import bdtrc

    return float(bdtrc(k - 1, n, chance)) if k > 0 else 1.0


def two_sided(k: int, n: int) -> float:
    """Of k in n against one half: the smaller tail twice, at most 1."""
    return min(1.0, 2 * one_sided(max(k, n - k), n))


def clopper_pearson(k: float, n: int, level: float = LEVEL) -> tuple[float, float]:
    """Exact interval of a proportion (Clopper & Pearson 1934), by quantiles of the beta distribution; 0 to 1 where n is 0.

    k: may be a half, of votes of which a tie counts half.
    """
    from scipy.special import betaincinv

    tail = (1 - level) / 2
    low = float(betaincinv(k, n - k + 1, tail)) if k > 0 else 0.0
    high = float(betaincinv(k + 1, n - k, 1 - tail)) if k < n else 1.0
    return low, high


def sign_test(scores: list[float]) -> SignTest:
    """Of preferences: 1 for, 0 against, 0.5 for neither. Ties are dropped, and counted."""
    wins = sum(score > 0.5 for score in scores)
    losses = sum(score < 0.5 for score in scores)
    return SignTest(wins, losses, len(scores) - wins - losses, two_sided(wins, wins + losses))


def critical_one_sided(n: int, alpha: float = ALPHA) -> int | None:
    """The fewest right answers in n that chance alone reaches with probability alpha at most; None where even n is too few."""
    import numpy as np
    from scipy.special import bdtrc

    enough = np.flatnonzero(bdtrc(np.arange(n), n, 0.5) <= alpha)  # P(X >= k) for k = 1 to n
    return int(enough[0]) + 1 if len(enough) else None


def critical_two_sided(n: int, alpha: float = ALPHA) -> int | None:
    """The fewest of n votes that make a majority which chance reaches, to either side, with probability alpha at most."""
    return critical_one_sided(n, alpha / 2)
