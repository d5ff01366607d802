"""What others published, to the digits that they print: R's help pages, SciPy's, Fisher's and Agresti's books."""

import numpy as np
import pytest

from studio.listening.statistics.proportions import holm
from studio.listening.statistics.strengths import POINTS, QUANTILE, _covariance, bradley_terry, fit_strengths, votes_strengths

# Who cites whom among Biometrika, Comm. Statist., JASA and JRSS-B: rows are cited (Agresti 2002, page 448; R, BradleyTerry2::citations).
CITATIONS = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]], float)


def test_holm_is_that_of_r():
    """p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm"), and in another order."""
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx((0.04, 0.06, 0.06, 0.06))
    assert holm([0.04, 0.01, 0.5]) == pytest.approx((0.08, 0.03, 0.5))


def test_bradley_terry_is_that_of_r():
    """Coefficients of BTm for the citations, with Biometrika at 0."""
    points = fit_strengths(CITATIONS, prior=0)
    assert (points - points[0])[1:] / POINTS == pytest.approx([-2.94907, -0.47957, 0.26895], abs=5e-6)


@pytest.mark.slow
def test_ranges_of_votes_are_those_of_r_and_strengths_those_of_choix():
    """Standard errors of BTm for the citations, Biometrika at 0: of 3,427 votes the prior is next to nothing. choix 0.3.5, opt_pairwise."""
    found = votes_strengths(CITATIONS[np.ix_([0, 1], [0, 1])])  # of two, the range of either is half of that of their difference
    won, lost = 730.0, 33.0
    assert (found.high - found.low) / (QUANTILE * POINTS) == pytest.approx([(1 / won + 1 / lost) ** 0.5] * 2, rel=0.02)
    covariance = _covariance(found := fit_strengths(CITATIONS), CITATIONS) / POINTS**2
    variances = np.diag(covariance)
    errors = [(variances[0] + variances[other] - 2 * covariance[0, other]) ** 0.5 for other in (1, 2, 3)]
    assert errors == pytest.approx([0.10255, 0.06059, 0.07083], rel=0.01) and len(found) == 4
    wins = np.array([[0, 2, 4, 5], [4, 0, 17, 12], [1, 2, 0, 9], [12, 10, 6, 0]], float)
    of_choix = [-0.3166468, 0.6905500, -0.4936719, 0.1197686]
    assert fit_strengths(wins, prior=0) / POINTS == pytest.approx(of_choix, abs=1e-5)


def test_ranges_of_few_listeners_are_wider_by_the_root_of_l_over_l_minus_one_and_by_students_t():
    """Beside five times as many who say the same: a plain bootstrap's ranges would differ by the root of five alone."""
    few = np.array([[[0, won], [900 - won, 0]] for won in (370, 410, 440, 460, 490, 530)], float)
    widths = [
        float(np.ptp([found.low[0], found.high[0]]))
        for found in (bradley_terry(wins, np.random.default_rng(0), 20_000) for wins in (few, np.tile(few, (5, 1, 1))))
    ]
    assert widths[0] / widths[1] == pytest.approx((5 * (6 / 5) / (30 / 29)) ** 0.5 * (2.5706 / 2.0452), rel=0.03)


@pytest.mark.slow
def test_a_prior_of_two_games_keeps_three_to_nothing_finite_and_ranges_that_overlap_share_a_place():
    points = fit_strengths(np.array([[0, 3], [0, 0]], float))
    assert not bradley_terry(np.array([[[0, 1], [0, 0]]] * 3, float), np.random.default_rng(0)).ahead.any()  # nor three who agree a proof
    assert 0 < points[0] - points[1] < 600
    wins = np.zeros((12, 3, 3))
    wins[:, 0, 1] = wins[:, 1, 0] = 5
    wins[:, :2, 2] = 10
    assert bradley_terry(wins, np.random.default_rng(0)).ahead.tolist() == [[False, False, True], [False, False, True], [False] * 3]
