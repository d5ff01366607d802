"""Rows of the database as scripts, lines and takes."""

import json
import sqlite3
from functools import lru_cache

from pydantic import TypeAdapter

from studio.errors import LineUnknown, ScriptUnknown
from studio.reading.lexicon.entry import LexiconEntry
from studio.scripts.script.cast import CastMember
from studio.scripts.script.line import LineText, ScriptLine
from studio.scripts.script.script import Chapter, Script, ScriptHead
from studio.scripts.script.take import LineTake

__all__ = ["SCRIPTS", "chapters_of", "lines_of", "read_line", "read_script_row", "script_of", "take_json", "takes_of"]

# A script as script_of takes it.
SCRIPTS = """
SELECT scripts.*, EXISTS (SELECT 1 FROM covers WHERE covers.script = scripts.id) AS has_cover,
    (SELECT count(*) FROM steps WHERE steps.script = scripts.id AND steps.number <= scripts.n_done) AS can_undo,
    (SELECT count(*) FROM steps WHERE steps.script = scripts.id AND steps.number > scripts.n_done) AS can_redo
FROM scripts
"""
_TAKE = TypeAdapter(LineTake)


def read_script_row(rows: sqlite3.Connection, script_id: str) -> sqlite3.Row:
    """Of SCRIPTS. Raises ScriptUnknown."""
    row = rows.execute(f"{SCRIPTS} WHERE scripts.id = ?", (script_id,)).fetchone()
    if row is None:
        raise ScriptUnknown
    return row


def script_of(row: sqlite3.Row) -> Script:
    """row: of SCRIPTS."""
    return Script(
        row["id"],
        row["workspace"],
        _head_of(row["head"]),
        _cast_of(row["members"]),
        _dictionary_of(row["dictionary"]),
        row["n_lines"],
        row["n_characters"],
        row["revision"],
        row["stamp"],
        row["created"],
        row["changed"],
        row["can_undo"],
        row["can_redo"],
        bool(row["has_cover"]),
    )


def lines_of(
    rows: sqlite3.Connection, script_id: str, first: int = 0, count: int | None = None, *, has_takes: bool = True
) -> tuple[ScriptLine, ...]:
    """In order, from index `first`; count: at most so many, None for all. has_takes: False leaves the takes out."""
    where = "FROM lines WHERE script = ? AND place IS NOT NULL ORDER BY place LIMIT ? OFFSET ?"
    about = (script_id, -1 if count is None else count, first)
    found = rows.execute(f"SELECT id, written, chosen, failure {where}", about).fetchall()
    takes: dict[str, list[LineTake]] = {}
    within = f"SELECT line, take FROM takes WHERE script = ? AND line IN (SELECT id {where}) ORDER BY number"
    for row in rows.execute(within, (script_id, *about)) if has_takes else ():
        takes.setdefault(row["line"], []).append(_TAKE.validate_json(row["take"]))
    return tuple(_line_of(row, takes.get(row["id"], ())) for row in found)


def read_line(rows: sqlite3.Connection, script_id: str, line_id: str, *, is_deleted: bool = False) -> ScriptLine:
    """is_deleted: also where a step holds it. Raises LineUnknown."""
    found = "SELECT id, written, chosen, failure FROM lines WHERE script = ? AND id = ? AND (place IS NOT NULL OR ?)"
    row = rows.execute(found, (script_id, line_id, is_deleted)).fetchone()
    if row is None:
        raise LineUnknown
    return _line_of(row, takes_of(rows, script_id, line_id))


def takes_of(rows: sqlite3.Connection, script_id: str, line_id: str) -> list[LineTake]:
    """Oldest first."""
    found = rows.execute("SELECT take FROM takes WHERE script = ? AND line = ? ORDER BY number", (script_id, line_id))
    return [_TAKE.validate_json(row["take"]) for row in found]


def chapters_of(rows: sqlite3.Connection, script_id: str) -> tuple[Chapter, ...]:
    """In order; what stands before the first heading is one without a title. None of a script without lines."""
    found = rows.execute("SELECT id, is_heading FROM lines WHERE script = ? AND place IS NOT NULL ORDER BY place", (script_id,)).fetchall()
    starts = [n for n, row in enumerate(found) if n == 0 or row["is_heading"]]
    ends = [*starts[1:], len(found)]
    return tuple(
        Chapter(start, end - start, _title(rows, script_id, found[start]), found[start]["id"])
        for start, end in zip(starts, ends, strict=False)
    )


def take_json(take: LineTake) -> str:
    """As the table has it: without what has its default."""
    return _TAKE.dump_json(take, exclude_defaults=True).decode()


def _title(rows: sqlite3.Connection, script_id: str, line: sqlite3.Row) -> str:
    if not line["is_heading"]:
        return ""
    row = rows.execute("SELECT written FROM lines WHERE script = ? AND id = ?", (script_id, line["id"])).fetchone()
    return LineText.model_validate_json(row["written"]).text


def _line_of(row: sqlite3.Row, takes) -> ScriptLine:
    failure = row["failure"] and json.loads(row["failure"])
    return ScriptLine(row["id"], LineText.model_validate_json(row["written"]), tuple(takes), row["chosen"], failure)


@lru_cache(256)  # by what they are made of, so nothing has to be forgotten; they are frozen
def _head_of(told: str) -> ScriptHead:
    return ScriptHead.model_validate_json(told)


@lru_cache(256)
def _cast_of(told: str) -> tuple[CastMember, ...]:
    return tuple(CastMember(**member) for member in json.loads(told))


@lru_cache(256)
def _dictionary_of(told: str) -> tuple[LexiconEntry, ...]:
    return tuple(LexiconEntry(**entry) for entry in json.loads(told))
