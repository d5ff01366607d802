"""What a listener answers is a vote in the plan's order, whichever was heard first."""

import pytest

from studio.listening.plan.design import Answer
from studio.listening.vote.votes import votes_of
from tests.listening.materials.panel import heard_by, items_of, plan_of, systems_in

REFERENCED = {"reference": {"source": "files"}}


def votes(plan, value, *, listener=1, kinds=("item",), **more):
    """value: from a trial to what is answered."""
    trials = heard_by(plan, listener)
    answers = [Answer(trial.number, value(trial), **more) for trial in trials]
    found = votes_of(plan, trials, answers, "L01", items=items_of(plan))
    return [vote for vote in found if vote.kind in kinds]


def test_who_prefers_a_system_prefers_it_in_both_orders():
    plan = plan_of("ab", 3, gold=1, no_preference=True)
    for vote in votes(plan, lambda trial: next((label for label, system in systems_in(plan, trial).items() if system == "s1"), "none")):
        assert (vote.system, vote.other) in {("s0", "s1"), ("s0", "s2"), ("s1", "s2")}
        assert vote.score == {"s0s1": 0.0, "s1s2": 1.0, "s0s2": 0.5}[vote.system + vote.other]
        assert vote.text in plan.texts and vote.position == (0 if vote.first else 1)


def test_cmos_counts_for_the_first_of_the_plan():
    plan = plan_of("cmos", 2, 8)
    found = votes(plan, lambda trial: 2 if systems_in(plan, trial)["B"] == "s0" else -2)
    assert {vote.score for vote in found} == {2.0} and {vote.first for vote in found} == {True, False} and len(found) == 8


def test_abx_counts_what_is_right_for_the_system_that_x_was():
    plan = plan_of("abx", 2, 8)
    right = votes(plan, lambda trial: trial.right)
    assert {(vote.score, vote.system) for vote in right} == {(1.0, "s0"), (1.0, "s1")}
    assert {vote.score for vote in votes(plan, lambda trial: "AB"[trial.right == "A"])} == {0.0}


def test_a_page_gives_a_vote_for_each_signal_and_none_for_the_open_reference():
    plan = plan_of("mushra", 2, 2, reference={"source": "files"}, gold=1, traps=1)
    score = {"reference": 100, "s0": 60, "s1": 40, "gold": 5}

    def page(trial):
        found = {label: score[system] for label, system in systems_in(plan, trial).items() if label != "R"}
        return found | ({trial.asked: 0} if trial.asked else {})

    plays = {str(number): 2 for number in range(1, 4)}
    found = votes(plan, page, kinds=("item", "gold", "trap"), plays=plays, heard_seconds={"1": 3.5}, seconds=9.0, comment="Nice")
    assert [vote.score for vote in found if vote.kind == "item"].count(100) == 2
    assert all(vote.score == score[vote.system] and vote.other == "" for vote in found if vote.kind != "trap")
    assert {vote.passed for vote in found if vote.kind == "item"} == {None}
    assert {vote.passed for vote in found if vote.kind != "item"} == {True}
    assert all(vote.heard_seconds == (3.5 if vote.position == 0 else 0) and vote.plays == 2 and vote.comment == "Nice" for vote in found)


def test_ccr_counts_for_the_system_against_the_reference_in_both_orders():
    plan = plan_of("ccr", 2, 8, gold=2, traps=1, **REFERENCED)

    def better_system(trial):
        return trial.right if trial.kind in ("gold", "trap") else -1 if systems_in(plan, trial)["A"].startswith("s") else 1

    found = votes(plan, better_system, kinds=("item", "gold", "trap"))
    of_items = [vote for vote in found if vote.kind == "item"]
    assert {(vote.score, vote.other) for vote in of_items} == {(1.0, "reference")} and {vote.first for vote in of_items} == {True, False}
    assert [vote.passed for vote in found if vote.kind != "item"] == [True] * 3


