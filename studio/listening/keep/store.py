"""ListeningStore: tests in the database: plan, items, state and log. Sessions of listeners have a module of their own."""

import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import lru_cache

from studio.errors import TestFrozen, TestLimitReached, TestUnknown
from studio.listening.keep.test import ListeningTest, LogEntry
from studio.listening.plan.design import Item
from studio.listening.plan.plan import Plan
from studio.speakers.speaker import speaker_key
from studio.storage.database import Database

__all__ = ["ListeningStore", "note", "read_test", "speakers_of"]

ID_BYTES = 16  # 22 characters
SECRET_BYTES = 32  # what the orders of trials are drawn with; no ListeningTest has it
WITH_COUNTS = """
SELECT tests.*, count(sessions.id) AS n_begun, count(sessions.done) AS n_done
FROM tests LEFT JOIN sessions ON sessions.test = tests.id AND NOT sessions.is_experimenter
"""


class ListeningStore:
    """Thread-safe. workspace: None for whoever has a link. clock: seconds since 1970. Raises what Database does, and TestUnknown."""

    def __init__(self, database: Database, clock: Callable[[], float] = time.time):
        self._database = database
        self._clock = clock

    # --- reading

    def tests(self, workspace: str) -> tuple[ListeningTest, ...]:
        """Of that workspace, newest first."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute(f"{WITH_COUNTS} WHERE workspace = ? GROUP BY tests.id ORDER BY created DESC, tests.id", (workspace,))
            return tuple(map(_test_of, found))

    def test(self, test_id: str, workspace: str | None = None) -> ListeningTest:
        if not self._database.exists:
            raise TestUnknown
        with self._database.reading() as rows:
            return read_test(rows, test_id, workspace)

    def behind(self, link: str) -> str:
        """The id of the test whose listeners have that link."""
        if not self._database.exists:
            raise TestUnknown
        with self._database.reading() as rows:
            row = rows.execute("SELECT id FROM tests WHERE link = ?", (link,)).fetchone()
        if row is None:
            raise TestUnknown
        return row["id"]

    def log(self, test_id: str) -> tuple[LogEntry, ...]:
        """Oldest first."""
        with self._database.reading() as rows:
            found = rows.execute("SELECT at, event, details FROM log WHERE test = ? ORDER BY id", (test_id,))
            return tuple(LogEntry(row["at"], row["event"], json.loads(row["details"])) for row in found)

    def using(self, speaker: str, workspace: str) -> tuple[ListeningTest, ...]:
        """Tests of that workspace which name the speaker, newest first."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            where = "WHERE workspace = ? AND tests.id IN (SELECT test FROM speakers WHERE key = ?)"
            found = rows.execute(f"{WITH_COUNTS} {where} GROUP BY tests.id ORDER BY created DESC", (workspace, speaker_key(speaker)))
            return tuple(map(_test_of, found))

    def old(self, is_old: Callable[[str, float], bool]) -> tuple[str, ...]:
        """Ids of the tests of which is_old(workspace, created) says so."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute("SELECT id, workspace, created FROM tests").fetchall()
        return tuple(row["id"] for row in found if is_old(row["workspace"], row["created"]))

    def ids(self) -> frozenset[str]:
        """Of all tests of all workspaces."""
        with self._database.reading() as rows:
            return frozenset(row["id"] for row in rows.execute("SELECT id FROM tests"))

    # --- writing

    def create(self, plan: Plan, workspace: str, most: int) -> ListeningTest:
        """A draft. most: tests of that workspace. Raises TestLimitReached."""
        test_id, now = _new_id(), self._clock()
        with self._database.writing() as rows:
            if rows.execute("SELECT count(*) FROM tests WHERE workspace = ?", (workspace,)).fetchone()[0] >= most:
                raise TestLimitReached(most)
            values = (test_id, _new_id(), workspace, now, secrets.token_bytes(SECRET_BYTES), plan.model_dump_json())
            rows.execute("INSERT INTO tests (id, link, workspace, created, secret, plan) VALUES (?, ?, ?, ?, ?, ?)", values)
            _write_speakers(rows, test_id, plan)
            note(rows, test_id, self._clock(), "created")
            return read_test(rows, test_id)

    def change(self, test_id: str, plan: Plan, *, keeps_items: bool) -> ListeningTest:
        """Another plan for a draft. keeps_items: its sounds are those of the new plan, too. Raises TestFrozen."""
        with self._database.writing() as rows:
            _check_draft(read_test(rows, test_id))
            rows.execute("UPDATE tests SET plan = ? WHERE id = ?", (plan.model_dump_json(), test_id))
            if not keeps_items:
                rows.execute("UPDATE tests SET items = '[]' WHERE id = ?", (test_id,))
            _write_speakers(rows, test_id, plan)
            _forget_rehearsals(rows, test_id)
            return read_test(rows, test_id)

    def write_items(self, test_id: str, plan: Plan, items: Iterable[Item]) -> frozenset[str]:
        """What was rendered of a draft's plan; the ids of sounds that the test has not, or no more: those that were before, or these where
        it is gone, frozen or has another plan by now."""
        made = tuple(items)
        told, new = json.dumps([asdict(item) for item in made], ensure_ascii=False), {item.id for item in made}
        with self._database.writing() as rows:
            row = rows.execute("SELECT items FROM tests WHERE id = ?", (test_id,)).fetchone()
            before = {item.id for item in _items_of(row["items"])} if row else set()
            where = (test_id, plan.model_dump_json())
            n = rows.execute("UPDATE tests SET items = ? WHERE id = ? AND plan = ? AND state = 'draft'", (told, *where)).rowcount
            if n:
                _forget_rehearsals(rows, test_id)
        return frozenset(before - new if n else new - before)

    def freeze(self, test: ListeningTest, frozen_hash: str) -> ListeningTest | None:
        """Open a draft. test: as it was when it was checked; None where it has changed since. Raises TestFrozen."""
        with self._database.writing() as rows:
            now = read_test(rows, test.id)
            _check_draft(now)
            if (now.plan, now.items) != (test.plan, test.items):
                return None
            rows.execute("DELETE FROM sessions WHERE test = ?", (test.id,))
            rows.execute("UPDATE tests SET state = 'open', frozen_hash = ? WHERE id = ?", (frozen_hash, test.id))
            note(rows, test.id, self._clock(), "frozen", hash=frozen_hash)
            note(rows, test.id, self._clock(), "opened")
            return read_test(rows, test.id)

    def close_test(self, test_id: str) -> ListeningTest:
        """An open test; nothing happens to a closed one."""
        with self._database.writing() as rows:
            self._close(rows, test_id)
            return read_test(rows, test_id)

    def unblind(self, test_id: str, who: str) -> ListeningTest:
        """Noted once, and final; takes no answers from then on."""
        with self._database.writing() as rows:
            self._close(rows, test_id)
            if rows.execute("UPDATE tests SET is_unblinded = 1 WHERE id = ? AND NOT is_unblinded", (test_id,)).rowcount:
                note(rows, test_id, self._clock(), "unblinded", who=who)
            return read_test(rows, test_id)

    def set_counted(self, test_id: str, listener: str, counts: bool | None) -> None:
        """counts: None leaves it to the rules again."""
        with self._database.writing() as rows:
            rows.execute("DELETE FROM counted WHERE test = ? AND listener = ?", (test_id, listener))
            if counts is not None:
                rows.execute("INSERT INTO counted VALUES (?, ?, ?)", (test_id, listener, counts))
            note(rows, test_id, self._clock(), "counted", listener=listener, counts=counts)

    def counted(self, test_id: str) -> dict[str, bool]:
        """By hand: listener -> whether they count."""
        with self._database.reading() as rows:
            found = rows.execute("SELECT listener, counts FROM counted WHERE test = ?", (test_id,))
            return {row["listener"]: bool(row["counts"]) for row in found}

    def delete(self, test_id: str) -> None:
        """With everything that belongs to it but its files, of which is noted that they go: until `left`."""
        with self._database.writing() as rows:
            rows.execute("DELETE FROM tests WHERE id = ?", (test_id,))
            rows.execute("INSERT OR IGNORE INTO leaving VALUES (?)", (test_id,))

    def leaving(self) -> tuple[str, ...]:
        """Ids of deleted tests whose files may be there still."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return tuple(row["test"] for row in rows.execute("SELECT test FROM leaving"))

    def left(self, test_id: str) -> None:
        with self._database.writing() as rows:
            rows.execute("DELETE FROM leaving WHERE test = ?", (test_id,))

    def note_speaker_gone(self, test_id: str, speaker: str) -> None:
        with self._database.writing() as rows:
            note(rows, test_id, self._clock(), "voice_deleted", speaker=speaker)

    def rename_speaker(self, test: ListeningTest, before: str, after: str) -> None:
        """A draft's plan says the new name; what is frozen stays, and is found by the new name all the same."""
        with self._database.writing() as rows:
            if test.state == "draft":
                plan = _renamed(test.plan, before, after)
                rows.execute("UPDATE tests SET plan = ? WHERE id = ?", (plan.model_dump_json(), test.id))
            rows.execute("DELETE FROM speakers WHERE test = ? AND key = ?", (test.id, speaker_key(before)))
            rows.execute("INSERT OR IGNORE INTO speakers VALUES (?, ?)", (test.id, speaker_key(after)))
            note(rows, test.id, self._clock(), "voice_renamed", speaker=after)

    # --- private

    def _close(self, rows: sqlite3.Connection, test_id: str) -> None:
        now = self._clock()
        if rows.execute("UPDATE tests SET state = 'closed', closed = ? WHERE id = ? AND state = 'open'", (now, test_id)).rowcount:
            note(rows, test_id, self._clock(), "closed")


