"""Database: the one SQLite file of all listening tests: opened, durable, shared between processes. It reports when it is damaged.

Durable: a transaction is on disk when `writing` ends: a write-ahead log with synchronous=FULL; where a file system has no memory to share
between processes, as of a bucket that is mounted on a Space, the older rollback journal, which needs none.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from engines.durable import sync_directory
from studio.errors import DiskFailed, DiskFull, DiskReadOnly, TestsNewer, TestsUnreadable
from studio.listening.keep.older_file import bring_up

__all__ = ["VERSION", "Database"]

VERSION = 2  # of the tables
APPLICATION = 0x4C737431  # "Lst1": in the file's header, so that another program's file is told from ours
PRIMARY = 0xFF  # of SQLite's error codes: what is wrong; the rest says where
POLL_SECONDS = 0.01
PATIENCE_MS = 10_000  # for another process's transaction
BAD = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)
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


log = logging.getLogger("studio.listening")


class Database:
    """Thread-safe; several processes may have the same file. It is opened at the first use, and made at the first `writing`.

    has_shared_memory: whether the folder is on a real disk, where a write-ahead log can be.
    Every method raises TestsUnreadable, TestsNewer, DiskFull, DiskReadOnly, DiskFailed.
    """

    def __init__(self, path: Path, *, has_shared_memory: bool = True):
        self.path = path
        self._has_shared_memory = has_shared_memory
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self._connection is not None or self.path.is_file()

    def version(self) -> str:
        """Moves when anybody writes, in this process or another; "" before there is a file. Cheap to ask: no test is read."""
        if not self.exists:
            return ""
        with self._lock, _told():
            connection = self._opened()
            by_others = connection.execute("PRAGMA data_version").fetchone()[0]
            return f"{by_others} {connection.total_changes}"

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One state of the file, in which nothing is written. For files that exist."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def writing(self, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        """All or nothing, on disk at the end; nobody else writes meanwhile. durable: False for what a failure of power may take."""
        with self._transaction("BEGIN IMMEDIATE", durable=durable) as connection:
            yield connection

    def drop_log(self) -> None:
        """Leave nothing of what was deleted in the write-ahead log, as far as nobody reads there just now."""
        with self._lock, _told():
            self._opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self._lock, _told():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _transaction(self, begin: str, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        with self._lock, _told():
            connection = self._opened()
            # NORMAL leaves a write-ahead log whole whenever the power fails, but not with its last entries; a rollback journal it may not.
            is_lazy = not durable and self._has_shared_memory
            connection.execute(f"PRAGMA synchronous = {'NORMAL' if is_lazy else 'FULL'}")
            connection.execute(begin)
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # some errors have rolled back already
                    connection.execute("ROLLBACK")
                raise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self.path, timeout=PATIENCE_MS / 1000, isolation_level=None, check_same_thread=False)
            try:
                self._prepare(connection)
            except BaseException:
                connection.close()
                raise
            self._connection = connection
        return self._connection

    def _prepare(self, connection: sqlite3.Connection) -> None:
        """Looks before it writes anything: what is not ours is left as it is."""
        connection.row_factory = sqlite3.Row
        version = _checked_version(connection)
        self._has_shared_memory = self._has_shared_memory and _wants_log(connection)
        if not self._has_shared_memory:
            connection.execute("PRAGMA journal_mode = DELETE")  # back from a log that was begun on another disk
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is somebody's answers
        if version < VERSION:
            _make_tables(connection, self.path.parent)
            sync_directory(self.path.parent)


def _checked_version(connection: sqlite3.Connection) -> int:
    """Of the tables, 0 of a new file. Raises TestsUnreadable, TestsNewer, sqlite3.Error."""
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    application = connection.execute("PRAGMA application_id").fetchone()[0]
    if application != APPLICATION:
        if version or application or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise TestsUnreadable
        return 0
    if version > VERSION:
        raise TestsNewer(version)
    if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
        raise TestsUnreadable
    return version


def _wants_log(connection: sqlite3.Connection) -> bool:
    """Whether there is one now. Another process that changes to it at the same moment is waited for."""
    ends = time.monotonic() + PATIENCE_MS / 1000
    while True:
        try:
            return connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal"
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & PRIMARY != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                log.info("no write-ahead log for listening tests here: %s", error)
                return False
            time.sleep(POLL_SECONDS)


def _make_tables(connection: sqlite3.Connection, folder: Path) -> None:
    """Those of a new file, or what an older one lacks; in one transaction, and nothing where another process was faster."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            for statement in filter(str.strip, TABLES.split(";")):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
        elif version < VERSION:
            bring_up(connection, folder, TABLES)
        connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _told() -> Iterator[None]:
    """Errors of SQLite in our words."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        primary = (getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY
        if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError) or not primary:
            raise
        log.warning("listening tests: %s (%s)", error, getattr(error, "sqlite_errorname", "?"))
        if primary in BAD:
            raise TestsUnreadable from error
        if primary == sqlite3.SQLITE_FULL:
            raise DiskFull from error
        if primary in UNWRITABLE:
            raise DiskReadOnly from error
        raise DiskFailed from error
