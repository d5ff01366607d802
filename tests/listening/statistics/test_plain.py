"""The same figures by plain Python, from their definitions: loops, fractions and bisection instead of arrays and special functions."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest

from studio.listening.statistics.power import abx_power
from studio.listening.statistics.proportions import critical_one_sided, one_sided, two_sided
from studio.listening.statistics.strengths import POINTS, fit_strengths


def _tail(k: int, n: int, p=Fraction(1, 2)):
    return sum(math.comb(n, hits) * p**hits * (1 - p) ** (n - hits) for hits in range(k, n + 1))


def test_binomial_tests_and_intervals():
    for n in (1, 5, 16, 31):
        for k in range(n + 1):
            assert one_sided(k, n) == pytest.approx(float(_tail(k, n)), abs=1e-12)
            assert two_sided(k, n) == pytest.approx(min(1.0, float(2 * min(_tail(k, n), _tail(n - k, n)))), abs=1e-12)
    assert abx_power(20, 0.7) == pytest.approx(_tail(critical_one_sided(20), 20, 0.7), abs=1e-12)


def test_strengths_are_where_the_likelihood_is_flat():
    rng = random.Random(4)
    wins = [[0 if one == other else rng.randint(0, 9) for other in range(4)] for one in range(4)]
    logs = [point / POINTS for point in fit_strengths(np.array(wins, float))]

    def expected(one: int, shift: float) -> float:
        against = ((logs[other], wins[one][other] + wins[other][one]) for other in range(4) if other != one)
        return sum(games / (1 + math.exp(log - logs[one])) for log, games in against) + 2 / (1 + math.exp(-logs[one] - shift))

    # Virtual games are against a strength of 1 on the fit's own scale, of which the mean was taken away.
    low, high = -5.0, 5.0
    for _ in range(60):
        middle = (low + high) / 2
        total = sum(sum(wins[one]) + 1 - expected(one, middle) for one in range(4))
        low, high = (middle, high) if total > 0 else (low, middle)
    assert [sum(wins[one]) + 1 - expected(one, low) for one in range(4)] == pytest.approx([0] * 4, abs=1e-6)
