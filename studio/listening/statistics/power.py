"""Power of counted votes, exact: how often so many right answers, or preferences, rule out chance.

What a plan can find out, with listeners and texts that differ in taste, is told by studio/listening/planning/.
"""

from studio.listening.statistics.proportions import critical_one_sided, critical_two_sided

__all__ = ["CLEAR", "ab_power", "abx_power", "preference_power"]

CLEAR = 0.75  # a difference that is heard 3 times in 4
# Of votes, what findings make of them: with crossed effects beside it, a sign test finds as much as alone with so many, where nobody has
# tastes. 600 tests each: of 75 to 25, 5 x 7 votes find it in 67 % (promised 65), 5 x 10 in 84 (82), 3 x 20, whose listeners are few, in
# 73 (90); of 65 to 35, 10 x 10 in 72 (65), 8 x 20 in 90 (86).
CONFIRMED = 2 / 3


def abx_power(n: int, share: float, alpha: float = 0.05) -> float:
    """Of n questions, of which each is answered right with probability `share`: how often chance is ruled out, one-sided."""
    from scipy.special import bdtrc

    needed = critical_one_sided(n, alpha)
    return float(bdtrc(needed - 1, n, share)) if needed else 0.0


def ab_power(n: int, share: float, alpha: float = 0.05) -> float:
    """Of n votes that prefer one with probability `share`: how often the sign test, two-sided, says so."""
    from scipy.special import bdtr, bdtrc

    needed = critical_two_sided(n, alpha)
    return float(bdtrc(needed - 1, n, share) + bdtr(n - needed, n, share)) if needed else 0.0


def preference_power(n: int, share: float) -> float:
    """Of n votes that prefer one with probability `share`, over several listeners and texts: about how often findings say so."""
    return ab_power(int(CONFIRMED * n), share)