def read_test(rows: sqlite3.Connection, test_id: str, workspace: str | None = None) -> ListeningTest:
    """workspace: whose it must be; None for anybody's. Raises TestUnknown."""
    row = rows.execute(f"{WITH_COUNTS} WHERE tests.id = ? GROUP BY tests.id", (test_id,)).fetchone()
    if row is None or workspace not in (None, row["workspace"]):
        raise TestUnknown
    return _test_of(row)


def note(rows: sqlite3.Connection, test_id: str, at: float, event: str, **details: object) -> None:
    """A line of a test's log. at: seconds since 1970."""
    values = (test_id, at, event, json.dumps(details, ensure_ascii=False))
    rows.execute("INSERT INTO log (test, at, event, details) VALUES (?, ?, ?, ?)", values)


def speakers_of(plan: Plan) -> frozenset[str]:
    """Names of all speakers that a plan names."""
    named = [system.speaker for system in plan.systems] + [plan.other_speaker, plan.reference and plan.reference.speaker]
    return frozenset(filter(None, named))


def _test_of(row: sqlite3.Row) -> ListeningTest:
    return ListeningTest(
        row["id"],
        row["link"],
        _plan_of(row["plan"]),
        row["state"],
        row["workspace"],
        row["created"],
        row["frozen_hash"],
        _items_of(row["items"]),
        row["n_begun"],
        row["n_done"],
        bool(row["is_unblinded"]),
        row["closed"],
    )


