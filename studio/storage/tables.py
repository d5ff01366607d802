"""Tables of a database, by the statements that make them: all of a new file, or what the file of an earlier version lacks."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing

__all__ = ["add_columns", "add_tables", "make_tables"]

MADE = re.compile(r"CREATE (?:UNIQUE )?(?:TABLE|INDEX) (\w+)")


def make_tables(connection: sqlite3.Connection, tables: str) -> None:
    """All of a new file. tables: statements with a semicolon behind each, and none within."""
    for statement in _statements(tables):
        connection.execute(statement)


def add_columns(connection: sqlite3.Connection, tables: str) -> None:
    """Those that tables of the file lack. A column that is added has a default, or may be NULL."""
    for statement in tuple(_new_columns(connection, tables)):
        connection.execute(statement)


def add_tables(connection: sqlite3.Connection, tables: str) -> None:
    """Tables and indices that the file lacks."""
    known = {row["name"] for row in connection.execute("SELECT name FROM sqlite_master")}
    for statement in _statements(tables):
        if (made := MADE.search(statement)) and made[1] not in known:
            connection.execute(statement)


def _statements(tables: str) -> Iterator[str]:
    return filter(str.strip, tables.split(";"))


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
