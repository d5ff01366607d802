"""Findings of what is asked beside each other, of comparisons with the reference, and of each listener of ABX."""

import json
from dataclasses import replace

import pytest

from studio.listening.plan.plan import Plan, Scale
from studio.listening.report.findings_json import findings_json
from studio.listening.report.html_report import html_report
from studio.listening.report.unreadable import FormatUnfit, VotesUnreadable
from studio.listening.report.votes_csv import read_votes_csv, votes_csv
from studio.listening.report.webmushra_results import results_csv
from studio.listening.statistics.analysis import findings_of, who_heard
from studio.listening.statistics.ballot import Beforehand
from tests.listening.report.sample_tests import SampleTest, say
from tests.listening.statistics.votes import keys, line, ratings, vote

LABELS = {"x": "X", "y": "Y", "reference": "reference"}


def of_scales(**means):
    return [replace(one, scale=scale) for scale, of_system in means.items() for one in ratings("mos", of_system)]


@pytest.mark.slow
def test_each_scale_has_findings_of_its_own():
    votes = of_scales(signal={"x": 4.4, "y": 2.2}, overall={"x": 2.2, "y": 4.4})
    found = findings_of("mos", votes, LABELS, {}, chosen=Beforehand(scales={"signal": 5, "overall": 7}))
    assert (found.scale, [other.scale for other in found.others]) == ("signal", ["overall"])
    assert [line(one, "verdict_first_scale") for one in (found, *found.others)] == [{"name": "X"}, {"name": "Y"}]
    assert [len(one.systems[0].histogram) for one in (found, *found.others)] == [5, 7] and found.n_votes == 160
    assert found.listeners == found.others[0].listeners
    unplanned = findings_of("mos", votes[::-1], LABELS, {})
    assert {unplanned.scale, unplanned.others[0].scale} == {"signal", "overall"}


def test_reports_say_each_scale():
    votes = of_scales(pace={"x": 4.4, "y": 2.2}, age={"x": 2.2, "y": 4.4})
    scales = tuple(Scale(id=name, question=f"How is its {name}?", labels=("Low", "High"), points=5) for name in ("pace", "age"))
    test = SampleTest("t", Plan(name="Two", method="mos", scales=scales))
    found = findings_of("mos", votes, LABELS, {}, chosen=Beforehand(scales=test.plan.scale_points))
    page = html_report(test, found, votes, say)
    assert (
        page.index("How is its pace?")
        < page.index("X is rated highest.")
        < page.index("How is its age?")
        < page.index("Y is rated highest.")
    )
    assert page.count('id="plot-pace-') == page.count('id="plot-age-') > 0
    told = json.loads(findings_json(None, found))["findings"]
    assert (told["scale"], told["others"][0]["scale"]) == ("pace", "age")


def test_a_table_says_the_scale_and_one_without_is_read():
    votes = tuple(of_scales(pace={"x": 4.0})[:3])
    assert read_votes_csv(votes_csv(votes)) == votes
    assert read_votes_csv("listener,system,score\nA,x,3", method="mos")[0].scale == ""
    assert read_votes_csv("listener,system,score,scale\nA,x,9,pace", method="mos")[0].score == 9
    for table, method in (("listener,system,score\nA,x,9", "mos"), ("listener,system,score\nA,x,3", "p835")):
        with pytest.raises(VotesUnreadable):
            read_votes_csv(table, method=method)
    with pytest.raises(FormatUnfit, match="pace"):
        results_csv(votes, "t")
    assert "lss.csv" in results_csv([replace(one, scale="", method="dcr") for one in votes], "t")


@pytest.mark.parametrize("labels", [LABELS, {}])
def test_grades_are_of_the_system_against_the_reference(labels):
    votes = [
        vote("bs1116", listener, text, (system, "reference"), mean - 0.1 * ((listener + text) % 3))
        for listener in range(8)
        for text in range(6)
        for system, mean in (("x", -1.0), ("y", 0.1))
    ]
    found = findings_of("bs1116", votes, labels, {})
    assert [(pair.system, pair.other) for pair in found.pairs] == [("x", "reference"), ("y", "reference")]
    assert keys(found) == ["verdict_bs1116_heard", "verdict_bs1116_none"] and line(found, "verdict_bs1116_heard")["grade"] == -1.1
    [pair] = findings_of("ccr", [replace(one, method="ccr") for one in votes if one.system == "x"], labels, {}).pairs
    assert (pair.system, pair.other) == ("x", "reference") and pair.difference < -1


def test_degradation_is_said_as_such():
    assert line(findings_of("dcr", ratings("dcr", {"x": 4.5, "y": 2.0}), LABELS, {}), "verdict_first_dcr") == {"name": "X"}


@pytest.mark.slow
def test_one_who_hears_is_found_among_those_who_guess():
    def answers(listener, n_right, n=20):
        return [vote("abx", listener, text, ("x", "y"), float(text < n_right)) for text in range(n)]

    votes = [one for listener, n_right in enumerate((19, 10, 9, 15, 11)) for one in answers(listener, n_right)]
    heard = who_heard(votes)
    assert [(one.right, one.n) for one in heard] == [(19, 20), (10, 20), (9, 20), (15, 20), (11, 20)]
    assert [one.is_clear for one in heard] == [True, False, False, False, False], "15 of 20 is rare for one, and not among five"
    assert heard[3].p < 0.05 < heard[3].p_all
    found = findings_of("abx", votes, LABELS, {})
    assert found.who_heard == heard and "Who heard a difference" in html_report(None, found, votes, say)
    assert findings_of("ab", [replace(one, method="ab") for one in votes], LABELS, {}).who_heard == ()
