"""ScriptTransactions: what every reading and writing of one script begins and ends with."""

import sqlite3
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from studio.audio.kept_takes import KeptTakes
from studio.errors import ScriptUnknown
from studio.scripts.keep.take_rows import Unused
from studio.storage.database import Database

__all__ = ["ScriptTransactions"]


class ScriptTransactions:
    """Thread-safe. clock: seconds since 1970. Raises what the database does, and ScriptUnknown."""

    def __init__(self, database: Database, takes: KeptTakes, clock: Callable[[], float]):
        self.database, self.takes, self.clock = database, takes, clock
        self._swept: set[str] = set()

    @contextmanager
    def reading(self, script_id: str, workspace: str | None = None) -> Iterator[sqlite3.Connection]:
        """workspace: whose it must be; None for anybody's."""
        if not self.database.exists:
            raise ScriptUnknown
        with self.database.reading() as rows:
            _check(rows, script_id, workspace)
            yield rows

    @contextmanager
    def writing(self, script_id: str) -> Iterator[sqlite3.Connection]:
        if not self.database.exists:
            raise ScriptUnknown
        with self.database.writing() as rows:
            _check(rows, script_id, None)
            yield rows

    @contextmanager
    def writing_takes(self, script_id: str, unused: Unused) -> Iterator[sqlite3.Connection]:
        """As `writing`; at the end the sounds of `unused` that no take has go, whatever was raised."""
        try:
            with self.writing(script_id) as rows:
                yield rows
        finally:
            self.clear(unused)

    def touch(self, rows: sqlite3.Connection, script_id: str, lines: Collection[str] = (), *, is_whole: bool = False) -> int:
        """That something in a script is another now: in these lines, or perhaps in all. The stamp of it."""
        whole = ", whole_stamp = stamp + 1" if is_whole else ""
        told = f"UPDATE scripts SET stamp = stamp + 1{whole}, changed = ? WHERE id = ?"
        rows.execute(told, (self.clock(), script_id))
        stamp = rows.execute("SELECT stamp FROM scripts WHERE id = ?", (script_id,)).fetchone()["stamp"]
        rows.executemany("UPDATE lines SET stamp = ? WHERE script = ? AND id = ?", [(stamp, script_id, line) for line in lines])
        return stamp

    def clear(self, unused: Unused) -> None:
        """Remove the files of those that no take has. Nobody can keep a take of one meanwhile."""
        if not unused:
            return
        with self.database.writing(durable=False) as rows:
            for script_id, digest in unused:
                if rows.execute("SELECT 1 FROM takes WHERE script = ? AND sha256 = ?", (script_id, digest)).fetchone() is None:
                    self.takes.remove(script_id, digest)

    def sweep(self, rows: sqlite3.Connection, script_id: str) -> None:
        """What a process that died has left of sounds; once per process and script."""
        if script_id not in self._swept:
            self._swept.add(script_id)
            found = rows.execute("SELECT DISTINCT sha256 FROM takes WHERE script = ?", (script_id,))
            self.takes.sweep(script_id, {row["sha256"] for row in found})


def _check(rows: sqlite3.Connection, script_id: str, workspace: str | None) -> None:
    """Raises ScriptUnknown."""
    row = rows.execute("SELECT workspace FROM scripts WHERE id = ?", (script_id,)).fetchone()
    if row is None or workspace not in (None, row["workspace"]):
        raise ScriptUnknown
