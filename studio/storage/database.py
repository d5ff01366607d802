"""Database: one SQLite file of tables that somebody hands in: opened, durable, shared between processes. It reports when it is damaged.

Durable: a transaction is on disk when `writing` ends: a write-ahead log with synchronous=FULL; where a file system has no memory to share
between processes, as of a bucket that is mounted on a Space, the older rollback journal, which needs none.
"""

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from engines.durable import sync_directory
from studio.errors import DiskFailed, DiskFull, DiskReadOnly, StudioError
from studio.storage.tables import make_tables

__all__ = ["Database", "DatabaseForm"]

PRIMARY = 0xFF  # of SQLite's error codes: what is wrong; the rest says where
POLL_SECONDS = 0.01
PATIENCE_MS = 10_000  # for another process's transaction
BAD = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
UNWRITABLE = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM)

log = logging.getLogger("studio.storage")


@dataclass(frozen=True)
class DatabaseForm:
    """What a file holds, and how it speaks up. about: in the log, "listening tests".

    application: in the file's header, so that another program's file is told from ours. tables: statements that make all tables and
    indices of this version. bring_up(connection, folder of the file): gives an older file what it lacks, in a transaction.
    unreadable: of a file that is damaged, or of something else. newer: of one that a later version wrote, by that version.
    """

    about: str
    application: int
    version: int
    tables: str
    bring_up: Callable[[sqlite3.Connection, Path], None]
    unreadable: Callable[[], StudioError]
    newer: Callable[[int], StudioError]


class Database:
    """Thread-safe; several processes may have the same file. It is opened at the first use, and made at the first `writing`.

    has_shared_memory: whether the folder is on a real disk, where a write-ahead log can be.
    Every method raises the form's two errors, DiskFull, DiskReadOnly, DiskFailed.
    """

    def __init__(self, path: Path, form: DatabaseForm, *, has_shared_memory: bool = True):
        self.path = path
        self._form = form
        self._has_shared_memory = has_shared_memory
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None

    @property
    def exists(self) -> bool:
        return self._connection is not None or self.path.is_file()

    def version(self) -> str:
        """Moves when anybody writes, in this process or another; "" before there is a file. Cheap to ask: nothing that is kept is read."""
        if not self.exists:
            return ""
        with self._lock, self._told():
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
        with self._lock, self._told():
            self._opened().execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        with self._lock, self._told():
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _transaction(self, begin: str, *, durable: bool = True) -> Iterator[sqlite3.Connection]:
        with self._lock, self._told():
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
        version = self._checked_version(connection)
        self._has_shared_memory = self._has_shared_memory and self._wants_log(connection)
        if not self._has_shared_memory:
            connection.execute("PRAGMA journal_mode = DELETE")  # back from a log that was begun on another disk
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")  # what is deleted is somebody's
        if version < self._form.version:
            self._make_tables(connection)
            sync_directory(self.path.parent)

    def _checked_version(self, connection: sqlite3.Connection) -> int:
        """Of the tables, 0 of a new file. Raises the two errors of the form, sqlite3.Error."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        if application != self._form.application:
            if version or application or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                raise self._form.unreadable()
            return 0
        if version > self._form.version:
            raise self._form.newer(version)
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise self._form.unreadable()
        return version

    def _wants_log(self, connection: sqlite3.Connection) -> bool:
        """Whether there is one now. Another process that changes to it at the same moment is waited for."""
        ends = time.monotonic() + PATIENCE_MS / 1000
        while True:
            try:
                return connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal"
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & PRIMARY != sqlite3.SQLITE_BUSY or time.monotonic() > ends:
                    log.info("no write-ahead log for %s here: %s", self._form.about, error)
                    return False
                time.sleep(POLL_SECONDS)

    def _make_tables(self, connection: sqlite3.Connection) -> None:
        """Those of a new file, or what an older one lacks; in one transaction, and nothing where another process was faster."""
        form = self._form
        connection.execute("BEGIN IMMEDIATE")
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version == 0:
                make_tables(connection, form.tables)
                connection.execute(f"PRAGMA application_id = {form.application}")
            elif version < form.version:
                form.bring_up(connection, self.path.parent)
            connection.execute(f"PRAGMA user_version = {form.version}")
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Errors of SQLite in our words."""
        try:
            yield
        except sqlite3.DatabaseError as error:
            primary = (getattr(error, "sqlite_errorcode", None) or 0) & PRIMARY
            if isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError) or not primary:
                raise
            log.warning("%s: %s (%s)", self._form.about, error, getattr(error, "sqlite_errorname", "?"))
            if primary in BAD:
                raise self._form.unreadable() from error
            if primary == sqlite3.SQLITE_FULL:
                raise DiskFull from error
            if primary in UNWRITABLE:
                raise DiskReadOnly from error
            raise DiskFailed from error
