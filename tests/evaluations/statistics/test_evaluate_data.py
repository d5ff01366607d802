"""Findings of evaluations: known answers, and what holds of drawn ones."""

import math
import random
from dataclasses import replace

import pytest
from scipy.stats import ttest_rel

from studio.evaluations.plan.evaluation import EvaluationData, WordFloor
from studio.evaluations.statistics.evaluate_data import evaluate_data
from studio.evaluations.statistics.findings import EvaluationFindings
from tests.evaluations.drawn_evaluation import Drawn, drawn_evaluation
from tests.evaluations.made_evaluation import REFUSED, made_evaluation, of_texts, turned


def keys(findings: EvaluationFindings) -> list[str]:
    return [line.key for line in (*findings.verdict, *findings.lines, *findings.notes)]


def test_wrong_words_are_errors_over_words_of_each_language_and_texts_weigh_languages():
    # English: 1 of 10 and 3 of 30 wrong, 4 of 40; Chinese: 5 of 20, and the mean of two texts and one.
    made = {("a", "v", text, 0): {"wrong_words": rate} for text, rate in (("t0", 10.0), ("t1", 10.0), ("t2", 25.0))}
    made["a", "v", "t1", 0] = {"wrong_words": 20.0}
    data = made_evaluation(made, n_words={"t0": 10, "t1": 30, "t2": 20}, languages={"t2": "zh"})
    mean = evaluate_data(data).mean("a", "wrong_words")
    assert mean
    assert mean.by_language["en"].mean == pytest.approx(100 * (1 + 6) / 40)
    assert mean.by_language["zh"].mean == pytest.approx(25)
    assert mean.mean == pytest.approx((2 * 17.5 + 25) / 3)
    assert "note_words_and_characters" in keys(evaluate_data(data))


def test_two_systems_in_one_voice_come_to_the_paired_t_test_of_texts():
    rng = random.Random(1)
    rows = {name: [0.8 - gap + rng.gauss(0, 0.03) for _ in range(20)] for name, gap in (("a", 0.0), ("b", 0.02))}
    pair = evaluate_data(made_evaluation(of_texts(rows))).pair("a", "b", "likeness")
    expected = ttest_rel(rows["a"], rows["b"])
    low, high = expected.confidence_interval()
    assert pair and (pair.p, pair.low, pair.high) == pytest.approx((expected.pvalue, low, high), rel=1e-4)
    assert pair.p_all == pytest.approx(pair.p)  # one pair, one figure
    assert (pair.better, pair.worse) == (("a", "b") if pair.p < 0.05 else (None, None))


def test_speed_is_compared_by_factors():
    made = of_texts({"a": [100 * 1.02**n for n in range(12)], "b": [300 * 1.02 ** (n + n % 2) for n in range(12)]}, "ttfp_ms")
    findings = evaluate_data(made_evaluation(made))
    pair, mean = findings.pair("a", "b", "ttfp_ms"), findings.mean("a", "ttfp_ms")
    assert pair and mean and pair.difference is None and pair.better == "a"
    assert pair.ratio == pytest.approx(1 / 3 / 1.01, rel=1e-3)
    assert pair.low_all and pair.high_all and pair.low_all < 0.33 < pair.high_all < 0.36
    assert mean.mean == pytest.approx(math.exp(sum(math.log(100 * 1.02**n) for n in range(12)) / 12))
    assert "found_ttfp_ms" in keys(findings)


def test_only_what_both_said_is_compared_and_refusals_are_counted():
    made = dict(of_texts({"a": [0.9, 0.8, 0.85, 0.1], "b": [0.7, 0.6, 0.65, 0.0]}))
    made["b", "v", "t3", 0] = REFUSED
    findings = evaluate_data(made_evaluation(made))
    pair = findings.pair("a", "b", "likeness")
    assert pair and pair.n == 3 and pair.difference == pytest.approx(0.2)
    assert (findings.systems[1].n_refused, findings.systems[1].refusals) == (1, {"language_unknown": 1})
    assert "note_refused" in keys(findings)


def test_zeros_of_wrong_words_are_no_certainty():
    made = {(name, "v", f"t{number}", 0): {"wrong_words": 0.0} for name in "ab" for number in range(20)}
    findings = evaluate_data(made_evaluation(made))
    pair, mean = findings.pair("a", "b", "wrong_words"), findings.mean("a", "wrong_words")
    assert pair and mean and pair.p == 1 and pair.better is None
    # Of 200 words none wrong: up to 3.7 of them may be, and more where three go wrong at once.
    assert mean.low == 0 and mean.high == pytest.approx(3 * 3.69 / 2, rel=0.01)
    assert pair.low is not None and pair.high is not None and -3 < pair.low < -1 < 1 < pair.high < 3


