"""What others published, to the digits that they print: R's help pages, SciPy's, Fisher's and Agresti's books."""

import numpy as np
import pytest

from studio.listening.statistics.permutation import friedman, holm, sign_flip, wilcoxon
from studio.listening.statistics.proportions import clopper_pearson, sign_test, two_sided
from studio.listening.statistics.strengths import POINTS, QUANTILE, _covariance, bradley_terry, fit_strengths, votes_strengths

# Darwin's maize, cross-fertilised less self-fertilised, in eighths of an inch (Fisher 1935, "The Design of Experiments", section 21).
DARWIN = np.array([6, 8, 14, 16, 23, 24, 28, 29, 41, -48, 49, 56, 60, -67, 75], float)
# Hamilton depression factors before and after (Hollander & Wolfe 1973, page 29; R, example of wilcox.test).
BEFORE = np.array([1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30])
AFTER = np.array([0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29])
# Who cites whom among Biometrika, Comm. Statist., JASA and JRSS-B: rows are cited (Agresti 2002, page 448; R, BradleyTerry2::citations).
CITATIONS = np.array([[0, 730, 498, 221], [33, 0, 68, 17], [320, 813, 0, 142], [284, 276, 325, 0]], float)
# Seconds of 22 players around first base, three ways (Hollander & Wolfe 1973, page 140; R, example of friedman.test).
ROUNDING = """
5.40 5.50 5.55 5.85 5.70 5.75 5.20 5.60 5.50 5.55 5.50 5.40 5.90 5.85 5.70 5.45 5.55 5.60 5.40 5.40 5.35 5.45 5.50 5.35
5.25 5.15 5.00 5.85 5.80 5.70 5.25 5.20 5.10 5.65 5.55 5.45 5.60 5.35 5.45 5.05 5.00 4.95 5.50 5.50 5.40 5.45 5.55 5.50
5.55 5.55 5.35 5.45 5.50 5.55 5.50 5.45 5.25 5.65 5.60 5.40 5.70 5.65 5.55 6.30 6.30 6.25
"""


def test_clopper_pearson_is_that_of_r():
    """Example of binom.test: 682 giant plants of 925."""
    assert clopper_pearson(682, 925) == pytest.approx((0.7076683, 0.7654066), abs=5e-8)
    assert clopper_pearson(0, 20) == pytest.approx((0, 1 - 0.025 ** (1 / 20)))
    assert clopper_pearson(20, 20) == pytest.approx((0.025 ** (1 / 20), 1))
    assert clopper_pearson(0, 0) == (0.0, 1.0)


def test_fisher_flipped_the_signs_of_darwins_plants_as_we_do():
    """1726 of 32768 ways give a sum as far from 0 (section 21)."""
    assert sign_flip(DARWIN, np.random.default_rng(0)) == pytest.approx(1726 / 32768, abs=1e-12)


def test_wilcoxon_is_that_of_scipy_and_of_r():
    assert wilcoxon(DARWIN) == pytest.approx(0.041259765625, abs=1e-12)  # SciPy's example
    assert wilcoxon(BEFORE - AFTER) == pytest.approx(2 * 0.01953125, abs=1e-12)  # R's, one-sided there


def test_friedman_is_that_of_r():
    """Chi-squared 11.143 at 2 degrees of freedom."""
    assert friedman(np.array(ROUNDING.split(), float).reshape(22, 3).T) == pytest.approx(0.003805, abs=5e-7)


def test_holm_is_that_of_r():
    """p.adjust(c(0.01, 0.02, 0.03, 0.04), "holm"), and in another order."""
    assert holm([0.01, 0.02, 0.03, 0.04]) == pytest.approx((0.04, 0.06, 0.06, 0.06))
    assert holm([0.04, 0.01, 0.5]) == pytest.approx((0.08, 0.03, 0.5))


def test_bradley_terry_is_that_of_r():
    """Coefficients of BTm for the citations, with Biometrika at 0."""
    points = fit_strengths(CITATIONS, prior=0)
    assert (points - points[0])[1:] / POINTS == pytest.approx([-2.94907, -0.47957, 0.26895], abs=5e-6)


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


def test_a_prior_of_two_games_keeps_three_to_nothing_finite_and_ranges_that_overlap_share_a_place():
    points = fit_strengths(np.array([[0, 3], [0, 0]], float))
    assert not bradley_terry(np.array([[[0, 1], [0, 0]]] * 3, float), np.random.default_rng(0)).ahead.any()  # nor three who agree a proof
    assert 0 < points[0] - points[1] < 600
    wins = np.zeros((12, 3, 3))
    wins[:, 0, 1] = wins[:, 1, 0] = 5
    wins[:, :2, 2] = 10
    assert bradley_terry(wins, np.random.default_rng(0)).ahead.tolist() == [[False, False, True], [False, False, True], [False] * 3]


def test_the_sign_test_drops_ties_and_counts_them():
    test = sign_test([1.0] * 63 + [0.0] * 37 + [0.5] * 10)
    assert (test.wins, test.losses, test.ties) == (63, 37, 10)
    assert test.p == two_sided(63, 100) == pytest.approx(0.012, abs=5e-4)  # binom.test(63, 100)
