"""Steps: what was done to a script, so that it can be undone and redone. A step holds the lines that only it can bring back."""

import sqlite3

from studio.scripts.keep.snapshot import Snapshot, put_snapshot, snapshot_now

__all__ = ["MOST_STEPS", "add_step", "drop_oldest_step_with_sounds", "exchange_step", "purge_lines", "trim_steps"]

MOST_STEPS = 200  # of one script
MOST_STEP_BYTES = 32 << 20  # of all of them; a step in which 5,000 lines are written anew takes some 200 kB
MOST_HELD_CHARACTERS = 5_000_000  # of deleted lines that they hold: ten scripts


def add_step(rows: sqlite3.Connection, script_id: str, n_done: int, before: Snapshot) -> None:
    """A new one, after n_done that are done; what could be redone is no more. before: what undoes it."""
    rows.execute("DELETE FROM steps WHERE script = ? AND number > ?", (script_id, n_done))
    _write_step(rows, script_id, n_done + 1, before)
    rows.execute("DELETE FROM steps WHERE script = ? AND number <= ?", (script_id, n_done + 1 - MOST_STEPS))
    rows.execute("UPDATE scripts SET n_done = ? WHERE id = ?", (n_done + 1, script_id))


def exchange_step(rows: sqlite3.Connection, script_id: str, number: int, stamp: int) -> Snapshot | None:
    """Put what a step says in place of what is there, which it says from then on. What was put; None where there is no such step."""
    row = rows.execute("SELECT snapshot FROM steps WHERE script = ? AND number = ?", (script_id, number)).fetchone()
    if row is None:
        return None
    snapshot = Snapshot.unpacked(row["snapshot"])
    now = snapshot_now(rows, script_id, snapshot)
    put_snapshot(rows, script_id, snapshot, stamp)
    rows.execute("UPDATE steps SET snapshot = ? WHERE script = ? AND number = ?", (now.packed(), script_id, number))
    return snapshot


def purge_lines(rows: sqlite3.Connection, script_id: str) -> set[str]:
    """Delete the lines that no step can bring back, with their takes. The hashes of their sounds, of which others may have some."""
    found = rows.execute(
        """SELECT id FROM lines WHERE script = ? AND place IS NULL
        AND NOT EXISTS (SELECT 1 FROM held WHERE held.script = lines.script AND held.line = lines.id)""",
        (script_id,),
    )
    gone = [(script_id, row["id"]) for row in found]
    digests: set[str] = set()
    for line in gone:
        digests |= {row["sha256"] for row in rows.execute("SELECT sha256 FROM takes WHERE script = ? AND line = ?", line)}
    rows.executemany("DELETE FROM lines WHERE script = ? AND id = ?", gone)
    return digests


def trim_steps(rows: sqlite3.Connection, script_id: str, newest: int) -> set[str]:
    """After a new step: the oldest are given up where they take too much, but never the newest. Hashes as of purge_lines."""
    digests = purge_lines(rows, script_id)
    while _hold_too_much(rows, script_id):
        oldest = rows.execute("SELECT min(number) FROM steps WHERE script = ?", (script_id,)).fetchone()[0]
        if oldest is None or oldest >= newest:
            break
        rows.execute("DELETE FROM steps WHERE script = ? AND number = ?", (script_id, oldest))
        digests |= purge_lines(rows, script_id)
    return digests


def drop_oldest_step_with_sounds(rows: sqlite3.Connection, workspace: str) -> tuple[str, set[str]] | None:
    """Give up the oldest step of a workspace that holds deleted lines with sounds, with those that cannot be reached without it.

    (Its script, hashes as of purge_lines); None where there is no such step.
    """
    row = rows.execute(
        """SELECT held.script, held.step, scripts.n_done FROM scripts
        JOIN lines ON lines.script = scripts.id AND lines.place IS NULL
        JOIN held ON held.script = lines.script AND held.line = lines.id
        WHERE scripts.workspace = ? AND EXISTS (SELECT 1 FROM takes WHERE takes.script = lines.script AND takes.line = lines.id)
        ORDER BY scripts.changed, held.step LIMIT 1""",
        (workspace,),
    ).fetchone()
    if row is None:
        return None
    unreachable = "number <= ?" if row["step"] <= row["n_done"] else "number >= ?"
    rows.execute(f"DELETE FROM steps WHERE script = ? AND {unreachable}", (row["script"], row["step"]))
    return row["script"], purge_lines(rows, row["script"])


def _hold_too_much(rows: sqlite3.Connection, script_id: str) -> bool:
    n_bytes = rows.execute("SELECT total(length(snapshot)) FROM steps WHERE script = ?", (script_id,)).fetchone()[0]
    held = rows.execute("SELECT total(n_characters) FROM lines WHERE script = ? AND place IS NULL", (script_id,)).fetchone()[0]
    return n_bytes > MOST_STEP_BYTES or held > MOST_HELD_CHARACTERS


def _write_step(rows: sqlite3.Connection, script_id: str, number: int, snapshot: Snapshot) -> None:
    values = (script_id, number, snapshot.members is not None, snapshot.packed())
    rows.execute("INSERT INTO steps (script, number, has_cast, snapshot) VALUES (?, ?, ?, ?)", values)
    held = [(script_id, line, number) for line in {*snapshot.moved, *snapshot.texts, *snapshot.chosen}]
    rows.executemany("INSERT INTO held (script, line, step) VALUES (?, ?, ?)", held)
