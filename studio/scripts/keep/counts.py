"""What can be counted of scripts, and copied of one, within the database."""

import sqlite3

from studio.scripts.keep.limits import ScriptUse
from studio.scripts.keep.take_rows import used_bytes
from studio.scripts.script.edited import CastCount, Changes, ScriptCounts

__all__ = ["cast_counts", "changes", "copy_rows", "recount", "script_counts", "workspace_use"]

# Lines that are there, each with its chosen take.
CHOSEN = """lines LEFT JOIN takes ON takes.script = lines.script AND takes.line = lines.id AND takes.id = lines.chosen
WHERE lines.script = ? AND lines.place IS NOT NULL"""

# Of a line, as LineText.is_heard has it; the numbers are those of white space.
SILENT = "(json_extract(written, '$.is_silent') OR trim(json_extract(written, '$.text'), char(9, 10, 13, 32, 160, 12288)) = '')"


def recount(rows: sqlite3.Connection, script_id: str) -> tuple[int, int]:
    """(lines, characters) of a script, written down."""
    found = "SELECT count(*), total(n_characters) FROM lines WHERE script = ? AND place IS NOT NULL"
    n_lines, n_characters = map(int, rows.execute(found, (script_id,)).fetchone())
    rows.execute("UPDATE scripts SET n_lines = ?, n_characters = ? WHERE id = ?", (n_lines, n_characters, script_id))
    return n_lines, n_characters


def changes(rows: sqlite3.Connection, script_id: str, since: int) -> Changes:
    """since: a stamp."""
    row = rows.execute("SELECT revision, stamp, whole_stamp FROM scripts WHERE id = ?", (script_id,)).fetchone()
    found = rows.execute("SELECT id FROM lines WHERE script = ? AND stamp > ? AND place IS NOT NULL", (script_id, since))
    return Changes(row["stamp"], row["revision"], tuple(line["id"] for line in found), row["whole_stamp"] > since)


def script_counts(rows: sqlite3.Connection, script_id: str) -> ScriptCounts:
    """Of the lines that are there, and of the bytes of all."""
    silent = f"total(takes.id IS NULL AND {SILENT})"
    found = f"SELECT count(takes.id), {silent}, count(lines.failure), total(takes.seconds) FROM {CHOSEN}"
    n_said, n_silent, n_failed, seconds = rows.execute(found, (script_id,)).fetchone()
    n_bytes = rows.execute("SELECT total(n_bytes) FROM takes WHERE script = ?", (script_id,)).fetchone()[0]
    return ScriptCounts(n_said, int(n_silent), n_failed, seconds, int(n_bytes))


def cast_counts(rows: sqlite3.Connection, script_id: str) -> tuple[CastCount, ...]:
    """Of each name that lines have, whoever has most first."""
    found = rows.execute(
        f"""SELECT who, count(*), total(n_characters), count(takes.id), total(takes.seconds) FROM {CHOSEN}
        GROUP BY who ORDER BY count(*) DESC, who""",
        (script_id,),
    )
    return tuple(CastCount(who, n_lines, int(n_characters), n_said, seconds) for who, n_lines, n_characters, n_said, seconds in found)


def workspace_use(rows: sqlite3.Connection, workspace: str) -> ScriptUse:
    """How much a workspace has."""
    found = "SELECT count(*), coalesce(max(n_lines), 0), coalesce(max(n_characters), 0) FROM scripts WHERE workspace = ?"
    n_scripts, n_lines, n_characters = rows.execute(found, (workspace,)).fetchone()
    return ScriptUse(n_scripts, n_lines, n_characters, used_bytes(rows, workspace))


def copy_rows(rows: sqlite3.Connection, script_id: str, to: str) -> set[str]:
    """Cover, lines and takes, without what only an undo could bring back. Hashes of the sounds."""
    rows.execute("INSERT INTO covers SELECT ?, media_type, image FROM covers WHERE script = ?", (to, script_id))
    rows.execute("INSERT INTO speakers SELECT ?, key FROM speakers WHERE script = ?", (to, script_id))
    columns = "id, place, written, who, n_characters, is_heading, chosen, failure"
    copied = f"INSERT INTO lines (script, {columns}) SELECT ?, {columns} FROM lines WHERE script = ? AND place IS NOT NULL"
    rows.execute(copied, (to, script_id))
    columns = "line, id, sha256, n_bytes, seconds, generation, speaker, take"
    here = "script = ? AND line IN (SELECT id FROM lines WHERE script = ? AND place IS NOT NULL)"
    rows.execute(
        f"INSERT INTO takes (script, {columns}) SELECT ?, {columns} FROM takes WHERE {here} ORDER BY number", (to, script_id, script_id)
    )
    recount(rows, to)
    return {row["sha256"] for row in rows.execute("SELECT DISTINCT sha256 FROM takes WHERE script = ?", (to,))}
