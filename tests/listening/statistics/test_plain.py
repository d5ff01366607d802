"""The same figures by plain Python, from their definitions: loops, fractions and bisection instead of arrays and special functions."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest

from studio.listening.statistics.bootstrap import percentile_interval, resampled_means
from studio.listening.statistics.crossed import POOLED_ABOVE, mean_error
from studio.listening.statistics.permutation import sign_flip
from studio.listening.statistics.power import ab_power
from studio.listening.statistics.proportions import clopper_pearson, critical_two_sided, one_sided, two_sided
from studio.listening.statistics.strengths import POINTS, fit_strengths


def _tail(k: int, n: int, p=Fraction(1, 2)):
    return sum(math.comb(n, hits) * p**hits * (1 - p) ** (n - hits) for hits in range(k, n + 1))


def test_binomial_tests_and_intervals():
    for n in (1, 5, 16, 31):
        for k in range(n + 1):
            assert one_sided(k, n) == pytest.approx(float(_tail(k, n)), abs=1e-12)
            assert two_sided(k, n) == pytest.approx(min(1.0, float(2 * min(_tail(k, n), _tail(n - k, n)))), abs=1e-12)
            low, high = clopper_pearson(k, n)
            assert k == 0 or _tail(k, n, low) == pytest.approx(0.025, abs=1e-9)  # what is not below would give k or more so seldom
            assert k == n or 1 - _tail(k + 1, n, high) == pytest.approx(0.025, abs=1e-9)
    needed = critical_two_sided(20)
    assert needed == 15 and ab_power(20, 0.7) == pytest.approx(_tail(15, 20, 0.7) + _tail(15, 20, 0.3), abs=1e-12)


def test_resampled_means_are_those_of_listeners_and_texts_drawn_again():
    rng = random.Random(0)
    rows = [[[rng.gauss(3, 1) if rng.random() < 0.8 else math.nan for _ in range(4)] for _ in range(5)] for _ in range(3)]
    found = resampled_means(np.array(rows), np.random.default_rng(7), 50)
    draws = np.random.default_rng(7)
    listeners, texts = draws.multinomial(5, [1 / 5] * 5, 50), draws.multinomial(4, [1 / 4] * 4, 50)
    for number, kind in itertools.product(range(50), range(3)):
        drawn = [
            rows[kind][row][text]
            for row, text in itertools.product(range(5), range(4))
            for _ in range(listeners[number][row] * texts[number][text])
            if not math.isnan(rows[kind][row][text])
        ]
        assert found[number, kind] == pytest.approx(sum(drawn) / len(drawn), abs=1e-12)
    low, high = percentile_interval(np.arange(101.0)[:, None])
    assert (low[0], high[0]) == pytest.approx((2.5, 97.5))


def _anova(rows: list[list[float]]) -> tuple[float, float]:
    """Variance of the mean and degrees of freedom of a whole table, by textbook sums of squares."""
    n_rows, n_columns = len(rows), len(rows[0])
    n = n_rows * n_columns
    mean = sum(map(sum, rows)) / n
    of_rows = n_columns * sum((sum(row) / n_columns - mean) ** 2 for row in rows)
    of_columns = n_rows * sum((sum(column) / n_rows - mean) ** 2 for column in zip(*rows, strict=True))
    rest = sum((value - mean) ** 2 for row in rows for value in row) - of_rows - of_columns
    rest_df = (n_rows - 1) * (n_columns - 1)
    parts = []
    pooled, pooled_df = rest, rest_df
    for squares, df in ((of_rows, n_rows - 1), (of_columns, n_columns - 1)):
        if _f_tail(squares / df / (rest / rest_df), df, rest_df) < POOLED_ABOVE:
            parts.append((squares / df / n, df))
        else:
            pooled, pooled_df = pooled + squares, pooled_df + df
    parts.append(((1 - len(parts)) * pooled / pooled_df / n, pooled_df))
    variance = sum(part for part, _ in parts)
    return variance, variance**2 / sum(part**2 / df for part, df in parts)


def _f_tail(f: float, a: int, b: int, steps: int = 4000) -> float:
    """By Simpson's rule over the beta density of b / (b + a f)."""
    top = b / (b + a * f)
    scale = math.exp(math.lgamma((a + b) / 2) - math.lgamma(a / 2) - math.lgamma(b / 2))
    at = [scale * x ** (b / 2 - 1) * (1 - x) ** (a / 2 - 1) for x in (top * step / steps for step in range(steps + 1))]
    return top / steps / 3 * (at[0] + at[-1] + 4 * sum(at[1:-1:2]) + 2 * sum(at[2:-1:2]))


