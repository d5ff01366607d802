"""Claims about listeners: who sits where, what is taken for an answer, and what they come back to."""

from collections import Counter
from dataclasses import replace

import pytest

from studio.errors import AnswerRefused, ListenerUnknown, TestClosed, TestFull, TestNotOpen, TestUnknown
from studio.listening.plan.design import Trial
from studio.listening.plan.plan import OpenReference, Scale, System
from studio.listening.plan.screening import USUAL
from studio.listening.vote.sessions import SEAT_KEPT_SECONDS
from tests.listening.store.made_tests import PLAN, answer_of, finish, heard, opened, render

NAN = float("nan")


def first_trial(listening, **changes) -> tuple[str, str, Trial]:
    """(test, token, trial) of a listener who has heard everything there is to the first question."""
    test = opened(listening, PLAN.model_copy(update=changes))
    session = listening.begin(test.id)
    heard(listening, test.id, session.trials[0])
    return test.id, session.token, session.trials[0]


def refusal(listening, *answer) -> str:
    with pytest.raises(AnswerRefused) as refused:
        listening.answer(*answer)
    return refused.value.values["sentence"]


# --- seats


def test_seats_are_given_in_order_and_one_in_which_nobody_finished_is_given_again(listening, clock):
    test = opened(listening)
    a, b, c = (listening.begin(test.id) for _ in range(3))
    assert [(each.listener, each.seat) for each in (a, b, c)] == [("L01", 1), ("L02", 2), ("L03", 3)]
    finish(listening, test.id, a)
    clock.now += SEAT_KEPT_SECONDS - 1
    heard(listening, test.id, c.trials[0])
    listening.answer(test.id, c.token, answer_of(c.trials[0]))  # who is still at it keeps the seat
    clock.now += 2
    d, e = listening.begin(test.id), listening.begin(test.id)
    assert [(each.listener, each.seat) for each in (d, e)] == [("L04", 2), ("L05", 4)]
    assert [trial.slots[0].item for trial in d.trials] == [trial.slots[0].item for trial in b.trials]
    finish(listening, test.id, b)  # who comes back after all
    assert (listening.test(test.id).n_begun, listening.test(test.id).n_done) == (5, 2)


def test_nobody_knows_what_a_sound_is_called_for_another_who_had_the_same_seat(listening, clock):
    test = opened(listening)
    before = listening.begin(test.id)
    clock.now += SEAT_KEPT_SECONDS + 1
    after = listening.begin(test.id)
    names = [{slot.sound for trial in each.trials for slot in trial.slots} for each in (before, after)]
    assert before.seat == after.seat and len(names[0] | names[1]) == 8
    heard(listening, test.id, before.trials[0])
    assert refusal(listening, test.id, after.token, answer_of(after.trials[0])) == "answer_unheard"


def test_a_test_has_so_many_listeners_and_no_more(listening):
    test = opened(listening)
    listening._sessions._most = 2
    listening.begin(test.id), listening.begin(test.id, experimenter=True)
    with pytest.raises(TestFull):
        listening.begin(test.id)


def test_who_begins_again_and_again_keeps_nobody_out_for_long(listening, clock):
    test = opened(listening)
    listening._sessions._most = 3
    begun, done, idle = (listening.begin(test.id) for _ in range(3))
    heard(listening, test.id, begun.trials[0])
    listening.answer(test.id, begun.token, answer_of(begun.trials[0]))
    finish(listening, test.id, done)
    clock.now += SEAT_KEPT_SECONDS + 1
    assert listening.begin(test.id).listener == "L03"
    with pytest.raises(ListenerUnknown):
        listening.session(test.id, idle.token)
    assert [len(listening.session(test.id, each.token).answered) for each in (begun, done)] == [1, 2]
    with pytest.raises(TestFull):
        listening.begin(test.id)


def test_who_made_the_test_may_try_a_draft_and_that_is_thrown_away(listening):
    draft = listening.create(PLAN)
    with pytest.raises(TestNotOpen):
        listening.begin(draft.id, experimenter=True)
    render(listening, draft)
    trying = listening.begin(draft.id, experimenter=True)
    assert (trying.listener, trying.seat, trying.is_experimenter, finish(listening, draft.id, trying)) == ("E01", 1, True, 2)
    listening.freeze(draft.id)
    with pytest.raises(ListenerUnknown):
        listening.session(draft.id, trying.token)
    again, listener = listening.begin(draft.id, experimenter=True), listening.begin(draft.id)
    assert (again.listener, listener.listener, listener.seat) == ("E01", "L01", 1)
    finish(listening, draft.id, again)
    test = listening.close_test(draft.id)
    assert (test.n_begun, test.n_done) == (1, 0)
    assert [(vote.listener, vote.experimenter) for vote in listening.votes(test.id)] == [("E01", True)] * 2


