"""Two evaluations compared: what changed beyond chance, what is new, and what is not to be compared."""

import random
from dataclasses import replace

import pytest

from studio.evaluations.statistics.run_comparison import RunComparison, compare_runs
from tests.evaluations.made_evaluation import REFUSED, Made, made_evaluation, of_texts


def keys(found: RunComparison) -> list[str]:
    return [line.key for line in found.lines]


def rows(seed: int, shift: float = 0.0, n: int = 20) -> list[float]:
    rng = random.Random(seed)
    return [0.8 + shift + rng.gauss(0, 0.02) for _ in range(n)]


def test_a_system_that_got_worse_is_told_and_one_that_did_not_is_not():
    then = made_evaluation(of_texts({"a": rows(1), "b": rows(2)}))
    now = made_evaluation(of_texts({"a": rows(1, -0.05), "b": rows(2)}))
    found = compare_runs(now, then)
    changes = {change.system: change for change in found.changes}
    assert changes["a"].is_worse and not changes["a"].is_better
    assert changes["a"].change.difference == pytest.approx(-0.05)
    assert not changes["b"].is_worse and not changes["b"].is_better
    assert keys(found) == ["since_worse"] and keys(compare_runs(then, now)) == ["since_better"]
    assert keys(compare_runs(then, then)) == ["since_alike"]


def test_only_what_both_have_is_compared():
    then = made_evaluation(of_texts({"a": rows(1), "b": rows(2)}))
    now = made_evaluation(of_texts({"a": rows(1, -0.3)[:15], "c": rows(3)}))
    texts = tuple(text.model_copy(update={"text": "Another one."}) if text.id == "t0" else text for text in now.evaluation.plan.texts)
    now = replace(now, evaluation=replace(now.evaluation, plan=now.evaluation.plan.model_copy(update={"texts": texts})))
    found = compare_runs(now, then)
    assert (found.systems, found.new, found.gone) == (("a",), ("C",), ("B",))
    assert (found.n_cells, found.n_new, found.n_gone) == (14, 1, 6)
    assert {"since_worse", "since_new", "since_gone"} == set(keys(found))
    voices = tuple(voice.model_copy(update={"clip": "another"}) for voice in now.evaluation.plan.voices)
    other = replace(now, evaluation=replace(now.evaluation, plan=now.evaluation.plan.model_copy(update={"voices": voices})))
    assert keys(compare_runs(other, then))[0] == "since_nothing_shared"


def of_times(factor: float) -> Made:
    return of_texts({"a": [factor * (100 + number) for number in range(20)]}, "ttfp_ms")


def test_times_of_two_runs_differ_by_a_tenth_by_themselves():
    then = made_evaluation(of_times(1.0))
    assert keys(compare_runs(made_evaluation(of_times(1.08)), then)) == ["since_alike"]
    assert keys(compare_runs(made_evaluation(of_times(1.2)), then)) == ["since_worse"]
    assert keys(compare_runs(made_evaluation(of_times(0.8)), then)) == ["since_better"]


def test_another_machine_and_another_recognizer_are_not_compared():
    then = made_evaluation(of_times(1.0))
    elsewhere = compare_runs(made_evaluation(of_times(2.0), machine={"processor": "another"}), then)
    assert not elsewhere.changes and keys(elsewhere) == ["since_machine"]
    words = made_evaluation(of_texts({"a": [0.0] * 20}, "wrong_words"))
    other = replace(made_evaluation(of_texts({"a": [50.0] * 20}, "wrong_words")), recognizer="another")
    assert keys(compare_runs(other, words)) == ["since_recognizer"]


def test_what_is_no_longer_said_is_told_and_toys_are_not():
    made = dict(of_texts({"a": rows(1)}))
    then = made_evaluation(made)
    now = made_evaluation(made | {("a", "v", "t3", 0): REFUSED})
    assert compare_runs(now, then).refused == {"A": 1}
    both = of_texts({"a": rows(1), "b": rows(2)})
    worse = of_texts({"a": rows(1), "b": rows(2, -0.4)})
    assert keys(compare_runs(made_evaluation(worse, toys=["b"]), made_evaluation(both, toys=["b"]))) == ["since_alike"]
