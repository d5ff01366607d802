"""Ranges and p of shares and of several pairs, beside exact tests and published tables."""

import math
from fractions import Fraction

import pytest

from studio.crossed.crossed_model import Contrast
from studio.crossed.ranges import judged_mean, judged_share
from studio.crossed.together import Family


def _tail(k: int, n: int, p=Fraction(1, 2)):
    return sum(math.comb(n, hits) * p**hits * (1 - p) ** (n - hits) for hits in range(k, n + 1))


def _of_single_votes(k: int, n: int) -> Contrast:
    """A share of votes that nothing but chance is at work in."""
    share = k / n
    return Contrast(share, (share * (1 - share) / (n - 1)) ** 0.5, n - 1)


def test_a_share_of_guesses_has_the_exact_binomial_test():
    for n in (5, 16, 31):
        for k in range(n + 1):
            found = judged_share(_of_single_votes(k, n), Family(1), n, of_chance=True)
            assert found.p == pytest.approx(float(_tail(k, n)), abs=1e-9) and (found.low > 0.5) == (found.p < 0.05)
            assert k == 0 or _tail(k, n, found.low) == pytest.approx(0.05, abs=1e-9)  # what is not below would give k or more so seldom
            assert k == n or 1 - _tail(k + 1, n, found.high) == pytest.approx(0.005, abs=1e-9)


def test_a_share_of_votes_has_the_range_of_jeffreys():
    """qbeta(c(.025, .975), 682.5, 243.5) and 2 * pbeta(.5, 20.5, 11.5) of R."""
    giants = judged_share(_of_single_votes(682, 925), Family(1), 925)
    assert (giants.low, giants.high) == pytest.approx((0.708225817, 0.764886461), abs=5e-9)
    for k in (20, 11):
        assert judged_share(_of_single_votes(k, 31), Family(1), 31).p == pytest.approx(0.104480643, abs=5e-9)
    assert judged_share(_of_single_votes(0, 31), Family(1), 31).low == 0.0


def test_a_share_that_listeners_differ_in_is_as_sure_as_fewer_votes():
    sure, unsure = (judged_share(Contrast(0.6, error, 12), Family(1), 100) for error in (0.05, 0.1))
    assert unsure.low < sure.low < 0.6 < sure.high < unsure.high and sure.p < unsure.p


def test_with_all_pairs_counted_p_is_that_of_tukeys_table():
    """Upper points of the studentized range at infinite degrees of freedom: 3.314 of 3 systems, 3.858 of 5 (Harter 1960)."""
    for n_systems, point in ((3, 3.3145), (5, 3.8577), (10, 4.4741)):
        alone = math.erfc(point / 2)
        assert Family.of_all(n_systems).p(alone) == pytest.approx(0.05, abs=2e-5)
        assert Family.of_all(n_systems).alpha == pytest.approx(alone, abs=1e-5)
    assert Family(4).p(0.01) == pytest.approx(1 - 0.99**4) and Family(1).p(0.01) == 0.01 and Family.of_all(2).p(0.2) == 0.2
    assert Family.of_all(4).p(1.0) == 1.0 and Family.of_all(4).p(0.0) == 0.0


@pytest.mark.parametrize("family", [Family(1), Family(3), Family.of_all(4)])
def test_a_range_leaves_out_what_says_nothing_exactly_where_p_is_small(family):
    for step in range(1, 60):
        contrast = Contrast(0.02 * step, 0.3, 9.5)
        mean = judged_mean(contrast, family, (-4, 4))
        assert (mean.low > 0) == (mean.p < 0.05) and (mean.low_all > 0) == mean.is_clear == (mean.p_all < 0.05)
        for of_chance in (False, True):
            share = judged_share(Contrast(0.4 + 0.009 * step, 0.11, 14), family, 80, of_chance=of_chance)
            assert (not share.low <= 0.5 <= share.high) == (share.p < 0.05) or of_chance
            assert (share.low > 0.5) == (share.p < 0.05 and share.known > 0.5)
            assert (share.low_all > 0.5) == (share.is_clear and share.known > 0.5)


def test_two_are_equal_only_where_the_whole_range_of_nine_tenths_is_within_the_margin():
    """Two one-sided tests (Schuirmann 1987): at 12 degrees of freedom Student's t is 1.782 at 95 %."""
    assert judged_mean(Contrast(0.1, 0.1, 12), Family(1), (-4, 4), 0.1 + 0.1783).p_equal < 0.05
    assert judged_mean(Contrast(0.1, 0.1, 12), Family(1), (-4, 4), 0.1 + 0.1781).p_equal > 0.05
    assert judged_mean(Contrast(0.1, 0.1, 12), Family(1), (-4, 4)).p_equal is None
    shares = [judged_share(_of_single_votes(k, 400), Family(1), 400, margin=0.1).p_equal for k in (200, 215, 230)]
    assert shares[0] < 0.001 < shares[1] < 0.05 < shares[2]
