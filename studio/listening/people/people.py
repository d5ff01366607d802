"""People: the rows of who takes a test: when they agreed, where they come from, what they said of themselves; and how a person goes."""

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from studio.errors import ListenerKnown, ListenerUnknown, TestPreviewed
from studio.listening.keep.test import ListeningTest
from studio.listening.people.arrival import ListenerArrival, is_preview, kept_of, participant_of, turned_away_key
from studio.listening.people.form import FormAnswers, checked_form, is_screened_out
from studio.listening.people.own_code import code_hash, completion_code

__all__ = ["MOST_TURNED_AWAY", "Person", "Welcome", "forget_person", "people_of", "session_named", "told_of", "welcomed", "write_person"]

MOST_TURNED_AWAY = 3000  # of one test who are known again; who comes after them is screened by what they say alone


@dataclass(frozen=True)
class Person:
    """Everything that is kept of one listener but their trials. begun, seen, done, consented: seconds since 1970; done: None of who did not
    come to the end. recruited: of the link's query. before, after: the questionnaire; after: None where it was not answered.
    completion: the code that the studio made for them, "" where the plan has none. answers: to trials, as JSON has them."""

    listener: str
    experimenter: bool
    seat: int
    device: str
    begun: float
    seen: float
    done: float | None
    consented: float | None
    recruited: Mapping[str, str]
    before: FormAnswers
    after: FormAnswers | None
    completion: str
    answers: tuple[Mapping[str, object], ...]
    counts_by_hand: bool | None = None


@dataclass(frozen=True)
class Welcome:
    """Who may begin. is_screened_out: but does not, by what they said of themselves."""

    kept: Mapping[str, str]
    participant: str | None
    before: FormAnswers
    is_screened_out: bool


def welcomed(rows: sqlite3.Connection, test: ListeningTest, arrival: ListenerArrival, secret: bytes) -> Welcome:
    """Who has begun before and answered nothing begins anew. Raises TestPreviewed, ListenerKnown, AnswerRefused."""
    kept = kept_of(arrival.query, test.plan)
    if is_preview(kept) and not arrival.experimenter:
        raise TestPreviewed
    participant = None if arrival.experimenter else participant_of(kept, test.plan)
    if participant is not None and _is_turned_away(rows, test.id, turned_away_key(participant, secret)):
        return Welcome(kept, participant, {}, is_screened_out=True)
    if participant is not None:
        _check_new(rows, test.id, participant)
    before = checked_form(test.plan.questionnaire.before, arrival.form)
    is_out = is_screened_out(test.plan.questionnaire.before, before)
    if is_out and participant is not None:
        _turn_away(rows, test.id, turned_away_key(participant, secret))
    return Welcome(kept, participant, before, is_out)


def write_person(rows: sqlite3.Connection, session: int, hashed: str, welcome: Welcome, now: float) -> None:
    """hashed: their own code. now: when they agreed."""
    test_id = rows.execute("SELECT test FROM sessions WHERE id = ?", (session,)).fetchone()["test"]
    told = (json.dumps(dict(welcome.kept), ensure_ascii=False), json.dumps(welcome.before, ensure_ascii=False))
    values = (session, test_id, hashed, now, welcome.participant, *told)
    rows.execute(
        "INSERT INTO people (session, test, code_hash, consented, participant, recruited, before) VALUES (?, ?, ?, ?, ?, ?, ?)", values
    )


def session_named(rows: sqlite3.Connection, test_id: str, who: str, secret: bytes) -> int:
    """who: a listener as results call them, or the code that they were given. Raises ListenerUnknown."""
    row = rows.execute("SELECT id FROM sessions WHERE test = ? AND listener = ?", (test_id, who)).fetchone()
    if row is None:
        hashed = code_hash(who, secret)
        row = rows.execute("SELECT session AS id FROM people WHERE test = ? AND code_hash = ?", (test_id, hashed)).fetchone()
    if row is None:
        raise ListenerUnknown
    return row["id"]


def forget_person(rows: sqlite3.Connection, test_id: str, session: int) -> None:
    """Session, answers, questionnaire, ids, device, and what was done with them by hand, the log's lines of that included."""
    listener = rows.execute("SELECT listener FROM sessions WHERE id = ?", (session,)).fetchone()["listener"]
    rows.execute("DELETE FROM sessions WHERE id = ?", (session,))
    rows.execute("DELETE FROM counted WHERE test = ? AND listener = ?", (test_id, listener))
    rows.execute("DELETE FROM log WHERE test = ? AND event = 'counted' AND json_extract(details, '$.listener') = ?", (test_id, listener))


def people_of(rows: sqlite3.Connection, test: ListeningTest, session: int | None = None) -> tuple[Person, ...]:
    """All of them, or that one alone, in the order in which they came."""
    found = rows.execute(
        "SELECT sessions.*, people.*, counted.counts FROM sessions LEFT JOIN people ON people.session = sessions.id"
        " LEFT JOIN counted ON counted.test = sessions.test AND counted.listener = sessions.listener"
        " WHERE sessions.test = ? AND (? IS NULL OR sessions.id = ?) ORDER BY sessions.id",
        (test.id, session, session),
    ).fetchall()
    secret = rows.execute("SELECT secret FROM tests WHERE id = ?", (test.id,)).fetchone()["secret"]
    return tuple(_person_of(rows, row, completion_code(row["id"], secret) if test.plan.completion.own_code else "") for row in found)


def told_of(person: Person) -> dict[str, object]:
    """As JSON, for whoever asks what is kept about them."""
    return {"format": "listening-test-listener/1", **asdict(person)}


def _person_of(rows: sqlite3.Connection, row: sqlite3.Row, completion: str) -> Person:
    answers = rows.execute("SELECT answer, at FROM answers WHERE session = ? ORDER BY trial", (row["id"],))
    return Person(
        listener=row["listener"],
        experimenter=bool(row["is_experimenter"]),
        seat=row["seat"],
        device=row["device"],
        begun=row["begun"],
        seen=row["seen"],
        done=row["done"],
        consented=row["consented"],
        recruited=json.loads(row["recruited"] or "{}"),
        before=json.loads(row["before"] or "{}"),
        after=json.loads(row["after"]) if row["after"] else None,
        completion=completion,
        answers=tuple({**json.loads(answer["answer"]), "at": answer["at"]} for answer in answers),
        counts_by_hand=None if row["counts"] is None else bool(row["counts"]),
    )


def _check_new(rows: sqlite3.Connection, test_id: str, participant: str) -> None:
    row = rows.execute("SELECT session FROM people WHERE test = ? AND participant = ?", (test_id, participant)).fetchone()
    if row is None:
        return
    if rows.execute("SELECT 1 FROM answers WHERE session = ?", (row["session"],)).fetchone():
        raise ListenerKnown
    rows.execute("DELETE FROM sessions WHERE id = ?", (row["session"],))


def _is_turned_away(rows: sqlite3.Connection, test_id: str, key: str) -> bool:
    return rows.execute("SELECT 1 FROM turned_away WHERE test = ? AND participant = ?", (test_id, key)).fetchone() is not None


def _turn_away(rows: sqlite3.Connection, test_id: str, key: str) -> None:
    if rows.execute("SELECT count(*) FROM turned_away WHERE test = ?", (test_id,)).fetchone()[0] < MOST_TURNED_AWAY:
        rows.execute("INSERT OR IGNORE INTO turned_away VALUES (?, ?)", (test_id, key))
