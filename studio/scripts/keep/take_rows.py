"""Takes and the queue in the database. Every function is a part of a transaction."""

import sqlite3
from collections.abc import Sequence

from pydantic import TypeAdapter

from studio.errors import LineUnknown, ScriptSoundsFull, TakeUnknown
from studio.scripts.keep.queue import QueuedLine
from studio.scripts.keep.rows import take_json
from studio.scripts.keep.steps import drop_oldest_step_with_sounds
from studio.scripts.script.line import MOST_TAKES
from studio.scripts.script.mend import LineMend
from studio.scripts.script.take import LineTake
from studio.speakers.speaker import speaker_key

__all__ = [
    "Unused",
    "choose_take",
    "drop_take",
    "forget_takes",
    "insert_take",
    "make_room",
    "put_in_queue",
    "queue_of",
    "rewrite_take",
    "take_one_off",
    "used_bytes",
]

Unused = set[tuple[str, str]]  # (script, hash) of sounds that perhaps no take has any more
_MEND = TypeAdapter(LineMend)


def used_bytes(rows: sqlite3.Connection, workspace: str) -> int:
    """Of all sounds, those included that an undo can bring back."""
    found = "SELECT total(n_bytes) FROM takes WHERE script IN (SELECT id FROM scripts WHERE workspace = ?)"
    return int(rows.execute(found, (workspace,)).fetchone()[0])


def make_room(rows: sqlite3.Connection, workspace: str, n_bytes: int, most_bytes: int) -> Unused:
    """For so many bytes: steps give up what only an undo can bring back. Raises ScriptSoundsFull where that is not enough."""
    unused: Unused = set()
    while (total := used_bytes(rows, workspace) + n_bytes) > most_bytes:
        dropped = drop_oldest_step_with_sounds(rows, workspace)
        if dropped is None:
            raise ScriptSoundsFull(total, most_bytes)
        script, digests = dropped
        unused |= {(script, digest) for digest in digests}
    return unused


def insert_take(rows: sqlite3.Connection, script_id: str, line_id: str, take: LineTake, *, choose: bool) -> Unused:
    """Of a line that is there, or deleted and held by a step. The oldest makes room, but neither the one that was chosen
    before nor the one of which words were mended. Raises LineUnknown."""
    if rows.execute("SELECT 1 FROM lines WHERE script = ? AND id = ?", (script_id, line_id)).fetchone() is None:
        raise LineUnknown
    rows.execute(
        "INSERT INTO takes (script, line, id, sha256, n_bytes, seconds, generation, speaker, take) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (script_id, line_id, take.id, *_columns(take)),
    )
    rows.execute("UPDATE lines SET failure = NULL WHERE script = ? AND id = ?", (script_id, line_id))
    leaving = rows.execute(
        """SELECT takes.number, takes.sha256 FROM takes JOIN lines ON lines.script = takes.script AND lines.id = takes.line
        WHERE takes.script = ? AND takes.line = ? AND takes.id NOT IN (lines.chosen, ?, ?) ORDER BY takes.number
        LIMIT max(0, (SELECT count(*) FROM takes WHERE script = ? AND line = ?) - ?)""",
        (script_id, line_id, take.id, take.mended_from.take if take.mended_from else "", script_id, line_id, MOST_TAKES),
    ).fetchall()
    rows.executemany("DELETE FROM takes WHERE number = ?", [(row["number"],) for row in leaving])
    if choose:
        rows.execute("UPDATE lines SET chosen = ? WHERE script = ? AND id = ?", (take.id, script_id, line_id))
    return {(script_id, row["sha256"]) for row in leaving}


def rewrite_take(rows: sqlite3.Connection, script_id: str, line_id: str, take: LineTake) -> Unused:
    """Other facts of a take that there is, also another sound. Raises TakeUnknown."""
    row = _take_row(rows, script_id, line_id, take.id)
    rows.execute(
        "UPDATE takes SET sha256 = ?, n_bytes = ?, seconds = ?, generation = ?, speaker = ?, take = ? WHERE number = ?",
        (*_columns(take), row["number"]),
    )
    return {(script_id, row["sha256"])}


def choose_take(rows: sqlite3.Connection, script_id: str, line_id: str, take_id: str) -> None:
    """take_id: "" for none. Raises TakeUnknown."""
    if take_id:
        _take_row(rows, script_id, line_id, take_id)
    rows.execute("UPDATE lines SET chosen = ? WHERE script = ? AND id = ?", (take_id, script_id, line_id))