def test_a_draft_of_which_a_sound_is_missing_cannot_be_tried(listening):
    draft = render(listening, listening.create(PLAN))
    listening._store.write_items(draft.id, PLAN, draft.items[1:])
    with pytest.raises(TestNotOpen):
        listening.begin(draft.id, experimenter=True)


# --- parts


def cells_of(trials) -> set[str]:
    return {trial.slots[0].item for trial in trials}


def test_parts_cover_what_those_who_left_did_not_answer(listening, clock):
    texts = tuple(f"Text {number}." for number in range(6))
    test = opened(listening, PLAN.model_copy(update={"method": "mos", "texts": texts, "questions_per_listener": 4}))
    first, second, third = (listening.begin(test.id) for _ in range(3))
    assert all(len(each.trials) == 4 for each in (first, second, third))
    assert len(cells_of((*first.trials, *second.trials, *third.trials))) == 12, "those who sit there count"
    finish(listening, test.id, first, 3)
    heard(listening, test.id, second.trials[0])
    listening.answer(test.id, second.token, answer_of(second.trials[0], 3))
    clock.now += SEAT_KEPT_SECONDS + 1
    again = [listening.begin(test.id) for _ in range(2)]
    left = cells_of((*second.trials[1:], *third.trials))
    assert len(left & cells_of(trial for each in again for trial in each.trials)) == 7, "what nobody answered comes first"


def test_of_two_who_begin_at_once_neither_gets_what_the_other_has(listening):
    from concurrent.futures import ThreadPoolExecutor

    test = opened(listening, PLAN.model_copy(update={"method": "mos", "texts": ("One.", "Two.", "Three."), "questions_per_listener": 3}))
    with ThreadPoolExecutor(4) as threads:
        begun = list(threads.map(lambda _: listening.begin(test.id), range(4)))
    counts = Counter(slot.item for each in begun for trial in each.trials for slot in trial.slots)
    assert sorted(counts.values()) == [2] * 6


# --- coming back


def test_a_listener_comes_back_with_a_token_that_nobody_could_read_from_the_file(listening, tmp_path, clock):
    test = opened(listening)
    session = listening.begin(test.id, device="phone, headphones" + "x" * 500)
    heard(listening, test.id, session.trials[0])
    listening.answer(test.id, session.token, answer_of(session.trials[0]))
    clock.now += 90.0
    assert listening.session(test.id, session.token) == replace(session, answered=(1,), paused_seconds=90.0)
    for test_id, token in ((test.id, "x"), (opened(listening).id, session.token)):
        with pytest.raises(ListenerUnknown):
            listening.session(test_id, token)
    assert not any(session.token.encode() in path.read_bytes() for path in (tmp_path / "listening").glob("tests*"))


def test_a_sound_is_served_by_its_name_in_its_own_test_alone(listening):
    test, other = opened(listening), opened(listening)
    slot = listening.begin(test.id).trials[0].slots[0]
    assert listening.sound(test.id, slot.sound) == listening.sound_file(test.id, slot.item).read_bytes()
    for test_id, sound in ((other.id, slot.sound), (test.id, slot.item), (test.id, "")):
        with pytest.raises(TestUnknown):
            listening.sound(test_id, sound)


# --- answers


@pytest.mark.parametrize(
    ("method", "taken", "refused"),
    [
        ("abx", ["A", "B"], ["X", "none", "", 1, None]),
        ("ab", ["A", "B"], ["none", True, "a"]),
        ("cmos", [-3, 0, 3], [-4, 4, 1.5, "1", True]),
        ("mos", [1, 5], [0, 6, 2.5, False, "A"]),
        ("smos", [1, 5], [0, 6]),
        ("dcr", [1, 5], [0, 6]),
        ("ccr", [-3, 3], [-4, 4]),
        (
            "bs1116",
            [{"B": 5, "C": 1.0}, {"B": 4.9, "C": 5.0}],
            [{"B": 4.9, "C": 4.9}, {"B": 5.0, "C": 4.95}, {"B": 5.0, "C": 0.9}, {"B": 5.0}],
        ),
        (
            "p835",
            [{"signal": 1, "background": 5, "overall": 3}],
            [
                3,
                {"signal": 1, "background": 5},
                {"signal": 1, "background": 5, "overall": 6},
                {"signal": 1.5, "background": 5, "overall": 3},
            ],
        ),
        ("mushra-like", [{"1": 0, "2": 100}, {"1": 33.5, "2": 7}], [{"1": 0}, {"1": 0, "2": 101}, {"1": NAN, "2": 1}, {"1": True, "2": 1}]),
    ],
)
def test_an_answer_is_one_that_the_question_has(listening, method, taken, refused):
    reference = OpenReference(source="system", system="fast") if method in ("smos", "dcr", "ccr", "bs1116") else None
    test, token, trial = first_trial(listening, method=method, reference=reference)
    for value in refused:
        assert refusal(listening, test, token, answer_of(trial, value)) == "answer_out_of_range"
    for value in taken:
        assert listening.answer(test, token, answer_of(trial, value)) == 1


