"""Ranges: how sure a mean, a difference or a share is: 95 % ranges and p, alone and with all pairs counted. One rule makes both agree."""

from __future__ import annotations

from dataclasses import dataclass

from studio.crossed.crossed_model import Contrast
from studio.crossed.together import ALPHA, Family

__all__ = ["ROUNDING", "Judgment", "judged_mean", "judged_share"]

ROUNDING = 1 / 12  # variance that a scale of steps of 1 hides (Sheppard)
HIGH_TAIL = 0.005  # above the range of a share that is asked about from below: with 5 % below, 94.5 % remain

NO_SPREAD = 1e-6  # all said the same, but for rounding
MOST_FOR_ONE = 4  # votes that a vote may be worth: ties, which are of one half, vary less than votes for one of two


@dataclass(frozen=True)
class Judgment:
    """estimate: a mean, a difference, or a share. low, high: its 95 % range, None where too little is known. p: of the value that says
    nothing (0, or one half). low_all, high_all, p_all: with all pairs counted; they decide. p_equal: of a difference beyond the margin,
    with all pairs counted; None without one."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    p: float = 1.0
    low_all: float | None = None
    high_all: float | None = None
    p_all: float = 1.0
    p_equal: float | None = None

    @property
    def known(self) -> float:
        """The estimate, where there is a vote."""
        assert self.estimate is not None
        return self.estimate

    @property
    def is_clear(self) -> bool:
        """Whether it is beyond chance, with all pairs counted."""
        return self.low_all is not None and self.p_all < ALPHA

    @property
    def is_equal(self) -> bool:
        """Whether the difference is certainly below the margin, with all pairs counted."""
        return self.p_equal is not None and self.p_equal < ALPHA

    @property
    def farthest(self) -> float:
        """From 0, inside the range that decides."""
        return max(abs(self.low_all or 0.0), abs(self.high_all or 0.0))


def judged_mean(found: Contrast, family: Family, ends: tuple[float, float], margin: float | None = None) -> Judgment:
    """By Student's t. ends: of the scale, or of its differences; no range goes beyond. margin: below which a difference is called none."""
    from scipy.special import stdtr, stdtrit

    estimate, error, df = found.estimate, found.error, found.df

    def around(alpha: float) -> tuple[float, float]:
        half = float(stdtrit(df, 1 - alpha / 2)) * error
        return min(max(estimate - half, ends[0]), ends[1]), max(min(estimate + half, ends[1]), ends[0])

    p = float(2 * stdtr(df, -abs(estimate) / error)) if error else float(estimate == 0)
    p_equal = None
    if margin is not None:
        room = margin - abs(estimate)
        p_equal = float(stdtr(df, -room / error)) if error else float(room <= 0)
        p_equal = min(1.0, family.n_pairs * p_equal)
    shown = min(max(estimate, ends[0]), ends[1])  # what is known by way of others may lie beyond
    return Judgment(shown, *around(ALPHA), p, *around(family.alpha), family.p(p), p_equal)


def judged_share(found: Contrast, family: Family, n_votes: int, *, of_chance: bool = False, margin: float | None = None) -> Judgment:
    """Of a share: what a binomial test and range say of the number of votes that the share is as sure as (Korn & Graubard 1998, "Confidence
    intervals for proportions with small expected number of positive counts estimated from survey data").

    of_chance: asked is whether it is above one half, as of guesses: Clopper and Pearson's range, with 5 % below and next to nothing above,
    and the exact test where votes show nothing of listeners and texts. Else Jeffreys' range (Brown, Cai & DasGupta 2001, "Interval
    estimation for a binomial proportion"): of two that are alike Clopper and Pearson's calls one better in 2 to 4 % of tests, it in 3 to 6.
    margin: of shares from one half. n_votes: that the share is of.
    """
    share = min(max(found.estimate, 0.0), 1.0)
    n = _effective(share, found, n_votes)
    step = 0.0 if of_chance or share * (1 - share) < NO_SPREAD else 0.5  # five votes for one, and none for the other, are too few

    def around(alpha: float) -> tuple[float, float]:
        tails = (alpha, HIGH_TAIL * alpha / ALPHA) if of_chance else (alpha / 2, alpha / 2)
        low, high = _low(share * n, n, tails[0], step), 1 - _low((1 - share) * n, n, tails[1], step)
        return min(low, share), max(high, share)  # Jeffreys' leaves out 0 and 1

    p = _tail(share * n, n, step) if of_chance else min(1.0, 2 * _tail(max(share, 1 - share) * n, n, step))
    p_equal = None
    if margin is not None:
        worst = max(_tail(k * n, n, step, 0.5 - margin) for k in (share, 1 - share))
        p_equal = min(1.0, family.n_pairs * worst)
    return Judgment(share, *around(ALPHA), p, *around(family.alpha), family.p(p), p_equal)


def _effective(share: float, found: Contrast, n_votes: int) -> float:
    """Votes of one's own that leave a share as unsure, with the degrees of freedom allowed for."""
    from scipy.special import stdtrit

    spread = share * (1 - share)
    if n_votes < 2 or not found.error or spread < NO_SPREAD:
        return float(n_votes)
    n = min(spread / found.error**2 * n_votes / (n_votes - 1), MOST_FOR_ONE * n_votes)
    return n * float(stdtrit(n_votes - 1, 0.975) / stdtrit(found.df, 0.975)) ** 2


def _low(k: float, n: float, tail: float, step: float) -> float:
    """The share of which k or more of n come in `tail` of all cases. step: how much of k itself is left out, 0.5 of Jeffreys."""
    from scipy.special import betaincinv

    return float(betaincinv(k + step, n - k + 1 - step, tail)) if k > 0 else 0.0


def _tail(k: float, n: float, step: float, chance: float = 0.5) -> float:
    """P(X >= k) of n, for n and k that are no whole numbers, too."""
    from scipy.special import betainc

    return float(betainc(k + step, n - k + 1 - step, chance)) if k > 0 else 1.0
