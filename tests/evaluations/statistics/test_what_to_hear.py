"""Which sounds to listen to: the worst ones, and those in which systems differ most."""

from collections import Counter

import pytest

from studio.evaluations.plan.cell import CellKey
from studio.evaluations.statistics.differ_most import differ_most
from studio.evaluations.statistics.worst_cells import worst_cells
from tests.evaluations.drawn_evaluation import Drawn, drawn_evaluation
from tests.evaluations.made_evaluation import REFUSED, made_evaluation, of_texts


def texts_of(keys: list[CellKey]) -> list[str]:
    return [key.text for key in keys]


def test_the_worst_come_first_whichever_way_a_figure_goes():
    made = {
        ("a", "v", f"t{n}", 0): {"wrong_words": w, "likeness": k, "pace": p, "lufs": u}
        for n, (w, k, p, u) in enumerate(((0.0, 0.9, 1.0, -20.0), (50.0, 0.5, 0.4, -21.0), (10.0, 0.7, 2.0, -30.0)))
    }
    data = made_evaluation(made)
    assert texts_of(worst_cells(data, "wrong_words")) == ["t1", "t2", "t0"]
    assert texts_of(worst_cells(data, "likeness", "a")) == ["t1", "t2", "t0"]
    assert texts_of(worst_cells(data, "pace")) == ["t1", "t2", "t0"]
    assert texts_of(worst_cells(data, "lufs"))[0] == "t2"
    assert worst_cells(data, "dnsmos") == [] == worst_cells(data, "likeness", "b")
    with pytest.raises(KeyError):
        worst_cells(data, "wrong_wrods")


def test_both_are_ahead_in_turn_and_the_widest_gap_is_first():
    rows = {"a": [0.9, 0.9, 0.9, 0.5, 0.6], "b": [0.4, 0.5, 0.6, 0.8, 0.8]}
    found = differ_most(made_evaluation(of_texts(rows)), 4)
    assert found == [("v", "t0"), ("v", "t3"), ("v", "t1"), ("v", "t4")]


def test_texts_and_voices_come_as_seldom_again_as_can_be():
    data = drawn_evaluation(Drawn(n_voices=4, n_texts=10, gap=0.3))
    found = differ_most(data, 20)
    assert len(found) == len(set(found)) == 20
    texts, voices = Counter(text for _, text in found), Counter(voice for voice, _ in found)
    assert len(texts) == 10 and max(texts.values()) <= 3
    assert len(voices) == 4 and max(voices.values()) <= 7


def test_only_what_all_said_counts_and_alike_systems_differ_in_nothing():
    made = dict(of_texts({"a": [0.9, 0.9, 0.9], "b": [0.4, 0.5, 0.9]}))
    made["b", "v", "t0", 0] = REFUSED
    assert differ_most(made_evaluation(made)) == [("v", "t1")]
    assert differ_most(made_evaluation(of_texts({"a": [0.9, 0.8]}))) == []
    assert differ_most(made_evaluation(of_texts({"a": [0.9, 0.8], "b": [0.9, 0.8]}))) == []
    assert differ_most(made_evaluation(of_texts({"a": [1.0, 9.0], "b": [900.0, 1.0]}, "ttfp_ms"))) == []
    three = made_evaluation(of_texts({"a": [0.9, 0.8], "b": [0.8, 0.8], "c": [0.1, 0.9]}))
    assert len(differ_most(three)) == 2 and differ_most(three, systems=("a", "b")) == [("v", "t0")]