def drop_take(rows: sqlite3.Connection, script_id: str, line_id: str, take_id: str) -> Unused:
    """Where it was the chosen one, none is. Raises TakeUnknown."""
    row = _take_row(rows, script_id, line_id, take_id)
    rows.execute("DELETE FROM takes WHERE number = ?", (row["number"],))
    rows.execute("UPDATE lines SET chosen = '' WHERE script = ? AND id = ? AND chosen = ?", (script_id, line_id, take_id))
    return {(script_id, row["sha256"])}


def forget_takes(rows: sqlite3.Connection, numbers: Sequence[int], stamp_of) -> Unused:
    """Of whatever script. stamp_of(script): what its changed lines are told by."""
    unused: Unused = set()
    for number in numbers:
        row = rows.execute("SELECT script, line, id, sha256 FROM takes WHERE number = ?", (number,)).fetchone()
        unused |= drop_take(rows, row["script"], row["line"], row["id"])
        rows.execute("UPDATE lines SET stamp = ? WHERE script = ? AND id = ?", (stamp_of(row["script"]), row["script"], row["line"]))
    return unused


def put_in_queue(rows: sqlite3.Connection, script_id: str, lines: Sequence[QueuedLine], *, first: bool) -> None:
    """first: before all that wait; else behind them, but one that waits already keeps its turn. Raises LineUnknown."""
    here = "SELECT 1 FROM lines WHERE script = ? AND id = ? AND place IS NOT NULL"
    for line in lines:
        if rows.execute(here, (script_id, line.line_id)).fetchone() is None:
            raise LineUnknown
    if first:
        rows.executemany("DELETE FROM queue WHERE script = ? AND line = ?", [(script_id, line.line_id) for line in lines])
    begins = rows.execute("SELECT coalesce(min(number), 0) FROM queue").fetchone()[0] - len(lines)
    numbers = range(begins, begins + len(lines)) if first else [None] * len(lines)
    rows.executemany(
        """INSERT INTO queue (number, script, line, n_takes, best, seed, force, choose, mend) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (script, line) DO UPDATE SET n_takes = excluded.n_takes, best = excluded.best, seed = excluded.seed,
            force = excluded.force, choose = excluded.choose, mend = excluded.mend""",
        [
            (number, script_id, line.line_id, line.n_takes, line.best, line.seed, line.force, line.choose, _mend_json(line.mend))
            for number, line in zip(numbers, lines, strict=True)
        ],
    )


def take_one_off(rows: sqlite3.Connection, script_id: str, line_id: str) -> None:
    """One of its takes is said: the line waits no more where no others and no choice are left. Nothing happens where it does not wait."""
    rows.execute("UPDATE queue SET n_takes = max(0, n_takes - 1) WHERE script = ? AND line = ?", (script_id, line_id))
    rows.execute("DELETE FROM queue WHERE script = ? AND line = ? AND n_takes = 0 AND NOT best", (script_id, line_id))


def queue_of(rows: sqlite3.Connection, script_id: str) -> tuple[QueuedLine, ...]:
    """In turn; deleted lines are not said."""
    found = rows.execute(
        """SELECT queue.* FROM queue JOIN lines ON lines.script = queue.script AND lines.id = queue.line
        WHERE queue.script = ? AND lines.place IS NOT NULL ORDER BY queue.number""",
        (script_id,),
    )
    return tuple(map(_queued, found))


def _queued(row: sqlite3.Row) -> QueuedLine:
    mend = None if row["mend"] is None else _MEND.validate_json(row["mend"])
    return QueuedLine(row["line"], row["n_takes"], bool(row["best"]), row["seed"], bool(row["force"]), bool(row["choose"]), mend)


def _mend_json(mend: LineMend | None) -> str | None:
    return None if mend is None else _MEND.dump_json(mend).decode()


def _take_row(rows: sqlite3.Connection, script_id: str, line_id: str, take_id: str) -> sqlite3.Row:
    """Raises TakeUnknown."""
    row = rows.execute(
        "SELECT number, sha256 FROM takes WHERE script = ? AND line = ? AND id = ?", (script_id, line_id, take_id)
    ).fetchone()
    if row is None:
        raise TakeUnknown
    return row


def _columns(take: LineTake) -> tuple[str, int, float, str, str, str]:
    """A built-in voice has no key: it is never deleted."""
    key = speaker_key(take.voice) if take.generation_id else ""
    return take.sha256, take.n_bytes, take.seconds, take.generation_id, key, take_json(take)
