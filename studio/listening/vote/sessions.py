"""Sessions: the listeners in the database: their seats, trials, fetched sounds and answers.

A seat says in which order somebody hears what (studio/listening/plan/trials.py): the panel is balanced when each seat 1, 2, 3, ... has been
sat in to the end. Whoever begins gets the lowest seat in which nobody has finished and nobody has been heard of within SEAT_KEPT_SECONDS,
so that who gave up leaves no hole; who comes back to a seat that was given away finishes it all the same, and counts.

Where each listener is asked a part of the questions, it is chosen in the same transaction, from what was answered by then and what those
who sit there are still to answer: nobody else begins meanwhile.
"""

import hashlib
import hmac
import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import count

from studio.errors import (
    AnswerRefused,
    ListenerScreenedOut,
    ListenerUnknown,
    TestClosed,
    TestFull,
    TestNotOpen,
    TestQuotaFull,
    TestUnknown,
)
from studio.listening.keep.store import note, read_test
from studio.listening.keep.test import ListeningTest
from studio.listening.people.arrival import ListenerArrival, kept_of, participant_of
from studio.listening.people.form import checked_form
from studio.listening.people.own_code import code_hash, completion_code, own_code
from studio.listening.people.people import Person, forget_person, people_of, session_named, welcomed, write_person
from studio.listening.people.taken_along import TakenAlong, taken_along
from studio.listening.plan.design import Answer, Slot, Trial
from studio.listening.vote.answer_check import check_answer, check_turn, least_heard
from studio.listening.vote.conduct import Conduct, conditions_of, early_seconds
from studio.storage.database import Database

__all__ = ["MOST_SESSIONS", "ListenerSession", "Sessions"]

MOST_SESSIONS = 3000  # of one test: three times as many as a plan may expect
MOST_DEVICE_CHARACTERS = 200
TOKEN_BYTES = 24
NAME_CHARACTERS = 32
SEAT_KEPT_SECONDS = 2 * 3600.0  # a test takes half an hour

CONDUCTS = (
    "SELECT sessions.*, people.participant FROM sessions LEFT JOIN people ON people.session = sessions.id WHERE sessions.test = ?"
    " ORDER BY sessions.id"
)

DealTrials = Callable[[ListeningTest, int, bytes, Iterable[Trial]], tuple[Trial, ...]]


@dataclass(frozen=True)
class ListenerSession:
    """One listener of one test. token: what they come back with; the database has its hash alone. listener: as results call them: "L01",
    or "E01" of whoever made the test and tries it. seat: whose order of trials they have, from 1; experimenters have seats of their own.

    answered: numbers of trials. paused_seconds: since they were last heard of. code: their own, of which the database has the hash alone;
    "" of who began before there were codes. is_asked_after: whether questions about themselves are still to come after the sounds.
    texts: of the plan, where listeners see them; else none.
    """

    token: str
    listener: str
    seat: int
    trials: tuple[Trial, ...]
    answered: tuple[int, ...] = ()
    is_experimenter: bool = False
    paused_seconds: float = 0.0
    code: str = ""
    is_asked_after: bool = False
    texts: tuple[str, ...] = ()

    @property
    def is_done(self) -> bool:
        return len(self.answered) >= len(self.trials)