def test_points_are_those_of_ones_own_scales_and_the_text_is_told_where_the_plan_says_so(listening):
    scales = (
        Scale(id="pace", question="How fast?", labels=("Slow", "Fast"), points=9),
        Scale(id="age", question="Age?", labels=("Young", "Old")),
    )
    test, token, trial = first_trial(listening, method="mos", scales=scales, show_text=True)
    assert trial.scales == ("pace", "age") and listening.session(test, token).texts == PLAN.texts
    assert refusal(listening, test, token, answer_of(trial, {"pace": 9, "age": 3})) == "answer_out_of_range"
    assert listening.answer(test, token, answer_of(trial, {"pace": 9, "age": 2})) == 1
    hidden = opened(listening)
    assert listening.begin(hidden.id).texts == ()


def test_no_difference_is_an_answer_where_the_plan_says_so(listening):
    test, token, trial = first_trial(listening, no_preference=True)
    assert listening.answer(test, token, answer_of(trial, "none")) == 1


def test_nobody_rates_the_open_reference(listening):
    plan = {"method": "mushra", "reference": OpenReference(source="system", system="fast")}
    test, token, trial = first_trial(listening, **plan)
    labels = [slot.label for slot in trial.slots]
    assert "R" in labels
    assert refusal(listening, test, token, answer_of(trial, dict.fromkeys(labels, 50))) == "answer_out_of_range"
    assert listening.answer(test, token, answer_of(trial, {label: 50 for label in labels if label != "R"})) == 1


@pytest.mark.parametrize(
    "unheard",
    [
        {"plays": {"A": 1}},
        {"plays": {"A": 1, "B": 0}},
        {"heard_seconds": {"A": 2.0, "B": 1.59}},
        {"heard_seconds": {"A": 2.0, "B": NAN}},
    ],
)
def test_who_has_not_heard_every_sound_does_not_answer(listening, unheard):
    test, token, trial = first_trial(listening)
    assert refusal(listening, test, token, answer_of(trial, **unheard)) == "answer_unheard"
    assert listening.answer(test, token, answer_of(trial, heard_seconds={"A": 1.6, "B": 1.6})) == 1  # 80 % of 2 s


def test_three_seconds_of_a_long_sound_are_enough(listening):
    test = listening.create(PLAN)
    render(listening, test)
    items = tuple(replace(item, seconds=60.0) for item in listening.test(test.id).items)
    listening._store.write_items(test.id, PLAN, items)
    session = listening.begin(listening.freeze(test.id).id)
    heard(listening, test.id, session.trials[0])
    assert refusal(listening, test.id, session.token, answer_of(session.trials[0], heard_seconds={"A": 3.0, "B": 2.9})) == "answer_unheard"
    assert listening.answer(test.id, session.token, answer_of(session.trials[0], heard_seconds={"A": 3.0, "B": 3.0})) == 1


def test_what_was_never_asked_for_was_not_heard_whatever_the_page_says(listening):
    test = opened(listening)
    session = listening.begin(test.id)
    trial = session.trials[0]
    listening.sound(test.id, trial.slots[0].sound)
    assert refusal(listening, test.id, session.token, answer_of(trial)) == "answer_unheard"
    listening.sound(test.id, trial.slots[1].sound)
    assert listening.answer(test.id, session.token, answer_of(trial)) == 1


def test_an_answer_may_be_sent_again_and_be_another_until_the_next_question_has_one(listening):
    test = opened(listening)
    session = listening.begin(test.id)
    one, two = session.trials
    assert refusal(listening, test.id, session.token, answer_of(two)) == "answer_out_of_turn"
    for trial in (one, two):
        heard(listening, test.id, trial)
    ask = [(one, "A", 1), (one, "A", 1), (one, "B", 1), (two, "A", 2), (one, "B", 2), (two, "B", 2)]
    assert [listening.answer(test.id, session.token, answer_of(trial, value)) for trial, value, _ in ask] == [n for _, _, n in ask]
    assert refusal(listening, test.id, session.token, answer_of(one, "A")) == "answer_out_of_turn"
    assert refusal(listening, test.id, session.token, replace(answer_of(one), trial=3)) == "answer_of_no_trial"
    assert listening.session(test.id, session.token).is_done
    listening.close_test(test.id)
    assert listening.answer(test.id, session.token, answer_of(two, "B")) == 2  # the network lost what we said of it
    with pytest.raises(TestClosed):
        listening.answer(test.id, session.token, answer_of(two, "A"))
    with pytest.raises(TestClosed):
        listening.begin(test.id)
    assert [vote.score for vote in listening.votes(test.id)] == [
        float({"A": 0, "B": 1}[label] == listening_position(trial)) for trial, label in ((one, "B"), (two, "B"))
    ]


