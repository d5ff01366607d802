"""Gates: what is kept, what is not, and why."""

import random

from studio.evaluations.gate.gate import GateResult, gate
from studio.evaluations.gate.limits import limits_of
from studio.evaluations.statistics.evaluate_data import evaluate_data
from studio.evaluations.statistics.run_comparison import compare_runs
from tests.evaluations.made_evaluation import REFUSED, Made, made_evaluation, of_texts

A = [10.0, 0.0, 2.0, 0.0]


def told(limits: object, made: Made, **more) -> GateResult:
    return gate(evaluate_data(made_evaluation(made, **more)), limits_of(limits))


def keys(found: GateResult) -> list[str]:
    return [line.key for line in found.lines]


def test_limits_of_means_and_shares_are_kept_up_to_the_limit():
    made = of_texts({"a": A, "b": [1.0, 1.0, 1.0, 1.0]}, "wrong_words")
    found = told({"wrong_words": {"most": 3}}, made)
    assert found.is_passed and found.exit_status == 0 and keys(found) == ["gate_kept_most"] * 2
    broken = told({"wrong_words": {"most": 2.9, "p50": {"least": 0, "most": 1}}}, made)
    assert not broken.is_passed and broken.exit_status == 1
    assert [(line.key, line.is_passed) for line in broken.lines] == [
        ("gate_over", False),
        ("gate_kept_most", True),
        ("gate_between", True),
        ("gate_between", True),
    ]
    assert broken.lines[0].values == {"name": "A", "figure": "wrong_words", "statistic": "mean", "value": 3.0, "limit": 2.9}
    assert keys(told({"wrong_words": {"least": 2}}, made)) == ["gate_under", "gate_kept_least"]


def test_a_limit_of_one_system_goes_by_its_label():
    made = of_texts({"a": A, "b": [9.0] * 4}, "wrong_words")
    assert told({"systems": {"A": {"wrong_words": {"most": 3}}}}, made).is_passed
    assert keys(told({"systems": {"Kokoro": {"wrong_words": {"most": 3}}}}, made)) == ["gate_no_system"]


def test_refusals_and_unsteady_words_have_limits():
    made = dict(of_texts({"a": A}, "wrong_words"))
    made["a", "v", "t1", 0] = REFUSED
    assert keys(told({"refused": {"most": 0}}, made)) == ["gate_over"] and told({"refused": {"most": 1}}, made).is_passed
    assert keys(told({"unsteady": {"most": 0}}, made)) == ["gate_unmeasured"]
    made |= {("a", "v", text, 1): {"wrong_words": 5.0} for text in ("t0", "t3")}
    assert told({"unsteady": {"most": 1}}, made).is_passed and not told({"unsteady": {"most": 0}}, made).is_passed


def test_what_nobody_measured_keeps_no_limit():
    made = of_texts({"a": A}, "wrong_words")
    for figure in ("dnsmos", "memory_mb", "cold_ttfp_ms", "versa.srmr"):
        assert keys(told({figure: {"least": 0}}, made)) == ["gate_unmeasured"]
    assert keys(told({"wrong_words": {"most": 99}}, made, toys=["a"])) == ["gate_only_toys"]
    assert keys(gate(evaluate_data(made_evaluation(made)), limits_of({"worse": True}))) == ["gate_nothing"]


def test_nothing_may_be_worse_than_the_earlier_run_beyond_chance():
    rng = random.Random(1)
    values = [0.8 + rng.gauss(0, 0.02) for _ in range(20)]
    then = made_evaluation(of_texts({"a": values}))
    worse = made_evaluation(of_texts({"a": [value - 0.1 for value in values]}))
    limits = limits_of({"worse": False})
    assert keys(gate(evaluate_data(then), limits)) == ["gate_no_run"]
    assert gate(evaluate_data(then), limits, compare_runs(then, then)).is_passed
    found = gate(evaluate_data(worse), limits, compare_runs(worse, then))
    assert keys(found) == ["since_worse"] and not found.is_passed
    assert gate(evaluate_data(then), limits, compare_runs(then, worse)).is_passed
    refused = made_evaluation(dict(of_texts({"a": values})) | {("a", "v", "t0", 0): REFUSED})
    assert keys(gate(evaluate_data(refused), limits, compare_runs(refused, then))) == ["since_refused"]
    elsewhere = made_evaluation(of_texts({"a": values}, voice="w"))
    assert keys(gate(evaluate_data(elsewhere), limits, compare_runs(elsewhere, then))) == ["since_nothing_shared"]