class Sessions:
    """Thread-safe. deal(test, seat, secret, others): the trials of a seat; others: what was, or is going to be, answered.
    clock: seconds since 1970.

    Raises what Database does, and TestUnknown.
    """

    def __init__(self, database: Database, deal: DealTrials, *, most: int = MOST_SESSIONS, clock: Callable[[], float] = time.time):
        self._database = database
        self._deal = deal
        self._most = most
        self._clock = clock

    # --- listeners

    def begin(self, test_id: str, arrival: ListenerArrival) -> ListenerSession:
        """A draft is begun by experimenters alone, once something of it has been rendered.

        Raises TestNotOpen, TestClosed, TestFull, TestQuotaFull, and what `welcomed` raises; ListenerScreenedOut, who is known from then on.
        """
        token, now, experimenter = secrets.token_urlsafe(TOKEN_BYTES), self._clock(), arrival.experimenter
        secret, code = self._secret(test_id), own_code(token)
        hashed = code_hash(code, secret)  # slow, and outside of the transaction
        with self._database.writing() as rows:
            test = read_test(rows, test_id)
            _check_takes_answers(test, experimenter)
            if test.has_quota and not experimenter:
                raise TestQuotaFull(test.plan.quota or 0)
            welcome = welcomed(rows, test, arrival, secret)
            if not welcome.is_screened_out:
                number, session = self._sit(rows, test, arrival, token, secret)
                write_person(rows, number, hashed, welcome, now)
                return replace(session, code=code, is_asked_after=bool(test.plan.questionnaire.after))
        raise ListenerScreenedOut

    def session(self, test_id: str, token: str, query: str = "") -> ListenerSession:
        """query: of the link by which they come back. Raises ListenerUnknown, also where it says that this is somebody else now."""
        with self._database.reading() as rows:
            test = read_test(rows, test_id)
            row = _session_row(rows, test_id, token)
            answered = tuple(_answers_of(rows, row["id"]))
            person = rows.execute("SELECT participant, after FROM people WHERE session = ?", (row["id"],)).fetchone()
        participant = participant_of(kept_of(query, test.plan), test.plan)
        if person and None not in (participant, person["participant"]) and participant != person["participant"]:
            raise ListenerUnknown
        paused = max(0.0, self._clock() - row["seen"])
        is_asked = person is not None and person["after"] is None and bool(test.plan.questionnaire.after) and test.state != "closed"
        is_experimenter, code = bool(row["is_experimenter"]), own_code(token) if person else ""
        who = token, row["listener"], row["seat"]
        more = paused, code, is_asked, _shown_texts(test)
        return ListenerSession(*who, _trials_of(row["trials"]), answered, is_experimenter, *more)

    def answer_form(self, test_id: str, token: str, answers: Mapping[str, object]) -> None:
        """The questions after the sounds, once all of these are judged. Raises AnswerRefused, ListenerUnknown, TestClosed."""
        with self._database.writing() as rows:
            test, row = read_test(rows, test_id), _session_row(rows, test_id, token)
            _check_takes_answers(test, bool(row["is_experimenter"]))
            if row["done"] is None:
                raise AnswerRefused(sentence="form_too_early")
            checked = checked_form(test.plan.questionnaire.after, answers)
            told = json.dumps(checked, ensure_ascii=False)
            rows.execute("UPDATE people SET after = ? WHERE session = ?", (told, row["id"]))

    def taken_along(self, test_id: str, token: str) -> TakenAlong:
        """Of who is through, the questions after the sounds included. Raises AnswerRefused, ListenerUnknown."""
        session, secret = self.session(test_id, token), self._secret(test_id)
        with self._database.reading() as rows:
            plan, row = read_test(rows, test_id).plan, _session_row(rows, test_id, token)
            person = rows.execute("SELECT recruited FROM people WHERE session = ?", (row["id"],)).fetchone()
        if not session.is_done or session.is_asked_after:
            raise AnswerRefused(sentence="form_too_early")
        code = completion_code(row["id"], secret) if plan.completion.own_code else ""
        return taken_along(plan.completion, json.loads(person["recruited"]) if person else {}, code, hands_in=True)

    # --- persons

    def person(self, test_id: str, who: str) -> Person:
        """who: as results call them, or the code that they were given. Raises ListenerUnknown."""
        secret = self._secret(test_id)
        with self._database.reading() as rows:
            [person] = people_of(rows, read_test(rows, test_id), session_named(rows, test_id, who, secret))
        return person

    def people(self, test_id: str) -> tuple[Person, ...]:
        """In the order in which they came."""
        with self._database.reading() as rows:
            return people_of(rows, read_test(rows, test_id))

    def forget(self, test_id: str, who: str) -> None:
        """Everything of one person, for good; the log says that one went, and when. who: as in `person`. Raises ListenerUnknown."""
        secret = self._secret(test_id)
        with self._database.writing() as rows:
            forget_person(rows, test_id, session_named(rows, test_id, who, secret))
            note(rows, test_id, self._clock(), "withdrawn")
        self._database.drop_log()

    def item_of(self, test_id: str, sound: str) -> str:
        """The item that a slot's name stands for; that it was asked for is remembered, and when. Raises TestUnknown."""
        with self._database.reading() as rows:
            row = rows.execute("SELECT item, is_fetched FROM sounds WHERE test = ? AND sound = ?", (test_id, sound)).fetchone()
        if row is None:
            raise TestUnknown
        if not row["is_fetched"]:
            with self._database.writing(durable=False) as rows:
                values = (self._clock(), test_id, sound)
                rows.execute("UPDATE sounds SET is_fetched = 1, fetched = coalesce(fetched, ?) WHERE test = ? AND sound = ?", values)
        return row["item"]

    def answer(self, test_id: str, token: str, answer: Answer) -> int:
        """On disk before it returns: the number of trials that are answered. The same answer again changes nothing.

        Raises ListenerUnknown, TestClosed, AnswerRefused.
        """
        with self._database.writing() as rows:
            test, row = read_test(rows, test_id), _session_row(rows, test_id, token)
            known = _answers_of(rows, row["id"])
            before = known.get(answer.trial)
            if before is not None and (before.value, before.comment) == (answer.value, answer.comment):
                return len(known)
            _check_takes_answers(test, bool(row["is_experimenter"]))
            trial = check_turn(_trials_of(row["trials"]), tuple(known), answer.trial)
            check_answer(test, trial, answer, _fetched(rows, row["id"]))
            now = self._clock()
            told = json.dumps(asdict(answer), ensure_ascii=False)
            rows.execute("INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?)", (row["id"], answer.trial, told, now))
            n_answered = len({*known, answer.trial})
            done = now if n_answered >= row["n_trials"] else None
            rows.execute("UPDATE sessions SET seen = ?, done = coalesce(done, ?) WHERE id = ?", (now, done, row["id"]))
        return n_answered

    def _secret(self, test_id: str) -> bytes:
        with self._database.reading() as rows:
            row = rows.execute("SELECT secret FROM tests WHERE id = ?", (test_id,)).fetchone()
        if row is None:
            raise TestUnknown
        return row["secret"]

    def _sit(
        self, rows: sqlite3.Connection, test: ListeningTest, arrival: ListenerArrival, token: str, secret: bytes
    ) -> tuple[int, ListenerSession]:
        """Number and session of who gets a seat, with their trials. Raises TestFull."""
        experimenter, now = arrival.experimenter, self._clock()
        _make_room(rows, test.id, self._most, now)
        seat, listener = _free_seat(rows, test.id, experimenter, now), _next_name(rows, test.id, experimenter)
        trials = _with_own_names(self._deal(test, seat, secret, _asked_of_others(rows, test.id, experimenter, now)), token)
        told = json.dumps([asdict(trial) for trial in trials])
        device = arrival.device[:MOST_DEVICE_CHARACTERS]
        browser = hmac.digest(secret, arrival.browser.encode(), "sha256").hex() if arrival.browser else ""
        number = rows.execute(
            "INSERT INTO sessions (test, listener, seat, token_hash, is_experimenter, device, browser, trials, n_trials, begun, seen)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (test.id, listener, seat, _hash_of(token), experimenter, device, browser, told, len(trials), now, now),
        ).fetchone()["id"]
        names = {(test.id, slot.sound, number, slot.item) for trial in trials for slot in trial.slots}
        rows.executemany("INSERT INTO sounds (test, sound, session, item) VALUES (?, ?, ?, ?)", names)
        return number, ListenerSession(token, listener, seat, trials, is_experimenter=experimenter, texts=_shown_texts(test))

    # --- results

    def all(self, test_id: str) -> tuple[tuple[ListenerSession, tuple[Answer, ...]], ...]:
        """(session without its token, its answers in the order of trials) of all who answered anything."""
        with self._database.reading() as rows:
            found = rows.execute("SELECT * FROM sessions WHERE test = ? ORDER BY id", (test_id,)).fetchall()
            pairs = [(row, _answers_of(rows, row["id"])) for row in found]
        return tuple(
            (
                ListenerSession("", row["listener"], row["seat"], _trials_of(row["trials"]), tuple(answers), bool(row["is_experimenter"])),
                tuple(answers.values()),
            )
            for row, answers in pairs
            if answers
        )

    def conducts(self, test_id: str) -> dict[str, Conduct]:
        """By listener, in the order in which they began: all who answered anything."""
        found = {}
        with self._database.reading() as rows:
            test = read_test(rows, test_id)
            least = {item.id: least_heard(item.seconds, test.plan) for item in test.items}
            for row in rows.execute(CONDUCTS, (test_id,)).fetchall():
                answered = dict(rows.execute("SELECT trial, at FROM answers WHERE session = ?", (row["id"],)).fetchall())
                if answered:
                    sounds = rows.execute("SELECT sound, fetched FROM sounds WHERE session = ? AND fetched IS NOT NULL", (row["id"],))
                    found[row["listener"]] = _conduct_of(
                        row, early_seconds(_trials_of(row["trials"]), dict(sounds), answered, least, row["begun"])
                    )
        return found

    def check_listener(self, test_id: str, listener: str) -> None:
        """listener: as results call them. Raises ListenerUnknown."""
        with self._database.reading() as rows:
            if rows.execute("SELECT 1 FROM sessions WHERE test = ? AND listener = ?", (test_id, listener)).fetchone() is None:
                raise ListenerUnknown


