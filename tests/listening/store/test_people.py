"""Claims about the people of a test: where they come from, what they say of themselves, what they take along, and how they go."""

import json

import pytest

from studio.errors import (
    AnswerRefused,
    ListenerKnown,
    ListenerScreenedOut,
    ListenerUnknown,
    PlanUnusable,
    ResultsHidden,
    TestPreviewed,
    TestQuotaFull,
)
from studio.listening.people.arrival import kept_of, participant_of
from studio.listening.people.own_code import own_code
from studio.listening.plan.plan_check import plan_of
from studio.listening.report.listeners_csv import listeners_csv
from tests.listening.store.made_tests import PLAN, answer_of, finish, heard, opened

PROLIFIC = "?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=z&who=evil"
TURK = "?workerId=w1&assignmentId=a1&hitId=h1&turkSubmitTo=https://workersandbox.mturk.com"
AGE = {"id": "age", "text": "Age?", "choices": ["young", "old"], "required": True, "screens_out": ["young"]}
FORM = {
    "before": [AGE, {"id": "years", "text": "Years?", "kind": "number", "least": 0, "most": 90}],
    "after": [{**AGE, "screens_out": [], "id": "hard"}],
}


def plan(**changes):
    return plan_of(PLAN.model_dump(mode="json") | changes)


def test_of_a_link_is_kept_what_services_send_and_the_plan_names_and_nothing_else(listening):
    test = opened(listening, plan(recruiting=["panel_id", "source"]))
    for query, kept, participant in (
        (PROLIFIC, {"PROLIFIC_PID": "p1", "STUDY_ID": "s1", "SESSION_ID": "z"}, "prolific/p1"),
        (TURK, {"workerId": "w1", "assignmentId": "a1", "hitId": "h1", "turkSubmitTo": "https://workersandbox.mturk.com"}, "mturk/w1"),
        ("?panel_id=%20x%20&source=mail", {"panel_id": "x", "source": "mail"}, "panel_id/x"),
        ("?source=mail&turkSubmitTo=https://evil.example/https://www.mturk.com", {"source": "mail"}, None),
        ("?turkSubmitTo=https://www.mturk.com@evil.example&workerId=", {}, None),
        ("?turkSubmitTo=https://[", {}, None),
    ):
        assert (kept_of(query, test.plan), participant_of(kept_of(query, test.plan), test.plan)) == (kept, participant)
    finish(listening, test.id, listening.begin(test.id, query="?panel_id=%3D1%2B1&source=mail"))
    listening.close_test(test.id)
    [person] = listening.listeners(test.id)
    assert person.recruited == {"panel_id": "=1+1", "source": "mail"} and person.consented == person.begun
    head, row, _ = listeners_csv(test.plan, [person]).split("\r\n")
    assert head.endswith("completion_code,panel_id,source") and ",'=1+1,mail" in row


def test_nobody_takes_a_test_twice_and_who_comes_back_where_they_began_goes_on(listening):
    test = opened(listening)
    idle = listening.begin(test.id, query=PROLIFIC)
    session = listening.begin(test.id, query=PROLIFIC)  # nothing was answered: on another device
    with pytest.raises(ListenerUnknown):
        listening.session(test.id, idle.token)
    heard(listening, test.id, session.trials[0])
    listening.answer(test.id, session.token, answer_of(session.trials[0]))
    for _ in range(2):
        with pytest.raises(ListenerKnown):
            listening.begin(test.id, query=PROLIFIC)
        assert listening.session(test.id, session.token, PROLIFIC).answered[:1] == (1,)
        finish(listening, test.id, listening.session(test.id, session.token))
    with pytest.raises(ListenerUnknown):  # another person at the same computer
        listening.session(test.id, session.token, PROLIFIC.replace("p1", "p2"))
    listening.begin(test.id, query=PROLIFIC, experimenter=True)
    listening.begin(test.id), listening.begin(test.id)
    assert listening.test(test.id).n_begun == 3


def test_a_preview_begins_nothing(listening):
    test = opened(listening)
    with pytest.raises(TestPreviewed):
        listening.begin(test.id, query=TURK.replace("=a1", "=ASSIGNMENT_ID_NOT_AVAILABLE"))
    assert listening.test(test.id).n_begun == 0


def test_a_quota_counts_who_finished_and_who_is_under_way_may_finish(listening):
    test = opened(
        listening, plan(quota=1, completion={"full": {"code": "FULL", "redirect": "https://a.example/?c={code}&p={PROLIFIC_PID}"}})
    )
    one, other = listening.begin(test.id), listening.begin(test.id)
    assert not listening.invitation(test.id).is_full
    finish(listening, test.id, one)
    assert listening.invitation(test.id).is_full
    with pytest.raises(TestQuotaFull):
        listening.begin(test.id)
    assert finish(listening, test.id, other) == 2 and listening.begin(test.id, experimenter=True)
    along = listening.turned_away(test.id, "?PROLIFIC_PID=a%26b", is_full=True)
    assert (along.code, along.redirect, along.submit_to) == ("FULL", "https://a.example/?c=FULL&p=a%26b", "")


