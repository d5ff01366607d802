"""Over a panel no order favors any system; for one listener nothing can be foretold."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise, permutations

import pytest

from studio.listening.plan.orders import spread, williams
from studio.listening.plan.plan import METHODS
from studio.listening.plan.questions import question_count
from studio.listening.plan.trials import session_seconds, trials_of
from tests.listening.materials.panel import SECRET, heard_by, items_of, plan_of, systems_in

REFERENCED = {"reference": {"source": "files"}}
WITH_ALL = {"gold": 2, "traps": 2, "anchors": ("lowpass-3.5", "lowpass-7")}


def ordinary(plan, listener):
    return [trial for trial in heard_by(plan, listener) if trial.kind == "item"]


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7])
def test_each_stands_in_each_place_and_behind_each_other_equally_often(n):
    rows = williams(n)
    assert len(rows) == (n if n % 2 == 0 or n == 1 else 2 * n) and all(sorted(row) == list(range(n)) for row in rows)
    assert all(len(set(Counter(column).values())) == 1 for column in zip(*rows, strict=True))
    following = Counter(pair for row in rows for pair in pairwise(row))
    assert {following[pair] for pair in permutations(range(n), 2)} == ({len(rows) // n} if n > 1 else set())


@pytest.mark.parametrize("method", METHODS)
def test_trials_are_the_same_again_and_another_listeners_are_not(method):
    plan = plan_of(method, 3, **WITH_ALL, **REFERENCED)
    once = heard_by(plan, 5)
    assert once == heard_by(plan, 5) == trials_of(plan, items_of(plan)[::-1], 5, SECRET)
    assert [trial.number for trial in once] == list(range(1, question_count(plan) + 2))
    assert len({tuple((trial.text, tuple(systems_in(plan, trial).values())) for trial in heard_by(plan, one)) for one in range(1, 9)}) == 8
    assert [trial.text for trial in heard_by(plan.model_copy(update={"seed": 1}), 5)] != [trial.text for trial in once]


@pytest.mark.parametrize("method", METHODS)
def test_every_slot_has_a_name_of_its_own_that_tells_nothing(method):
    plan = plan_of(method, 3, n_texts=3, **REFERENCED)
    slots = [slot for listener in range(1, 5) for trial in heard_by(plan, listener) for slot in trial.slots]
    names = [slot.sound for slot in slots]
    assert len(set(names)) == len(names)
    assert all(len(name) == 32 and set(name) <= set("0123456789abcdef") for name in names)
    assert not {slot.item for slot in slots} & set(names)
    other = [slot.sound for trial in trials_of(plan, items_of(plan), 1, b"another") for slot in trial.slots]
    assert not set(other) & set(names)


@pytest.mark.parametrize("method", ["abx", "ab", "cmos"])
def test_two_listeners_hear_each_pair_in_opposite_orders(method):
    plan = plan_of(method, 3, repeats=2)
    for first in (1, 3, 7):
        heard = Counter()
        for listener in (first, first + 1):
            for trial in ordinary(plan, listener):
                systems = systems_in(plan, trial)
                heard[trial.text, systems["A"], systems["B"]] += 1
        assert all(heard[text, a, b] == heard[text, b, a] for text, a, b in heard)
        assert sum(heard.values()) == 2 * 3 * 6 * 2


@pytest.mark.parametrize("n_texts", [4, 5, 16])
def test_x_is_a_as_often_as_b_for_every_listener_and_cannot_be_foretold(n_texts):
    plan = plan_of("abx", 2, n_texts)
    runs = [[trial.right for trial in ordinary(plan, listener)] for listener in range(1, 41)]
    assert all(abs(2 * run.count("A") - n_texts) <= n_texts % 2 for run in runs)
    assert len(set(map(tuple, runs))) > 5
    ahead = sum(a == b for run in runs for a, b in pairwise(run)) / sum(len(run) - 1 for run in runs)
    assert 0.2 < ahead < 0.6  # neither in turns nor in runs
    for trial in ordinary(plan, 1):
        slots = {slot.label: slot.item for slot in trial.slots}
        assert slots["X"] == slots[trial.right] and slots["A"] != slots["B"]


def test_x_is_each_system_equally_often_over_two_listeners():
    plan = plan_of("abx", 2, 7)
    heard = Counter((trial.text, systems_in(plan, trial)["X"]) for listener in (1, 2) for trial in ordinary(plan, listener))
    assert set(heard.values()) == {1} and len(heard) == 14


@pytest.mark.parametrize(("method", "n_systems", "n_texts"), [("mos", 4, 8), ("smos", 3, 6), ("mos", 5, 10), ("mos", 2, 2), ("mos", 6, 3)])
def test_each_rating_is_asked_once_and_no_text_follows_itself(method, n_systems, n_texts):
    plan = plan_of(method, n_systems, n_texts, **REFERENCED)
    for listener in range(1, 9):
        trials = ordinary(plan, listener)
        asked = Counter((trial.text, systems_in(plan, trial)["A"]) for trial in trials)
        assert set(asked.values()) == {1} and len(asked) == n_systems * n_texts
        assert all(a.text != b.text for a, b in pairwise(trials)), listener
    assert len({tuple(trial.text for trial in ordinary(plan, listener)) for listener in range(1, 9)}) > (n_texts > 3) * 7


def test_over_as_many_listeners_as_the_square_has_rows_each_system_has_each_place_equally_often():
    plan = plan_of("mos", 4, 5)
    places = Counter(
        (index % 4, systems_in(plan, trial)["A"]) for listener in range(1, 5) for index, trial in enumerate(ordinary(plan, listener))
    )
    assert set(places.values()) == {5} and len(places) == 16


def test_a_page_has_hidden_reference_anchors_and_systems_each_in_each_slot_equally_often():
    plan = plan_of("mushra", 2, 3, anchors=("lowpass-3.5", "lowpass-7"), **REFERENCED)
    slots, orders = Counter(), set()
    for listener in range(1, 11):
        for trial in ordinary(plan, listener):
            systems = systems_in(plan, trial)
            assert systems.pop("R") == "reference" and sorted(systems.values()) == ["lowpass-3.5", "lowpass-7", "reference", "s0", "s1"]
            slots.update((trial.text, label, system) for label, system in systems.items())
            orders.add(tuple(systems.values()))
    assert set(slots.values()) == {2} and len(slots) == 3 * 25
    assert len(orders) > 20, "each text has orders of its own"


def test_a_system_that_is_the_reference_is_hidden_once_and_rated_as_no_system():
    plan = plan_of("mushra", 3, reference={"source": "system", "system": "s1"})
    assert sorted(systems_in(plan, heard_by(plan, 1)[1]).values()) == ["reference", "reference", "s0", "s2"]


@pytest.mark.parametrize("method", METHODS)
def test_gold_and_traps_are_spread_and_what_is_right_can_be_answered(method):
    plan = plan_of(method, 2, 9, gold=3, traps=2, **REFERENCED)
    trials = heard_by(plan, 3)
    assert [trial.kind for trial in trials].index("training") == 0 and Counter(trial.kind for trial in trials)["training"] == 1
    places = [index for index, trial in enumerate(trials) if trial.kind in ("gold", "trap")]
    assert len(places) == 5 and places[0] > 1
    assert all(1 < b - a < len(trials) / 2 for a, b in pairwise(places))
    for trial in trials:
        systems = systems_in(plan, trial)
        if trial.kind == "trap":
            assert trial.right == trial.asked is not None
        elif trial.kind == "gold":
            assert list(systems.values()).count("gold") in (1, 2) and trial.asked is None  # X may be it, too
            expected = {"mos": [1], "smos": [1], "dcr": [1], "p835": [1], "cmos": [3, -3], "ccr": [3, -3]}.get(method, systems)
            assert trial.right in expected
            if method.startswith("mushra"):
                assert systems[trial.right] == "gold"
            if method == "ab":
                assert systems[trial.right] != "gold"


@pytest.mark.parametrize("method", METHODS)
def test_a_page_with_gold_has_the_slots_of_any_other(method):
    plan = plan_of(method, 3, 6, gold=3, traps=2, anchors=() if method in ("ab", "abx", "cmos") else ("lowpass-7",), **REFERENCED)
    pages = [trial for listener in range(1, 9) for trial in heard_by(plan, listener)]
    assert len({tuple(slot.label for slot in trial.slots) for trial in pages}) == 1
    for trial in pages:
        others = [system for label, system in systems_in(plan, trial).items() if label != "R"]
        if trial.kind == "gold" and len(others) > 3:
            assert len(set(others)) == len(others) and "lowpass-7" in others and ("reference" in others) == (method == "mushra")


def test_a_trial_beside_others_of_its_text_goes_elsewhere():
    from random import Random

    texts = [0, 1, 2, 0, 1, 2, 0, 1, 2]
    for seed in range(20):
        [place] = spread(texts, [1], Random(seed))
        assert 1 not in texts[place - 1 : place + 1]


def test_without_a_secret_nobody_can_foretell_what_x_is():
    """The ids of the sounds are drawn anew for each test, and with them all orders."""
    plan = plan_of("abx", 2, 16)
    other = tuple(replace(item, id=item.id[::-1]) for item in items_of(plan))
    assert [trial.right for trial in trials_of(plan, other, 1, SECRET)] != [trial.right for trial in heard_by(plan, 1)]


def test_a_missing_sound_is_no_trial_and_a_plan_without_systems_asks_nothing():
    plan = plan_of("ab")
    with pytest.raises(KeyError):
        trials_of(plan, items_of(plan)[1:], 1, SECRET)
    assert heard_by(plan_of("mushra", 0, gold=3, traps=1), 1) == ()


def test_a_session_is_longer_with_more_sounds_and_longer_ones():
    plan = plan_of("ab", 2, 10)
    assert session_seconds(plan, items_of(plan, 4.0)) == pytest.approx(90 + 11 * (2 * 1.5 * 4 + 4))
    assert session_seconds(plan) < session_seconds(plan.model_copy(update={"repeats": 2})) < 60 * session_seconds(plan)
