"""What a planned test can tell: the tables of the standards' summary for counted votes, simulated panels for the rest, and sentences."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from pydantic import ValidationError

from studio.crossed.together import Family
from studio.listening.plan.plan import METHODS, MOST_MARGIN, Plan, System
from studio.listening.planning.panel import Panel, SimulatedPanels
from studio.listening.planning.planned_power import panel_of, power_of
from studio.listening.planning.shares import SharePower, tastes_at
from studio.listening.planning.tastes import Tastes, tastes_of, usual_tastes
from studio.listening.statistics.findings import Findings
from studio.listening.statistics.power import abx_power
from studio.listening.statistics.proportions import critical_one_sided, one_sided
from studio.measure.listening_power import differences, judged, ratings

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
# (systems, listeners, texts, tastes): the gap of 80 % power and half width of the range of a difference, in points of 1 to 5. Of 1000
# panels each, simulated vote by vote, 76 to 82 % notice such a gap (`python -m studio.measure.listening_power`).
RATINGS = {
    (2, 10, 10, 0.0): (0.36, 0.26),
    (2, 20, 20, 0.15): (0.25, 0.18),
    (2, 20, 20, 0.25): (0.36, 0.25),
    (5, 20, 20, 0.25): (0.45, 0.25),
}


def _panel(listeners: int, texts: int, n_systems: int = 2) -> Panel:
    return Panel(listeners, texts, texts, n_systems, n_subjects=n_systems, family=Family.of_all(n_systems))


def _panels(panel: Panel, taste: float) -> SimulatedPanels:
    panels = SimulatedPanels.of(panel, Tastes(0.25, 0.06, taste**2, taste**2, 0.5625))
    assert panels is not None
    return panels


def test_abx_needs_and_finds_what_the_table_says():
    for n, (needed, p, *powers) in ABX.items():
        assert critical_one_sided(n) == needed
        assert one_sided(needed, n) == pytest.approx(p, abs=5.5e-4)  # 0.03245 is printed as 0.033
        assert [abx_power(n, share) for share in (0.65, 0.75, 0.85)] == pytest.approx(powers, abs=5.01e-3)
    assert critical_one_sided(4) is None


def test_ratings_find_less_where_listeners_and_texts_have_tastes_and_where_there_are_more_pairs():
    for (n_systems, listeners, texts, taste), told in RATINGS.items():
        panels = _panels(_panel(listeners, texts, n_systems), taste)
        assert (panels.noticed(), panels.half_width()) == pytest.approx(told, abs=0.006)
        assert panels.power(panels.noticed()) == pytest.approx(0.8, abs=1e-6)
    promised = _panels(_panel(20, 20), 0.0).noticed()
    two, five = (_panels(_panel(20, 20, n_systems), 0.25).power(promised) for n_systems in (2, 5))
    assert five < 0.1 < two < 0.3, "that gap would be noticed 80 % of the time without tastes"


def test_errors_and_degrees_of_freedom_are_those_that_votes_are_judged_with():
    """200 whole panels, judged by an analysis of variance that knows nothing of the drawn mean squares."""
    rng = np.random.default_rng(3)
    for taste in (0.0, 0.3):
        found = [judged(ratings((3, 8, 9), 0.3, taste, rng)) for _ in range(200)]
        panels = _panels(_panel(8, 9, 3), 0.92 * taste)
        assert panels.errors.mean() == pytest.approx(np.mean([one.error for one in found]), rel=0.1)
        assert (1 / panels.dfs).mean() == pytest.approx(np.mean([1 / one.df for one in found]), rel=0.15)


def test_preferences_are_found_by_the_share_of_panels_that_is_promised():
    rng, panel, usual = np.random.default_rng(4), Panel(10, 10, 10, 2, is_paired=True), usual_tastes("ab")
    found = SharePower(panel, usual)
    percent = found.noticed()
    assert percent == 70 and found.power(0.7) >= 0.8 > found.power(0.69)
    panels = SimulatedPanels.of(panel, tastes_at(usual, 0.7))
    errors = [judged((differences((2, 10, 10), 0.6, 0.2, rng) > 0).astype(float)).error for _ in range(200)]
    assert panels is not None and panels.errors.mean() == pytest.approx(np.mean(errors), rel=0.1)
    assert SharePower(panel, replace(usual, listener_system=0.0, text_system=0.0)).noticed() == 67
    assert SharePower(Panel(2, 2, 2, 2, is_paired=True), usual).noticed() is None


def test_right_answers_are_at_most_as_certain_as_binomial_ones_and_less_where_people_hear_unlike():
    """Where people hear alike some panels seem not to: of 400 that `judged_share` judges 44 and 82 % hear it, of people unlike 72."""
    alike, some = Tastes(0, 0, 0.0, 0.0, 0.25), usual_tastes("abx")
    panel = Panel(10, 5, 5, 2, is_paired=True)
    for share, found in ((0.65, 0.44), (0.75, 0.82)):
        promised = SharePower(panel, alike, is_guessed=True).power(share)
        assert promised == pytest.approx(found, abs=0.03) and promised < abx_power(50, share)
    assert SharePower(panel, some, is_guessed=True).power(0.75) == pytest.approx(0.72, abs=0.03)
    three = SharePower(replace(panel, family=Family(3)), alike, is_guessed=True)
    assert three.power(0.7) < SharePower(panel, alike, is_guessed=True).power(0.7) - 0.1
    assert three.equal(0.2) < SharePower(panel, alike, is_guessed=True).equal(0.2)


def test_a_part_of_the_questions_finds_less_and_more_listeners_make_up_for_it():
    whole, part = _panel(20, 20), replace(_panel(20, 20), votes=5.0)
    for taste in (0.0, 0.25):
        gaps = [_panels(panel, taste).noticed() for panel in (whole, part, replace(part, listeners=80))]
        assert gaps[0] < gaps[1] and gaps[2] < gaps[1]
    assert _panels(replace(part, listeners=80), 0.25).noticed() < _panels(whole, 0.25).noticed()  # as many votes, of more people
    few = replace(_panel(100, 20, 5), votes=0.4)  # two of five systems each
    assert _panels(few, 0.0).deviation > (2 * 0.5625 / few.n) ** 0.5 * 1.1, "listeners are not taken away whole"


def test_equality_is_seldom_sure_within_a_narrow_margin_and_often_within_a_wide_one():
    panels = _panels(_panel(20, 20), 0.2)
    powers = [panels.equal(margin) for margin in (0.1, 0.2, 0.3, 0.4, 1.0)]
    assert powers == sorted(powers) and powers[0] < 0.05 and powers[-1] > 0.99
    assert SharePower(Panel(20, 20, 20, 2, is_paired=True), usual_tastes("ab")).equal(0.1) < 0.6
    assert SharePower(Panel(20, 20, 20, 2, is_paired=True), usual_tastes("abx"), is_guessed=True).equal(0.1) > 0.9


def test_the_same_plan_is_promised_the_same():
    plan = _plan("mushra", systems=8, texts=30, listeners=40)
    assert power_of(plan) == power_of(plan)


def _plan(method: str, *, systems: int = 2, texts: int = 10, **more) -> Plan:
    named = tuple(System(id=f"s{number}") for number in range(systems))
    return Plan(name="x", method=method, systems=named, texts=tuple(f"text {number}" for number in range(texts)), **more)


def test_a_plan_says_who_judges_what():
    three = Family.of_all(3)
    assert panel_of(_plan("mos", systems=3, repeats=2, gold=2, traps=1)) == Panel(10, 10, 20, 3, n_subjects=3, family=three)
    assert panel_of(_plan("mos", systems=3, anchors=("embedded",))) == Panel(10, 10, 10, 3, n_subjects=4, family=three)
    hidden = {"source": "system", "system": "s0"}
    assert panel_of(_plan("mushra", systems=3, reference=hidden)) == Panel(10, 10, 10, 2, family=Family.of_all(2))
    assert panel_of(_plan("ab", systems=3)) == Panel(10, 10, 10, 3, is_paired=True, family=three)
    assert panel_of(_plan("abx", systems=3)) == Panel(10, 10, 10, 2, is_paired=True, family=Family(3))


def test_power_in_words_of_every_method():
    abx = power_of(_plan("abx", texts=4, listeners=1, repeats=4))
    assert (abx.line.key, abx.line.values) == ("power_abx", {"n": 16, "power": 46, "needed": 12})
    assert [line.key for line in abx.more[:3]] == ["power_tastes_usual", "power_abx_others", "power_abx_more"]
    ab = power_of(_plan("ab"))
    assert ab.line.values == {"n": 100, "percent": 70, "rest": 30}
    assert [line.values for line in ab.more if line.key == "power_ab_more"] == [
        {"listeners": 20, "texts": 10, "percent": 66, "rest": 34},
        {"listeners": 10, "texts": 20, "percent": 66, "rest": 34},
    ]
    assert power_of(_plan("mos")).line.values == {"listeners": 10, "texts": 10, "scale": 5, "gap": 0.6}
    assert power_of(_plan("smos", texts=20, listeners=20)).line.values["gap"] == 0.35
    assert power_of(_plan("mushra")).line.values["gap"] == 14
    assert power_of(_plan("cmos")).line.key == "power_cmos"
    assert power_of(_plan("mos", systems=1)).line.key == "power_one_system"
    assert "power_several_pairs" in [line.key for line in power_of(_plan("mushra-like", systems=4)).more]


def test_a_plan_without_sense_is_told_so():
    assert {power_of(_plan(method, texts=0)).line.key for method in METHODS} == {"power_nothing"}
    assert power_of(_plan("abx", texts=4, listeners=1)).line.key == "power_abx_too_few"
    assert power_of(_plan("ab", texts=5, listeners=1)).line.key == "power_ab_too_few"
    assert power_of(_plan("mos", texts=1, listeners=1)).line.key == "power_ratings_beyond"
    assert {"power_one_listener", "power_few_texts"} <= {line.key for line in power_of(_plan("mos", texts=5, listeners=1)).more}


@pytest.mark.slow
def test_any_size_of_panel_has_a_sentence_and_more_listeners_or_texts_never_notice_less():
    for method, listeners, texts in product(("abx", "ab", "cmos", "mos"), (1, 2, 40), (1, 2, 30)):
        power = power_of(_plan(method, listeners=listeners, texts=texts))
        if method in ("ab", "abx"):
            assert power.line.values["n"] == listeners * texts
        for line in power.more:
            if line.key == "power_ratings_more" and "gap" in power.line.values:
                assert line.values["gap"] <= power.line.values["gap"]


def test_a_margin_is_chosen_before_and_within_what_systems_may_differ_by():
    assert set(MOST_MARGIN) == set(METHODS)
    for method, most in MOST_MARGIN.items():
        assert _plan(method, margin=most / 5).margin == most / 5
        for margin in (0, -0.1, most, float("nan"), float("inf")):
            with pytest.raises(ValidationError):
                _plan(method, margin=margin)
        told = [line.values for line in power_of(_plan(method, texts=20, listeners=20, margin=most / 5)).more if line.key == "power_equal"]
        assert len(told) == 1 and told[0]["margin"] == most / 5 and 1 <= told[0]["power"] <= 99
    assert "power_equal" not in [line.key for line in power_of(_plan("mos")).more]


def _found(n_votes: int, listeners: int = 10, **components: float) -> Findings:
    return Findings("mos", listeners, 10, n_votes, 0, 0, (), (), (), (), components=components)


def test_tastes_are_those_of_earlier_tests_by_their_votes_else_the_usual_ones():
    told = {"listener": 0.2, "text": 0.1, "listener_system": 0.1, "text_system": 0.05, "rest": 0.6}
    pooled = tastes_of("mos", [_found(300, **told), _found(100, **{**told, "listener_system": 0.5})])
    assert (pooled.listener_system, pooled.rest, pooled.n_tests) == (pytest.approx(0.168), pytest.approx(0.6), 2)
    for nothing in ([], [_found(300)], [_found(300, listeners=2, **told)], [_found(300, **{**told, "rest": float("nan")})]):
        assert tastes_of("mos", nothing) == usual_tastes("mos")
    wild = power_of(_plan("mos"), pooled)
    assert wild.more[0].key == "power_tastes_earlier" and wild.numbers["gap"] > power_of(_plan("mos")).numbers["gap"]
