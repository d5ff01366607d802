"""Where nobody is asked everything: each listener's part is balanced, and all parts together cover everything evenly."""

from collections import Counter
from random import Random

import pytest

from studio.listening.plan.parts import counted, part_of
from studio.listening.plan.questions import CellFinder, question_count, questions_of
from tests.listening.materials.panel import plan_of

REFERENCED = {"reference": {"source": "files"}}


def spread_of(counts, n_all):
    return max(counts.values()) - (min(counts.values()) if len(counts) == n_all else 0)


@pytest.mark.parametrize(("n_subjects", "n_texts", "n_questions"), [(5, 20, 12), (3, 4, 30), (1, 7, 3), (6, 3, 4), (2, 2, 4)])
@pytest.mark.slow
def test_each_part_and_all_parts_together_are_even(n_subjects, n_texts, n_questions):
    asked = Counter()
    for listener in range(1, 13):
        part = part_of(n_subjects, n_texts, n_questions, asked, Random(listener))
        assert part == part_of(n_subjects, n_texts, n_questions, asked, Random(listener)) and len(part) == n_questions
        for counts, n_all in (
            (Counter(cell.subject for cell in part), n_subjects),
            (Counter(cell.text for cell in part), n_texts),
            (Counter((cell.subject, cell.text) for cell in part), n_subjects * n_texts),
        ):
            assert spread_of(counts, n_all) <= 1
        for subject in range(n_subjects):
            for side in ("is_turned", "x"):
                sides = Counter(bool(getattr(cell, side)) for cell in part if cell.subject == subject)
                assert abs(sides[True] - sides[False]) <= 1
        asked += counted(part)
    cells = Counter()
    for cell, n in asked.items():
        cells[cell.subject, cell.text] += n
    assert spread_of(cells, n_subjects * n_texts) <= 2
    for side in ("is_turned", "x"):
        lean = Counter()
        for cell, n in asked.items():
            lean[cell.subject, cell.text] += n if getattr(cell, side) else -n
        assert max(map(abs, lean.values())) <= 3


@pytest.mark.parametrize("method", ["abx", "ab", "mos", "mushra"])
def test_what_a_question_asks_is_found_again(method):
    plan = plan_of(method, 3, 4, questions_per_listener=4, gold=1, traps=1, training=False, **REFERENCED)
    assert question_count(plan) == 6 and question_count(plan_of(method, 3, 4, questions_per_listener=500)) == 4 * (
        1 if method == "mushra" else 3
    )
    asked = Counter()
    for listener in range(1, 7):
        questions = [one for one in questions_of(plan, listener, b"", asked) if one.kind == "item"]
        assert len(questions) == 4 and len({one.text for one in questions}) == 4
        asked += counted(map(CellFinder(plan).cell, questions))
    per_cell = Counter()
    for cell, n in asked.items():
        per_cell[cell.subject, cell.text] += n
    assert set(per_cell.values()) == ({6} if method == "mushra" else {2})
    if method == "abx":
        assert {cell.x for cell in asked} == {cell.is_turned for cell in asked} == {0, 1}


def test_signals_stand_in_each_slot_equally_often_over_those_who_are_asked_about_a_text():
    plan, asked, slots = plan_of("mushra-like", 4, 4, questions_per_listener=2), Counter(), Counter()
    for listener in range(1, 9):
        questions = [one for one in questions_of(plan, listener, b"", asked) if one.kind == "item"]
        slots.update((one.text, label, sound.system) for one in questions for label, sound in one.sounds)
        asked += counted(map(CellFinder(plan).cell, questions))
    assert set(slots.values()) == {1} and len(slots) == 4 * 4 * 4