def _conduct_of(row: sqlite3.Row, early: dict[int, float]) -> Conduct:
    asked = sum(trial.kind != "training" for trial in _trials_of(row["trials"]))
    return Conduct(
        asked,
        **conditions_of(row["device"]),
        browser=row["browser"],
        participant=row["participant"] or "",
        begun=row["begun"],
        seen=row["seen"],
        early=early,
    )


def _check_takes_answers(test: ListeningTest, experimenter: bool) -> None:
    if test.state == "closed":
        raise TestClosed
    if test.state == "draft" and not (experimenter and test.items):
        raise TestNotOpen


def _shown_texts(test: ListeningTest) -> tuple[str, ...]:
    return test.plan.texts if test.plan.show_text else ()


def _make_room(rows: sqlite3.Connection, test_id: str, most: int, now: float) -> None:
    """For one more session. Those of which nothing came but that they were begun, and long ago, are forgotten: nobody keeps listeners out
    for longer by beginning again and again. Raises TestFull."""

    def is_full() -> bool:
        return rows.execute("SELECT count(*) FROM sessions WHERE test = ?", (test_id,)).fetchone()[0] >= most

    if is_full():
        idle = "seen < ? AND NOT EXISTS (SELECT 1 FROM answers WHERE session = sessions.id)"
        rows.execute(f"DELETE FROM sessions WHERE test = ? AND {idle}", (test_id, now - SEAT_KEPT_SECONDS))
        if is_full():
            raise TestFull(most)


