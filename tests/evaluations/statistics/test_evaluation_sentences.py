"""Sentences of findings, comparisons and gates, in every language."""

from collections.abc import Iterable
from functools import partial

import pytest

from studio.evaluations.gate.gate import gate
from studio.evaluations.gate.limits import limits_of
from studio.evaluations.statistics.evaluate_data import evaluate_data
from studio.evaluations.statistics.run_comparison import compare_runs
from studio.evaluations.statistics.sentences import sentence_of
from studio.words.line import Line
from studio.words.sentences import LANGUAGES, sentences_in
from tests.evaluations.drawn_evaluation import Drawn, drawn_evaluation
from tests.evaluations.made_evaluation import made_evaluation, of_texts


def said(lines: Iterable[Line], language: str = "en") -> list[str]:
    words = sentences_in(language)
    return [sentence_of(line, lambda key, values: words.words(f"evaluations.{key}", values)) for line in lines]


def of_gap(gap: float, figure: str = "wrong_words") -> list[str]:
    noise = [0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 0.0, 1.5, -1.5]
    rows = {"a": [40 + one for one in noise], "b": [40 + gap + other for other in noise[::-1]]}
    return said(evaluate_data(made_evaluation(of_texts(rows, figure), n_words=1000)).lines)


def test_wrong_words_are_told_in_a_hundred_with_their_range():
    assert of_gap(9.0) == ["A has fewer wrong words than B: 7.7 to 10.3 fewer in a hundred."]
    assert of_gap(-9.0) == ["B has fewer wrong words than A: 7.7 to 10.3 fewer in a hundred."]
    assert of_gap(0.0)[0].startswith("Wrong words: no difference beyond chance. A less B is between -1.")


def test_times_are_told_as_factors():
    assert of_gap(80.0, "ttfp_ms") == ["B is heard first after 2.9 to 3.1 times as long as A."]


def test_the_verdict_says_who_is_better_in_what():
    data = drawn_evaluation(Drawn(labels=("A", "B"), n_voices=2, n_texts=20))
    (verdict,) = said(evaluate_data(data).verdict)
    assert verdict.startswith("A is better than B: ") and "more like the voice" in verdict and "heard sooner" in verdict
    alike = made_evaluation(of_texts({"a": [0.1, 0.2, 0.3], "b": [0.2, 0.3, 0.1]}))
    assert said(evaluate_data(alike).verdict) == ["Nothing sets these apart beyond chance: A, B."]


def all_lines() -> Iterable[Line]:
    limits = limits_of(
        {"wrong_words": {"most": 5, "least": 0, "p95": {"most": 9}}, "refused": {"most": 0}, "memory_mb": {"least": 1}, "worse": False}
    )
    for drawn in (
        Drawn(),
        Drawn(labels=("A", "B", "C"), n_toys=1, refused_every=5),
        Drawn(labels=tuple("ABCDE"), seeds=(0,)),
        Drawn(labels=("A",)),
    ):
        data, later = drawn_evaluation(drawn), drawn_evaluation(Drawn(**{**vars(drawn), "drift": 0.5}))
        findings, runs = evaluate_data(data), compare_runs(later, data)
        yield from (*findings.verdict, *findings.lines, *findings.notes, *runs.lines)
        yield from (line.line for line in gate(findings, limits, runs).lines)


def test_every_line_is_a_sentence_in_every_language():
    lines = list(all_lines())
    assert len({line.key for line in lines}) > 25
    for language in LANGUAGES:
        for sentence in said(lines, language):
            assert sentence and "{" not in sentence and "_" not in sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_ahead_and_behind_has_words(language):
    lines = [
        Line("since_worse", {"name": "A", "behind": ["likeness", "versa.srmr"]}),
        Line("since_better", {"name": "A", "ahead": ["rtf"]}),
    ]
    worse, better = map(partial(str.strip), said(lines, language))
    assert "srmr" in worse and "versa" not in worse and better
