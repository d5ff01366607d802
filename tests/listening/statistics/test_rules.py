"""The rules of a plan: listeners planted in a good panel fall to the rule that is meant for them, and no good one falls."""

import random
from dataclasses import replace

import pytest

from studio.listening.plan.screening import UNPLANNED, USUAL
from studio.listening.screening.agreement import agreements
from studio.listening.screening.assessor import Admission
from studio.listening.screening.screening import screened
from studio.listening.statistics.analysis import findings_of
from studio.listening.vote.conduct import Conduct
from tests.listening.statistics.votes import ratings, vote

MEANS = {"a": 1.8, "b": 3.0, "c": 4.2}
GOOD = ratings("mos", MEANS, listeners=12, texts=10, spread=0.6)
ASKED = 30


def sheet(listener: int, score, **more) -> list:
    return [
        vote("mos", listener, text, (system, ""), score(text, system), trial=1000 * listener + 10 * text + place, **more)
        for text in range(10)
        for place, system in enumerate(MEANS)
    ]


def planted() -> list:
    chance = random.Random(1)
    first = {(vote.text, vote.system): vote.score for vote in GOOD if vote.listener == "L00"}
    good = {(vote.text, vote.system): vote.score for vote in GOOD if vote.listener == "L03"}
    return [
        *sheet(20, lambda text, system: 3),
        *sheet(21, lambda text, system: chance.randint(1, 5)),
        *sheet(22, lambda text, system: round(6 - MEANS[system] + chance.gauss(0, 0.5))),
        *sheet(23, lambda text, system: min(5, good[f"t{text}", system] + (text == 0)), early_seconds=4.0),
        *sheet(24, lambda text, system: round(MEANS[system]))[:1],
        *sheet(25, lambda text, system: first[f"t{text}", system]),
    ]


def own_trials(votes: list) -> list:
    """Each rating is a question of its own."""
    return [replace(vote, trial=number) for number, vote in enumerate(votes)]


def reasons(votes, rules=USUAL, **conducts) -> dict[str, list[str]]:
    known = {vote.listener: Conduct(asked=ASKED) for vote in votes} | conducts
    found = screened(votes, {}, Admission(rules, {}, known))
    return {one.listener: [each.reason for each in one.exclusions if each.excludes] for one in found if one.exclusions}


def test_each_planted_listener_falls_to_the_rule_meant_for_them_and_nobody_else_does():
    found = reasons(own_trials([*GOOD, *planted()]))
    wanted = {"L20": "same_answer", "L21": "agreement", "L22": "agreement", "L23": "early", "L24": "few_answered", "L25": "same_answers"}
    assert {listener: wanted[listener] in of for listener, of in found.items()} == dict.fromkeys(wanted, True)
    assert "same_answers" not in found["L23"], "one answer is another"


def test_without_rules_in_the_plan_nothing_of_this_is_held_against_anybody():
    assert reasons(own_trials([*GOOD, *planted()]), UNPLANNED) == {}


def test_agreement_is_low_of_chance_and_negative_of_the_reverse_and_is_told_of_everybody():
    found = agreements(own_trials([*GOOD, *planted()]), 0.25)
    assert all(found[f"L{n:02}"].r > 0.6 for n in range(12))
    assert abs(found["L21"].r) < 0.4 and found["L22"].r < -0.6 and found["L22"].reason.values["least"] == 0.25
    assert "L24" not in found, "one sound says nothing"


def test_a_panel_that_has_nothing_to_agree_on_is_left_whole():
    same = ratings("mos", dict.fromkeys("ab", 3.0), listeners=20, texts=10, spread=0.8)
    assert not [one for one in agreements(same, 0.25).values() if one.reason]


@pytest.mark.parametrize("method", ["ab", "abx", "cmos"])
def test_who_always_takes_the_same_slot_falls_and_who_hears_no_difference_does_not(method):
    chance, none = random.Random(2), 0.5 if method == "ab" else 0.0

    def answered(listener, slot):
        for text in range(12):
            first = text % 2 == 0
            is_ahead = (slot(text) == "A") == first
            yield vote(method, listener, text, ("a", "b"), (1.0 if is_ahead else -1.0 if method == "cmos" else 0.0), first=first)

    votes = [one for listener in range(6) for one in answered(listener, lambda text: chance.choice("AB"))]
    votes += answered(7, lambda text: "A")
    if method != "abx":
        votes += [vote(method, 8, text, ("a", "b"), none) for text in range(12)]
    rules = USUAL.model_copy(update={"min_answered": 0.0, "least_agreement": None})
    found = reasons(votes, rules)
    assert "same_slot" in found.pop("L07") and "same_slot" not in found.pop("L08", []) and not any(found.values())


def test_headphones_and_twice_the_same_person_are_rules_and_a_shared_device_is_a_doubt():
    listeners = {
        "L00": Conduct(ASKED, check="passed", participant="P1", browser="x", begun=0, seen=50),
        "L01": Conduct(ASKED, check="failed", participant="P1", browser="x", begun=20, seen=90),
        "L02": Conduct(ASKED, check="passed", participant="P2", browser="x", begun=100, seen=150),
    }
    votes = own_trials([vote for vote in GOOD if vote.listener in listeners])
    rules = USUAL.model_copy(update={"headphones": True})
    found = screened(votes, {}, Admission(rules, {}, listeners))
    told = {one.listener: (one.counts, [(each.reason, each.excludes) for each in one.exclusions]) for one in found}
    assert told == {
        "L00": (True, []),
        "L01": (False, [("headphones", True), ("same_participant", True)]),
        "L02": (True, [("same_device", False)]),
    }


def test_findings_say_what_each_rule_did_and_what_the_result_is_with_everybody():
    votes = own_trials([*GOOD, *planted()])
    admission = Admission(USUAL, {}, {vote.listener: Conduct(asked=ASKED) for vote in votes})
    findings = findings_of("mos", votes, {}, {}, admission=admission)
    out = {rule.rule: rule.n_out for rule in findings.rules}
    assert out["early"] == out["same_answer"] == out["few_answered"] == out["same_answers"] == 1 and out["agreement"] >= 2
    assert {rule.rule: rule.values for rule in findings.rules}["agreement"] == {"limit": 0.25} and "headphones" not in out
    assert findings.n_listeners == 12 and findings.everybody.n_listeners == 18
    assert findings.everybody.n_votes == len(votes) and findings.everybody.verdict and findings.everybody.pairs != findings.pairs
    assert findings_of("mos", GOOD, {}, {}).everybody is None
