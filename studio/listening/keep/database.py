"""The database of listening tests: its tables, and what makes one."""

from pathlib import Path

from studio.errors import TestsNewer, TestsUnreadable
from studio.listening.keep.older_file import bring_up
from studio.storage.database import Database, DatabaseForm

__all__ = ["VERSION", "listening_database"]

VERSION = 2  # of the tables
APPLICATION = 0x4C737431  # "Lst1"
TABLES = """
CREATE TABLE tests (
    id TEXT PRIMARY KEY, link TEXT NOT NULL DEFAULT '', workspace TEXT NOT NULL, created REAL NOT NULL, secret BLOB NOT NULL,
    plan TEXT NOT NULL, items TEXT NOT NULL DEFAULT '[]',
    state TEXT NOT NULL DEFAULT 'draft', frozen_hash TEXT NOT NULL DEFAULT '', closed REAL, is_unblinded INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE UNIQUE INDEX tests_by_link ON tests (link);
CREATE TABLE leaving (test TEXT PRIMARY KEY) STRICT;
CREATE INDEX tests_of_a_workspace ON tests (workspace, created);
CREATE TABLE speakers (test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE, key TEXT NOT NULL, PRIMARY KEY (test, key)) STRICT;
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE, listener TEXT NOT NULL,
    seat INTEGER NOT NULL, token_hash TEXT NOT NULL UNIQUE, is_experimenter INTEGER NOT NULL, device TEXT NOT NULL,
    browser TEXT NOT NULL DEFAULT '',
    trials TEXT NOT NULL, n_trials INTEGER NOT NULL, begun REAL NOT NULL, seen REAL NOT NULL, done REAL, UNIQUE (test, listener)
) STRICT;
CREATE TABLE sounds (
    test TEXT NOT NULL, sound TEXT NOT NULL, session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, item TEXT NOT NULL,
    is_fetched INTEGER NOT NULL DEFAULT 0, fetched REAL, PRIMARY KEY (test, sound)
) STRICT, WITHOUT ROWID;
CREATE INDEX sounds_of_a_session ON sounds (session);
CREATE TABLE answers (
    session INTEGER NOT NULL REFERENCES sessions ON DELETE CASCADE, trial INTEGER NOT NULL, answer TEXT NOT NULL, at REAL NOT NULL,
    PRIMARY KEY (session, trial)
) STRICT;
CREATE TABLE people (
    session INTEGER PRIMARY KEY REFERENCES sessions ON DELETE CASCADE, test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE,
    code_hash TEXT NOT NULL, consented REAL NOT NULL, participant TEXT, recruited TEXT NOT NULL, before TEXT NOT NULL, after TEXT,
    UNIQUE (test, participant)
) STRICT;
CREATE INDEX people_by_code ON people (test, code_hash);
CREATE TABLE turned_away (
    test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE, participant TEXT NOT NULL, PRIMARY KEY (test, participant)
) STRICT;
CREATE TABLE counted (
    test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE, listener TEXT NOT NULL, counts INTEGER NOT NULL, PRIMARY KEY (test, listener)
) STRICT;
CREATE TABLE log (
    id INTEGER PRIMARY KEY AUTOINCREMENT, test TEXT NOT NULL REFERENCES tests ON DELETE CASCADE, at REAL NOT NULL, event TEXT NOT NULL,
    details TEXT NOT NULL
) STRICT;
CREATE INDEX log_of_a_test ON log (test);
"""


def listening_database(path: Path, *, has_shared_memory: bool = True) -> Database:
    """See Database. It raises TestsUnreadable, TestsNewer."""
    form = DatabaseForm(
        "listening tests", APPLICATION, VERSION, TABLES, lambda rows, folder: bring_up(rows, folder, TABLES), TestsUnreadable, TestsNewer
    )
    return Database(path, form, has_shared_memory=has_shared_memory)