def listening_position(trial: Trial) -> int:
    """Of the first system."""
    return [slot.item.startswith("fast") for slot in trial.slots].index(True)


def test_a_comment_and_a_time_have_bounds(listening):
    test, token, trial = first_trial(listening)
    assert refusal(listening, test, token, answer_of(trial, comment="x" * 2001)) == "answer_comment_too_long"
    for seconds in (-1.0, NAN, float("inf")):
        assert refusal(listening, test, token, answer_of(trial, seconds=seconds)) == "answer_out_of_range"
    assert listening.answer(test, token, answer_of(trial, comment="x" * 2000)) == 1


def test_an_invitation_tells_what_is_needed_and_names_nothing(listening):
    systems = (System(id="secret", label="Hidden", speaker="Ann"), System(id="b"))
    plan = PLAN.model_copy(update={"method": "mushra-like", "name": "Quintilian", "systems": systems, "consent": "Yes?"})
    draft = listening.invitation(listening.create(plan).id)
    told = listening.invitation(opened(listening, plan).id)
    assert (told.method, told.n_trials, told.consent, told.needs_wide, told.is_open, told.is_draft) == (
        "mushra-like",
        2,
        "Yes?",
        True,
        True,
        False,
    )
    assert 1 <= told.minutes <= 5 and (draft.is_open, draft.is_draft) == (False, True)
    assert not any(word in str(told) for word in ("Quintilian", "secret", "Hidden", "Ann"))
    assert not listening.invitation(opened(listening).id).needs_wide


SCREENED = PLAN.model_copy(update={"screening": USUAL})


def test_who_answers_before_the_sounds_can_be_heard_is_early_by_the_servers_clock_whatever_the_page_says(listening, clock):
    """Two sounds of 2 s a question, of which 95 % have to be heard; what a lost line sends late is not early."""
    test = opened(listening, SCREENED)
    bot, patient, offline = (listening.begin(test.id, device="earphones, noisy, headphone check passed") for _ in range(3))
    finish(listening, test.id, bot)
    for session in (patient, offline):
        for trial in session.trials:
            heard(listening, test.id, trial)
    clock.now += 4
    listening.answer(test.id, patient.token, answer_of(patient.trials[0]))
    clock.now += 4
    listening.answer(test.id, patient.token, answer_of(patient.trials[1]))
    for trial in offline.trials:
        listening.answer(test.id, offline.token, answer_of(trial))
    listening.close_test(test.id)
    early = {}
    for vote in listening.votes(test.id):
        early.setdefault(vote.listener, []).append(vote.early_seconds)
    assert early == {"L01": [3.8, 7.6], "L02": [0.0, 0.0], "L03": [0.0, 0.0]}
    findings = listening.findings(test.id)
    assert [(one.listener, one.counts) for one in findings.listeners] == [("L01", False), ("L02", True), ("L03", True)]
    first = findings.listeners[0]
    assert [each.reason for each in first.exclusions] == ["early"]
    assert (first.device, first.place, first.check) == ("earphones", "noisy", "passed")


def test_where_a_plan_asks_for_all_of_a_sound_most_of_it_is_not_enough(listening):
    test = opened(listening, SCREENED)
    session = listening.begin(test.id)
    heard(listening, test.id, session.trials[0])
    with pytest.raises(AnswerRefused):
        listening.answer(test.id, session.token, answer_of(session.trials[0], heard_seconds={"A": 2.0, "B": 1.8}))
    assert listening.answer(test.id, session.token, answer_of(session.trials[0], heard_seconds={"A": 2.0, "B": 1.95})) == 1
    assert listening.invitation(test.id).hears_whole


def test_who_comes_again_with_the_same_browser_is_told_and_nobody_can_read_which_it_was(listening, clock, tmp_path):
    test = opened(listening, SCREENED)
    for browser in ("10.1.2.3 Firefox", "10.1.2.3 Firefox", "10.1.2.3 Safari"):
        finish(listening, test.id, listening.begin(test.id, browser=browser))
        clock.now += 60
    listening.close_test(test.id)
    found = {
        one.listener: [each.values for each in one.exclusions if each.reason == "same_device"]
        for one in listening.findings(test.id).listeners
    }
    assert found == {"L01": [], "L02": [{"other": "L01"}], "L03": []}
    assert not any(b"Firefox" in file.read_bytes() for file in tmp_path.rglob("tests.sqlite*"))