def test_a_form_is_answered_as_it_asks_and_screens_out_for_good(listening):
    test = opened(listening, plan(questionnaire=FORM, completion={"screened_out": {"code": "OUT"}}))
    for form in ({}, {"age": "none"}, {"age": ["old"]}, {"age": "old", "years": 91}, {"age": "old", "years": True}, {"age": "old", "x": 1}):
        with pytest.raises(AnswerRefused):
            listening.begin(test.id, form=form)
    for age in ("young", "old"):  # who says another thing later is known
        with pytest.raises(ListenerScreenedOut):
            listening.begin(test.id, query=PROLIFIC, form={"age": age})
    assert listening.turned_away(test.id, PROLIFIC, is_full=False).code == "OUT"
    with listening._database.reading() as rows:
        assert "p1" not in str([tuple(row) for row in rows.execute("SELECT * FROM turned_away")])
    session = listening.begin(test.id, form={"age": "old", "years": 3})
    with pytest.raises(AnswerRefused):
        listening.answer_form(test.id, session.token, {"hard": "old"})
    finish(listening, test.id, session)
    with pytest.raises(AnswerRefused):
        listening.taken_along(test.id, session.token)
    listening.answer_form(test.id, session.token, {"hard": "old"})
    assert not listening.session(test.id, session.token).is_asked_after
    with pytest.raises(ResultsHidden):
        listening.listeners(test.id)
    listening.close_test(test.id)
    assert [(one.n, one.choices, one.mean) for one in listening.shown(test.id).form_counts] == [
        (1, (("young", 0), ("old", 1)), None), (1, (), 3.0), (1, (("young", 0), ("old", 1)), None)
    ]  # fmt: skip


def test_what_is_taken_along_is_the_listeners_own_and_goes_to_amazon_or_where_the_plan_says(listening):
    redirect = "https://app.prolific.com/submissions/complete?cc={code}"
    test = opened(listening, plan(completion={"own_code": True, "redirect": redirect}))
    along = []
    for query in ("", TURK, TURK.replace("workersandbox.mturk.com", "evil.example").replace("w1", "w2")):
        session = listening.begin(test.id, query=query + "&redirect=https://evil.example&code=HA")
        with pytest.raises(AnswerRefused):
            listening.taken_along(test.id, session.token)
        finish(listening, test.id, session)
        along.append(listening.taken_along(test.id, session.token))
    assert len({one.code for one in along}) == 3 and all(one.redirect == redirect.format(code=one.code) for one in along)
    assert [one.submit_to for one in along] == ["", "https://workersandbox.mturk.com/mturk/externalSubmit", ""]
    assert along[1].fields == {"assignmentId": "a1", "code": along[1].code}
    listening.close_test(test.id)
    assert [person.completion for person in listening.listeners(test.id)] == [one.code for one in along]


HOSTS = ("http://a.example", "javascript:alert(1)", "https://{PROLIFIC_PID}.example", "https://a@b.example", "https://a/?x={y}", "https://")
IMPOSSIBLE = (
    *({"completion": {"redirect": redirect}} for redirect in HOSTS),
    {"completion": {"own_code": True, "code": "A"}},
    {"recruiting": ["a b"]},
    {"quota": 0},
    {"questionnaire": {"before": [AGE, AGE]}},
    {"questionnaire": {"after": [AGE]}},
    {"questionnaire": {"before": [{**AGE, "choices": ["young"]}]}},
)


@pytest.mark.parametrize("changes", IMPOSSIBLE)
def test_a_plan_that_promises_what_cannot_be_is_refused(changes):
    with pytest.raises(PlanUnusable):
        plan(**changes)


def test_a_person_is_handed_out_and_goes_by_their_code_and_leaves_that_one_went(listening, tmp_path):
    test = opened(listening, plan(questionnaire=FORM, comments=True))
    gone, stays = (
        listening.begin(test.id, device=f"theremin {n}", query=f"?PROLIFIC_PID=quintilian{n}", form={"age": "old", "years": 3})
        for n in (1, 2)
    )
    heard(listening, test.id, gone.trials[0])
    listening.answer(test.id, gone.token, answer_of(gone.trials[0], comment="marmalade1"))
    finish(listening, test.id, stays)
    assert gone.code == own_code(gone.token) == listening.session(test.id, gone.token).code and len(gone.code) == 14
    told = json.dumps(listening.person(test.id, gone.code.upper().replace("-", " ")).__dict__, default=str)
    assert all(word in told for word in ("theremin 1", "quintilian1", "marmalade1", "old")) and "quintilian2" not in told
    with pytest.raises(ListenerUnknown):
        listening.withdraw(test.id, "bado-bado-bado")
    listening.set_counted(test.id, "L01", False)
    listening.withdraw(test.id, gone.code)
    with pytest.raises(ListenerUnknown):
        listening.session(test.id, gone.token)
    events = [(entry.event, entry.details) for entry in listening.log(test.id)]
    assert events[-1] == ("withdrawn", {}) and not any(event == "counted" for event, _ in events) and not listening.counted(test.id)
    files = b"".join(path.read_bytes() for path in (tmp_path / "listening").glob("tests*"))
    assert not any(word in files for word in (b"theremin 1", b"quintilian1", b"marmalade1", gone.code.encode()))
    assert b"quintilian2" in files
    listening.close_test(test.id)
    assert {vote.listener for vote in listening.votes(test.id)} == {"L02"} == {person.listener for person in listening.listeners(test.id)}


def test_an_owner_deletes_and_hands_out_a_person_by_name_or_code_and_nobody_elses(listening, open_listening):
    test = opened(listening)
    sessions = [listening.begin(test.id) for _ in range(2)]
    for session in sessions:
        finish(listening, test.id, session)
    with pytest.raises(ResultsHidden):
        listening.listener(test.id, "L01")
    listening.delete_listener(test.id, sessions[0].code)
    listening.close_test(test.id)
    assert listening.listener(test.id, "L02").listener == listening.listener(test.id, sessions[1].code).listener == "L02"
    listening.delete_listener(test.id, "L02")
    assert listening.votes(test.id) == () and listening.test(test.id).n_begun == 0
