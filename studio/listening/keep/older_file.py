"""Older file: how a file of listening tests of an earlier version comes to have what this one has.

Owner and listener have secrets of their own: `tests.id` opens all that is done with a test, `tests.link` is in the listeners' link and
opens nothing else. Before version 2 one secret was both. It was handed to listeners, so it stays as the link, and the owner's is another:
made of the test's secret, which nobody was ever told, and always the same one, so that a change that a crash broke off is done over.
"""

import hashlib
import hmac
import sqlite3
from base64 import urlsafe_b64encode
from pathlib import Path

from studio.storage.tables import add_columns, add_tables

__all__ = ["bring_up"]

ID_BYTES = 16  # 22 characters, as studio/listening/keep/store.py has them
NAMING_TESTS = ("speakers", "sessions", "sounds", "counted", "log")


def bring_up(connection: sqlite3.Connection, folder: Path, tables: str) -> None:
    """Inside of a transaction. folder: of the folders of sounds, which are called like their tests. tables: statements that make all tables
    and indices; a column that they add has a default, or may be NULL."""
    had_links = any(column["name"] == "link" for column in connection.execute("PRAGMA table_info(tests)"))
    add_columns(connection, tables)
    if not had_links:
        _part_owners_from_listeners(connection, folder)
    add_tables(connection, tables)


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
