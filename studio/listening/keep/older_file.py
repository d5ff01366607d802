"""Older file: how a file of listening tests of an earlier version comes to have what this one has.

Owner and listener have secrets of their own: `tests.id` opens all that is done with a test, `tests.link` is in the listeners' link and
opens nothing else. Before version 2 one secret was both. It was handed to listeners, so it stays as the link, and the owner's is another:
made of the test's secret, which nobody was ever told, and always the same one, so that a change that a crash broke off is done over.
"""

import hashlib
import hmac
import re
import sqlite3
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

__all__ = ["bring_up"]

ID_BYTES = 16  # 22 characters, as studio/listening/keep/store.py has them
NAMING_TESTS = ("speakers", "sessions", "sounds", "counted", "log")
MADE = re.compile(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)")


def bring_up(connection: sqlite3.Connection, folder: Path, tables: str) -> None:
    """Inside of a transaction. folder: of the folders of sounds, which are called like their tests. tables: statements that make all tables
    and indices; a column that they add has a default, or may be NULL."""
    had_links = any(column["name"] == "link" for column in connection.execute("PRAGMA table_info(tests)"))
    for statement in _new_columns(connection, tables):
        connection.execute(statement)
    if not had_links:
        _part_owners_from_listeners(connection, folder)
    known = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master")}
    for statement in filter(str.strip, tables.split(";")):
        if (made := MADE.search(statement)) and made[1] not in known:
            connection.execute(statement)


def _new_columns(connection: sqlite3.Connection, tables: str) -> Iterator[str]:
    """Statements that add the columns which the tables of the file lack."""
    with closing(sqlite3.connect(":memory:")) as empty:
        empty.row_factory = sqlite3.Row
        empty.executescript(tables)
        named = [row["name"] for row in empty.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
        wanted = [(table, column) for table in named for column in empty.execute(f"PRAGMA table_info({table})")]
    known = {table: {column["name"] for column in connection.execute(f"PRAGMA table_info({table})")} for table in named}
    for table, column in wanted:
        if known[table] and column["name"] not in known[table]:
            bound = f"NOT NULL DEFAULT {column['dflt_value']}" if column["notnull"] else ""
            yield f"ALTER TABLE {table} ADD COLUMN {column['name']} {column['type']} {bound}"


def _part_owners_from_listeners(connection: sqlite3.Connection, folder: Path) -> None:
    connection.execute("PRAGMA defer_foreign_keys = ON")
    for row in connection.execute("SELECT id, secret FROM tests").fetchall():
        old, new = row["id"], _owners_id(row["secret"])
        if (folder / old).is_dir() and not (folder / new).exists():
            (folder / old).rename(folder / new)
        connection.execute("UPDATE tests SET id = ?, link = id WHERE id = ?", (new, old))
        for table in NAMING_TESTS:
            connection.execute(f"UPDATE {table} SET test = ? WHERE test = ?", (new, old))


def _owners_id(secret: bytes) -> str:
    """As new ones are: without a hyphen in front, which a command line takes for an option."""
    drawn = hmac.digest(secret, b"owner", hashlib.sha256)[:ID_BYTES]
    return urlsafe_b64encode(drawn).decode().rstrip("=").replace("-", "_")