def test_a_range_of_wrong_words_is_never_below_none():
    made = {("a", "v", f"t{number}", 0): {"wrong_words": 100.0 * (number == 7)} for number in range(30)}
    mean = evaluate_data(made_evaluation(made)).mean("a", "wrong_words")
    assert mean and mean.low is not None and mean.high is not None
    assert 0 <= mean.low < mean.mean < mean.high
    assert mean.high - mean.mean > mean.mean - mean.low


def test_toys_are_compared_with_nothing_and_shown():
    made = of_texts({"a": [0.9, 0.8, 0.9], "b": [0.7, 0.6, 0.8], "c": [0.0, 0.1, 0.0]})
    findings = evaluate_data(made_evaluation(made, toys=["c"]))
    assert {(pair.system, pair.other) for pair in findings.pairs} == {("a", "b")}
    assert findings.mean("c", "likeness") and "note_toy" in keys(findings)
    assert "note_only_toys" in keys(evaluate_data(made_evaluation(made, toys=["a", "b", "c"])))


def test_one_system_one_text_and_nothing_at_all_have_findings():
    alone = evaluate_data(made_evaluation(of_texts({"a": [0.9, 0.8]})))
    assert alone.verdict[0].key == "verdict_alone" and not alone.pairs
    single = evaluate_data(made_evaluation(of_texts({"a": [0.9], "b": [0.1]})))
    pair = single.pair("a", "b", "likeness")
    assert pair and pair.difference == pytest.approx(0.8) and (pair.low, pair.better) == (None, None)
    assert single.verdict[0].key == "verdict_too_few"
    begun = dict(of_texts({"a": [0.9, 0.8], "b": [0.1, 0.2]}))
    begun |= {("b", "v", f"t{number}", 0): REFUSED for number in (0, 1)}
    assert evaluate_data(made_evaluation(begun)).verdict[0].key == "verdict_unshared"
    empty = made_evaluation(dict.fromkeys(of_texts({"a": [1.0]}), REFUSED))
    assert evaluate_data(empty).verdict[0].key == "verdict_nothing"
    assert evaluate_data(replace(empty, cells=())).verdict[0].key == "verdict_nothing"


def test_figures_that_are_no_numbers_are_not_there():
    made = dict(of_texts({"a": [0.9, 0.8, math.nan], "b": [0.7, 0.6, 0.8]}))
    findings = evaluate_data(made_evaluation(made))
    mean = findings.mean("a", "likeness")
    assert mean and mean.n == 2 and mean.mean == pytest.approx(0.85)


def test_figures_of_which_no_better_is_known_are_described_alone():
    made = {
        (name, "v", f"t{number}", 0): {"lufs": -20.0 + shift, "versa.srmr": 5.0}
        for name, shift in (("a", 0), ("b", 9))
        for number in range(9)
    }
    findings = evaluate_data(made_evaluation(made))
    assert findings.figures == ("lufs", "versa.srmr") and not findings.pairs
    assert {mean.mean for mean in findings.means if mean.figure == "lufs"} == {-20.0, -11.0}


def test_seeds_are_averaged_and_their_steadiness_is_told():
    made = {("a", "v", f"t{number}", seed): {"wrong_words": 10.0 * (seed and number == 0)} for number in range(5) for seed in (0, 1)}
    made |= {("b", "v", f"t{number}", seed): {"wrong_words": 0.0} for number in range(5) for seed in (0, 1)}
    data = made_evaluation(made)
    findings = evaluate_data(data)
    mean, (steady, same) = findings.mean("a", "wrong_words"), findings.steadiness
    assert mean and mean.mean == pytest.approx(1.0) and mean.n == 5
    assert (steady.n_unsteady, steady.n_words, steady.unsteady) == (1, 5, (("v", "t0"),))
    assert steady.deviations["wrong_words"] == pytest.approx((50 / 5) ** 0.5)
    assert not same.is_same and same.n_unsteady == 0
    one = {cell.key.text: cell.said.sound for cell in data.cells if cell.key.system == "b"}
    cells = tuple(replace(cell, said=replace(cell.said, sound=one[cell.key.text])) for cell in data.cells if cell.key.system == "b")
    assert evaluate_data(replace(data, cells=cells)).steadiness[0].is_same