def _free_seat(rows: sqlite3.Connection, test_id: str, experimenter: bool, now: float) -> int:
    """The lowest in which nobody has finished, and nobody sits."""
    taken = rows.execute(
        "SELECT DISTINCT seat FROM sessions WHERE test = ? AND is_experimenter = ? AND (done IS NOT NULL OR seen > ?)",
        (test_id, experimenter, now - SEAT_KEPT_SECONDS),
    )
    seats = {row["seat"] for row in taken}
    return next(seat for seat in count(1) if seat not in seats)


def _asked_of_others(rows: sqlite3.Connection, test_id: str, experimenter: bool, now: float) -> Iterator[Trial]:
    """Trials that were answered, and all of who sits there. They are read as they are asked for."""
    found = rows.execute(
        "SELECT trials, done IS NOT NULL OR seen > ? AS is_there, (SELECT json_group_array(trial) FROM answers WHERE session = sessions.id)"
        " AS answered FROM sessions WHERE test = ? AND is_experimenter = ?",
        (now - SEAT_KEPT_SECONDS, test_id, experimenter),
    )
    for row in found:
        answered = frozenset(json.loads(row["answered"]))
        yield from (trial for trial in _trials_of(row["trials"]) if row["is_there"] or trial.number in answered)


def _next_name(rows: sqlite3.Connection, test_id: str, experimenter: bool) -> str:
    """In the order in which they began."""
    found = rows.execute(
        "SELECT max(CAST(substr(listener, 2) AS INTEGER)) FROM sessions WHERE test = ? AND is_experimenter = ?", (test_id, experimenter)
    )
    return f"{'E' if experimenter else 'L'}{(found.fetchone()[0] or 0) + 1:02d}"


def _session_row(rows: sqlite3.Connection, test_id: str, token: str) -> sqlite3.Row:
    row = rows.execute("SELECT * FROM sessions WHERE test = ? AND token_hash = ?", (test_id, _hash_of(token))).fetchone()
    if row is None:
        raise ListenerUnknown
    return row


def _answers_of(rows: sqlite3.Connection, session: int) -> dict[int, Answer]:
    """By trial, in their order."""
    found = rows.execute("SELECT trial, answer FROM answers WHERE session = ? ORDER BY trial", (session,))
    return {row["trial"]: Answer(**json.loads(row["answer"])) for row in found}


def _fetched(rows: sqlite3.Connection, session: int) -> frozenset[str]:
    """Names of sounds that this listener's page asked for."""
    return frozenset(row["sound"] for row in rows.execute("SELECT sound FROM sounds WHERE session = ? AND is_fetched", (session,)))


@lru_cache(64)
def _trials_of(told: str) -> tuple[Trial, ...]:
    return tuple(
        Trial(**trial | {"slots": tuple(Slot(**slot) for slot in trial["slots"]), "scales": tuple(trial.get("scales", ()))})
        for trial in json.loads(told)
    )


def _hash_of(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _with_own_names(trials: tuple[Trial, ...], token: str) -> tuple[Trial, ...]:
    """Sounds under names that nobody else has, who may have sat in the same seat before: HMAC-SHA256 of the seat's, 128 bits."""

    def named(slot: Slot) -> Slot:
        return replace(slot, sound=hmac.digest(token.encode(), slot.sound.encode(), "sha256").hex()[:NAME_CHARACTERS])

    return tuple(replace(trial, slots=tuple(map(named, trial.slots))) for trial in trials)
