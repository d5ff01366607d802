"""What a planned test can tell: the tables of the standards' summary, to the digits printed there, and as sentences."""

import pytest

from studio.listening.plan.plan import METHODS, Plan, System
from studio.listening.statistics.power import ab_power, abx_power, power_of, rating_gap, rating_half_width, rating_power, votes_needed
from studio.listening.statistics.proportions import critical_one_sided, one_sided

# n: right answers needed, their p, power at 65, 75 and 85 %
ABX = {
    8: (7, 0.035, 0.17, 0.37, 0.66),
    10: (9, 0.011, 0.09, 0.24, 0.54),
    12: (10, 0.019, 0.15, 0.39, 0.74),
    16: (12, 0.038, 0.29, 0.63, 0.92),
    20: (15, 0.021, 0.25, 0.62, 0.93),
    24: (17, 0.032, 0.36, 0.77, 0.98),
    32: (22, 0.025, 0.40, 0.85, 0.99),
    50: (32, 0.033, 0.62, 0.97, 1.00),
}
# (listeners, texts): half width of the range of a difference, power at gaps of 0.2 and 0.3; simulated by their source
RATINGS = {
    (5, 10): (0.45, 0.06, 0.11),
    (8, 12): (0.34, 0.09, 0.31),
    (10, 20): (0.24, 0.22, 0.64),
    (15, 20): (0.20, 0.39, 0.87),
    (20, 20): (0.17, 0.60, 0.97),
    (30, 20): (0.14, 0.82, 1.00),
}


def test_abx_needs_and_finds_what_the_table_says():
    for n, (needed, p, *powers) in ABX.items():
        assert critical_one_sided(n) == needed
        assert one_sided(needed, n) == pytest.approx(p, abs=5.5e-4)  # 0.03245 is printed as 0.033
        assert [abx_power(n, share) for share in (0.65, 0.75, 0.85)] == pytest.approx(powers, abs=5.01e-3)
    assert critical_one_sided(4) is None


def test_a_preference_needs_the_votes_that_the_table_says():
    assert [votes_needed(percent) for percent in (75, 70, 65, 60, 55)] == [35, 54, 97, 210, 807]
    assert all(ab_power(votes_needed(percent), percent / 100) >= 0.8 for percent in (75, 60, 55))
    lines = {n: power_of(_plan("ab", texts=n, listeners=1)).line.values["percent"] for n in (45, 52, 53)}
    assert lines[45] > 75 < lines[52] and lines[53] == 75  # what is found agrees with what is needed, beside it


def test_ratings_find_what_the_table_says_within_its_noise():
    """Half widths as printed, but for 0.457, which is printed as 0.45; powers of a few hundred simulated tests each: 0.045 at most."""
    for (listeners, texts), (half_width, *powers) in RATINGS.items():
        assert rating_half_width(listeners, texts) == pytest.approx(half_width, abs=0.0075)
        assert [rating_power(listeners, texts, gap) for gap in (0.2, 0.3)] == pytest.approx(powers, abs=0.045)
    assert rating_gap(10, 10) == pytest.approx(0.5, abs=0.05)
    assert rating_gap(20, 20) == pytest.approx(0.25, abs=0.025)
    assert rating_power(10, 10, rating_gap(10, 10)) == pytest.approx(0.8, abs=1e-6)


def _plan(method: str, *, systems: int = 2, texts: int = 10, **more) -> Plan:
    named = tuple(System(id=f"s{number}") for number in range(systems))
    return Plan(name="x", method=method, systems=named, texts=tuple(f"text {number}" for number in range(texts)), **more)


def test_power_in_words_of_every_method():
    abx = power_of(_plan("abx", texts=4, listeners=1, repeats=4))
    assert (abx.line.key, abx.line.values) == ("power_abx", {"n": 16, "power": 63, "needed": 12})
    assert [line.key for line in abx.more] == ["power_abx_others", "power_abx_five"]
    ab = power_of(_plan("ab"))
    assert ab.line.values == {"n": 100, "percent": 68, "rest": 32}  # of two thirds of the votes: listeners and texts have to agree
    assert ab.more[0].values == {"n_75": 53, "n_70": 81, "n_65": 146, "n_60": 315, "n_55": 1211}
    assert power_of(_plan("mos")).line.values == {"listeners": 10, "texts": 10, "scale": 5, "gap": 0.5}
    assert power_of(_plan("smos", texts=20, listeners=20)).line.values["gap"] == 0.25
    assert power_of(_plan("mushra")).line.values["gap"] == 12
    assert power_of(_plan("cmos")).line.key == "power_cmos"
    assert power_of(_plan("mos", systems=1)).line.key == "power_one_system"
    assert "power_several_pairs" in [line.key for line in power_of(_plan("mushra-like", systems=4)).more]


def test_a_plan_without_sense_is_told_so():
    assert {power_of(_plan(method, texts=0)).line.key for method in METHODS} == {"power_nothing"}
    assert power_of(_plan("abx", texts=4, listeners=1)).line.key == "power_abx_too_few"
    assert power_of(_plan("ab", texts=5, listeners=1)).line.key == "power_ab_too_few"
    assert power_of(_plan("mos", texts=1, listeners=1)).line.key == "power_ratings_beyond"
    assert {"power_one_listener", "power_few_texts"} <= {line.key for line in power_of(_plan("mos", texts=5, listeners=1)).more}