def test_the_recognizers_floor_is_told():
    data = made_evaluation(of_texts({"a": [0.0, 10.0]}, "wrong_words"))
    one = replace(data, floors=(WordFloor("en", 0.05, 0.04, 200),))
    assert next(line for line in evaluate_data(one).notes if line.key == "note_floor").values == {"floor": 4.0}
    two = replace(data, floors=(WordFloor("en", 0.05), WordFloor("de")))
    assert next(line for line in evaluate_data(two).notes if line.key == "note_floor").values == {"floor": 5.0}


def test_a_language_that_says_otherwise_is_told():
    rng = random.Random(3)
    made = {
        (name, f"v{voice}", f"t{number}", 0): {"likeness": 0.7 + gap * (1 if number % 2 else -1) + rng.gauss(0, 0.01)}
        for name, gap in (("a", 0.05), ("b", -0.05))
        for voice in range(4)
        for number in range(20)
    }
    findings = evaluate_data(made_evaluation(made, languages={f"t{number}": "de" for number in range(1, 20, 2)}))
    pair = findings.pair("a", "b", "likeness")
    assert pair and pair.better is None
    assert {pair.language: pair.better for pair in findings.language_pairs} == {"en": "b", "de": "a"}
    assert keys(findings).count("found_in_languages") == 2


def test_what_holds_in_these_voices_and_maybe_in_no_others_is_no_verdict():
    rng = random.Random(4)
    tastes = (0.06, 0.05, 0.04, -0.03, 0.0)
    made = {
        (name, f"v{voice}", f"t{number}", 0): {"likeness": 0.7 + (taste if name == "a" else 0.0) + rng.gauss(0, 0.01)}
        for name in "ab"
        for voice, taste in enumerate(tastes)
        for number in range(30)
    }
    findings = evaluate_data(made_evaluation(made))
    (here,) = findings.voice_pairs
    assert here.better == "a" and findings.verdict[0].key == "verdict_alike"
    assert "found_in_voices" in keys(findings)
    few = {key: figures for key, figures in made.items() if key[1] in ("v0", "v1")}
    findings = evaluate_data(made_evaluation(few))
    assert not findings.voice_pairs and findings.verdict[0].key == "verdict_better" and "note_few_voices" in keys(findings)


def without_order(data: EvaluationData) -> tuple:
    findings = evaluate_data(data)
    return findings.verdict, findings.pairs, findings.means, findings.notes


def test_the_order_of_cells_changes_nothing():
    data = drawn_evaluation(Drawn(seed=1, refused_every=4, languages=("en",), seeds=(0,)))
    one, other = without_order(data), without_order(turned(data))
    assert (one[0], one[3]) == (other[0], other[3])
    for pair, same in zip(one[1], other[1], strict=True):
        assert (pair.p, pair.low, pair.p_all) == pytest.approx((same.p, same.low, same.p_all), rel=1e-5)


def test_systems_that_change_places_change_signs():
    data = drawn_evaluation(Drawn())
    plan = data.evaluation.plan
    other = plan.model_copy(update={"systems": plan.systems[::-1]})
    there, back = evaluate_data(data), evaluate_data(replace(data, evaluation=replace(data.evaluation, plan=other)))
    for pair in there.pairs:
        same = back.pair(pair.other, pair.system, pair.figure)
        assert same and same.better == pair.better and same.p_all == pytest.approx(pair.p_all)
        if pair.difference is not None and pair.low is not None:
            assert same.difference == pytest.approx(-pair.difference) and same.high == pytest.approx(-pair.low)
        elif pair.ratio is not None:
            assert same.ratio == pytest.approx(1 / pair.ratio)


def held(low: float | None, high: float | None) -> tuple[float, float]:
    """A range that is known."""
    assert low is not None and high is not None
    return low, high


def test_ranges_hold_their_values_and_those_that_decide_are_wider():
    for seed in (1, 2):
        findings = evaluate_data(drawn_evaluation(Drawn(labels=("A", "B", "C"), gap=0.2, seed=seed)))
        for pair in (*findings.pairs, *findings.language_pairs):
            value, zero = (pair.difference, 0.0) if pair.ratio is None else (pair.ratio, 1.0)
            (low, high), (low_all, high_all) = held(pair.low, pair.high), held(pair.low_all, pair.high_all)
            assert value is not None and low_all <= low <= value <= high <= high_all
            assert pair.is_clear == (not low_all <= zero <= high_all)
        for mean in findings.means:
            low, high = held(mean.low, mean.high)
            assert low <= mean.mean <= high and mean.p50 <= mean.p95
