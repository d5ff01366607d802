"""Power of right answers, exact: how often so many of people who hear alike rule out chance.

What a plan can find out, with listeners and texts that differ in taste, is told by studio/listening/planning/.
"""

from studio.listening.statistics.proportions import critical_one_sided

__all__ = ["CLEAR", "abx_power"]

CLEAR = 0.75  # a difference that is heard 3 times in 4


def abx_power(n: int, share: float, alpha: float = 0.05) -> float:
    """Of n questions, of which each is answered right with probability `share`: how often chance is ruled out, one-sided."""
    from scipy.special import bdtrc

    needed = critical_one_sided(n, alpha)
    return float(bdtrc(needed - 1, n, share)) if needed else 0.0