def test_bs1116_counts_how_far_the_system_is_below_the_hidden_reference():
    plan = plan_of("bs1116", 2, 6, gold=2, traps=2, **REFERENCED)
    grades = {"s0": 4.3, "s1": 2.0, "reference": 5.0, "gold": 1.5}

    def graded(trial):
        labels = {label: system for label, system in systems_in(plan, trial).items() if label != "R"}
        if trial.kind == "trap":
            return {label: 1.0 if label == trial.asked else 5.0 for label in labels}
        return {label: grades[system] for label, system in labels.items()}

    found = votes(plan, graded, kinds=("item", "gold", "trap"))
    assert {(vote.system, vote.other, vote.score) for vote in found if vote.kind == "item"} == {
        ("s0", "reference", -0.7),
        ("s1", "reference", -3.0),
    }
    assert [vote.passed for vote in found if vote.kind != "item"] == [True] * 4
    careless = votes(plan, lambda trial: dict.fromkeys("BC", 5.0), kinds=("gold", "trap"))
    assert [vote.passed for vote in careless] == [False] * 4


def test_each_scale_is_a_vote_and_gold_goes_by_the_whole():
    plan = plan_of("p835", 1, 4, gold=1, traps=1)

    def rated(trial):
        return trial.asked or {"signal": 4, "background": 5, "overall": 2 if trial.kind == "gold" else 3}

    found = votes(plan, rated, kinds=("item", "gold", "trap"))
    assert [(vote.scale, vote.score) for vote in found if vote.kind == "item"][:3] == [("signal", 4), ("background", 5), ("overall", 3)]
    assert {vote.passed for vote in found if vote.kind != "item"} == {True} and len(found) == 3 * 6


def test_own_scales_are_drawn_per_listener_and_have_no_gold():
    scales = [{"id": name, "question": "?", "labels": ["Less", "More"]} for name in ("one", "two", "three")]
    plan = plan_of("mos", 1, 3, scales=scales, scales_drawn=True, gold=2)
    orders = {heard_by(plan, listener)[0].scales for listener in range(1, 20)}
    assert len(orders) > 3 and {trial.kind for trial in heard_by(plan, 1)} == {"training", "item"}
    assert all(len({trial.scales for trial in heard_by(plan, listener)}) == 1 for listener in range(1, 5))


@pytest.mark.parametrize(
    ("method", "good", "bad"), [("mos", 1, 4), ("smos", 2, 3), ("cmos", None, None), ("abx", None, None), ("ab", None, None)]
)
def test_gold_and_traps_are_passed_by_who_answers_as_asked(method, good, bad):
    plan = plan_of(method, 2, 8, gold=2, traps=2, reference={"source": "files"})

    def answered(trial, is_right):
        if trial.kind not in ("gold", "trap"):
            return "A" if method in ("ab", "abx") else 1
        if method in ("ab", "abx"):
            return trial.right if is_right else {"A": "B", "B": "A"}[trial.right]
        if method == "cmos":
            return trial.right if is_right else -trial.right
        if trial.kind == "trap":
            return trial.right if is_right else trial.right % 5 + 1
        return good if is_right else bad

    passed = votes(plan, lambda trial: answered(trial, True), kinds=("gold", "trap"))
    failed = votes(plan, lambda trial: answered(trial, False), kinds=("gold", "trap"))
    assert [vote.passed for vote in passed] == [True] * 4 and [vote.passed for vote in failed] == [False] * 4


def test_training_is_no_vote_and_the_least_heard_of_a_pair_counts():
    plan = plan_of("abx", 2, 2)
    trials = heard_by(plan, 1)
    answer = Answer(trials[1].number, "A", plays={"A": 3, "B": 1, "X": 2}, heard_seconds={"A": 4.0, "X": 2.0})
    [vote] = votes_of(plan, trials, [Answer(trials[0].number, "A"), answer], "E01", True, items=items_of(plan))
    assert (vote.trial, vote.plays, vote.heard_seconds, vote.listener, vote.experimenter) == (trials[1].number, 1, 0.0, "E01", True)


def test_of_a_gold_page_the_systems_and_the_reference_count_and_an_anchor_may_be_as_bad():
    plan = plan_of("mushra", 2, 2, reference={"source": "files"}, gold=1, anchors=("lowpass-3.5",))

    def passed(**score):
        def page(trial):
            return {
                label: {"reference": 100, "gold": 5, **score}[system] for label, system in systems_in(plan, trial).items() if label != "R"
            }

        return {vote.passed for vote in votes(plan, page, kinds=("gold",))}

    anchor = "lowpass-3.5"
    assert passed(s0=60, s1=40, **{anchor: 5}) == {True}
    assert passed(s0=5, s1=5, **{anchor: 50}) == {False}