def _t_tail(t: float, df: float, steps: int = 4000) -> float:
    """Of both sides, by Simpson's rule from 0 to t."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    at = [scale * (1 + (t * step / steps) ** 2 / df) ** (-(df + 1) / 2) for step in range(steps + 1)]
    return 1 - 2 * t / steps / 3 * (at[0] + at[-1] + 4 * sum(at[1:-1:2]) + 2 * sum(at[2:-1:2]))


def test_the_error_of_a_mean_is_that_of_a_textbooks_analysis_of_variance():
    rng = random.Random(1)
    for listener_sd, text_sd in ((0, 0), (1.5, 0), (0, 1.5), (1, 1)):
        listeners, texts = [rng.gauss(0.3, listener_sd) for _ in range(6)], [rng.gauss(0, text_sd) for _ in range(5)]
        rows = [[listener + text + rng.gauss(0, 1) for text in texts] for listener in listeners]
        variance, df = _anova(rows)
        error = mean_error(np.array(rows))
        mean = sum(map(sum, rows)) / 30
        assert error.mean == pytest.approx(mean, abs=1e-12)
        assert error.p == pytest.approx(_t_tail(abs(mean) / math.sqrt(variance), df), abs=1e-6)
        assert _t_tail(error.half_width / math.sqrt(variance), df) == pytest.approx(0.05, abs=1e-6)


def test_a_missing_cell_counts_for_nothing_and_one_way_is_an_ordinary_t_interval():
    rng = np.random.default_rng(2)
    cells = rng.normal(0, 1, (6, 5))
    padded = np.full((8, 7), np.nan)
    padded[1:7, :5] = cells
    assert mean_error(padded) == mean_error(cells)
    one_way = mean_error(cells[:1])
    assert one_way.half_width == pytest.approx(2.7764451 * cells[0].std(ddof=1) / 5**0.5, abs=1e-6)  # t(4) of any table
    assert mean_error(cells[:1, :1]).half_width is None and mean_error(np.full((2, 2), np.nan)).mean is None
    # Ratings on a scale of steps hide a variance of step^2 / 12 each: three that agree are no proof.
    assert mean_error(np.ones((3, 1)), step=2**0.5).half_width == pytest.approx(4.3026527 * (1 / 6 / 3) ** 0.5, abs=1e-6)


def test_sign_flips_are_all_ways_to_sign_listeners():
    rng = random.Random(3)
    rows = [[rng.choice([-1, 0, 1, 2]) for _ in range(3)] for _ in range(7)]
    sums = [sum(row) for row in rows]
    ways = [abs(sum(sign * value for sign, value in zip(signs, sums, strict=True))) for signs in itertools.product((1, -1), repeat=7)]
    expected = sum(way >= abs(sum(sums)) for way in ways) / len(ways)
    assert sign_flip(np.array(rows, float), np.random.default_rng(0)) == pytest.approx(expected, abs=1e-12)
    drawn = sign_flip(np.tile([0.3, -0.1, 0.2, 0.05], 5), np.random.default_rng(0))  # 20 listeners: drawn, not gone through
    assert 0 < drawn < 0.02
    assert sign_flip(np.ones(30), np.random.default_rng(0)) == pytest.approx(1 / 2001)  # what was seen is one of the draws


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
