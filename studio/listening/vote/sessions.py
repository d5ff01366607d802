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
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from itertools import count

from studio.errors import ListenerUnknown, TestClosed, TestFull, TestNotOpen, TestUnknown
from studio.listening.keep.database import Database
from studio.listening.keep.store import read_test
from studio.listening.keep.test import ListeningTest
from studio.listening.plan.design import Answer, Slot, Trial
from studio.listening.vote.answer_check import check_answer, check_turn

__all__ = ["MOST_SESSIONS", "ListenerSession", "Sessions"]

MOST_SESSIONS = 3000  # of one test: three times as many as a plan may expect
MOST_DEVICE_CHARACTERS = 200
TOKEN_BYTES = 24
NAME_CHARACTERS = 32
SEAT_KEPT_SECONDS = 2 * 3600.0  # a test takes half an hour

DealTrials = Callable[[ListeningTest, int, bytes, Iterable[Trial]], tuple[Trial, ...]]


@dataclass(frozen=True)
class ListenerSession:
    """One listener of one test. token: what they come back with; the database has its hash alone. listener: as results call them: "L01",
    or "E01" of whoever made the test and tries it. seat: whose order of trials they have, from 1; experimenters have seats of their own.

    answered: numbers of trials. paused_seconds: since they were last heard of. texts: of the plan, where listeners see them; else none.
    """

    token: str
    listener: str
    seat: int
    trials: tuple[Trial, ...]
    answered: tuple[int, ...] = ()
    is_experimenter: bool = False
    paused_seconds: float = 0.0
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

    def begin(self, test_id: str, *, experimenter: bool, device: str) -> ListenerSession:
        """Raises TestNotOpen, TestClosed, TestFull. A draft is begun by experimenters alone, once something of it has been rendered."""
        token, now = secrets.token_urlsafe(TOKEN_BYTES), self._clock()
        with self._database.writing() as rows:
            test = read_test(rows, test_id)
            _check_takes_answers(test, experimenter)
            _make_room(rows, test_id, self._most, now)
            seat, listener = _free_seat(rows, test_id, experimenter, now), _next_name(rows, test_id, experimenter)
            secret = rows.execute("SELECT secret FROM tests WHERE id = ?", (test_id,)).fetchone()["secret"]
            trials = _with_own_names(self._deal(test, seat, secret, _asked_of_others(rows, test_id, experimenter, now)), token)
            told = json.dumps([asdict(trial) for trial in trials])
            values = (test_id, listener, seat, _hash_of(token), experimenter, device[:MOST_DEVICE_CHARACTERS], told, len(trials), now, now)
            session = rows.execute(
                "INSERT INTO sessions (test, listener, seat, token_hash, is_experimenter, device, trials, n_trials, begun, seen)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                values,
            ).lastrowid
            names = {(test_id, slot.sound, session, slot.item) for trial in trials for slot in trial.slots}
            rows.executemany("INSERT INTO sounds (test, sound, session, item) VALUES (?, ?, ?, ?)", names)
        return ListenerSession(token, listener, seat, trials, is_experimenter=experimenter, texts=_shown_texts(test))

    def session(self, test_id: str, token: str) -> ListenerSession:
        """Raises ListenerUnknown."""
        with self._database.reading() as rows:
            test = read_test(rows, test_id)
            row = _session_row(rows, test_id, token)
            answered = tuple(_answers_of(rows, row["id"]))
        paused = max(0.0, self._clock() - row["seen"])
        is_experimenter = bool(row["is_experimenter"])
        who = token, row["listener"], row["seat"]
        return ListenerSession(*who, _trials_of(row["trials"]), answered, is_experimenter, paused, _shown_texts(test))

    def item_of(self, test_id: str, sound: str) -> str:
        """The item that a slot's name stands for; that it was asked for is remembered. Raises TestUnknown."""
        with self._database.reading() as rows:
            row = rows.execute("SELECT item, is_fetched FROM sounds WHERE test = ? AND sound = ?", (test_id, sound)).fetchone()
        if row is None:
            raise TestUnknown
        if not row["is_fetched"]:
            with self._database.writing(durable=False) as rows:
                rows.execute("UPDATE sounds SET is_fetched = 1 WHERE test = ? AND sound = ?", (test_id, sound))
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

    def check_listener(self, test_id: str, listener: str) -> None:
        """listener: as results call them. Raises ListenerUnknown."""
        with self._database.reading() as rows:
            if rows.execute("SELECT 1 FROM sessions WHERE test = ? AND listener = ?", (test_id, listener)).fetchone() is None:
                raise ListenerUnknown


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