@lru_cache(256)  # by what they are made of, so nothing has to be forgotten; they are frozen
def _plan_of(told: str) -> Plan:
    return Plan.model_validate_json(told)


@lru_cache(256)
def _items_of(told: str) -> tuple[Item, ...]:
    return tuple(Item(**item) for item in json.loads(told))


def _check_draft(test: ListeningTest) -> None:
    if test.state != "draft":
        raise TestFrozen


def _forget_rehearsals(rows: sqlite3.Connection, test_id: str) -> None:
    """Of whoever made a draft and tried it: it is another one now."""
    rows.execute("DELETE FROM sessions WHERE test = ?", (test_id,))


def _write_speakers(rows: sqlite3.Connection, test_id: str, plan: Plan) -> None:
    rows.execute("DELETE FROM speakers WHERE test = ?", (test_id,))
    rows.executemany("INSERT INTO speakers VALUES (?, ?)", {(test_id, speaker_key(name)) for name in speakers_of(plan)})


def _renamed(plan: Plan, before: str, after: str) -> Plan:
    def name(speaker: str | None) -> str | None:
        return after if speaker is not None and speaker_key(speaker) == speaker_key(before) else speaker

    systems = tuple(system.model_copy(update={"speaker": name(system.speaker)}) for system in plan.systems)
    reference = plan.reference and plan.reference.model_copy(update={"speaker": name(plan.reference.speaker)})
    return plan.model_copy(update={"systems": systems, "reference": reference, "other_speaker": name(plan.other_speaker)})


def _new_id() -> str:
    """Never with a hyphen in front, which a command line takes for an option."""
    while (test_id := secrets.token_urlsafe(ID_BYTES)).startswith("-"):
        pass
    return test_id
