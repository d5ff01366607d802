"""WaitingLines: the queue of a script as its run knows it, so that a book is not read anew from the database for each of its lines."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from studio.scripts.keep.queue import QueuedLine
from studio.scripts.keep.store import ScriptStore

__all__ = ["WaitingLines"]

KNOWN_SECONDS = 2.0  # what another process has added or taken out is seen after so long at the latest


class WaitingLines:
    """With the run's lock held. only: that line alone. on_read: told the rows whenever they are read. clock: seconds."""

    def __init__(
        self,
        store: ScriptStore,
        script_id: str,
        only: str | None,
        on_read: Callable[[list[QueuedLine]], None],
        clock: Callable[[], float] = time.monotonic,
    ):
        self._store, self._script_id, self._only, self._on_read, self._clock = store, script_id, only, on_read, clock
        self._rows: dict[str, QueuedLine] = {}
        self._read_at: float | None = None

    def rows(self) -> Iterator[QueuedLine]:
        """In turn; read again where they may have changed. Raises what the store does."""
        if self._read_at is None or not self._rows or self._clock() - self._read_at > KNOWN_SECONDS:
            self.read()
        yield from tuple(self._rows.values())

    def read(self) -> None:
        queued = self._store.queued(self._script_id)
        self._rows = {row.line_id: row for row in queued if self._only in (None, row.line_id)}
        self._read_at = self._clock()
        self._on_read(list(self._rows.values()))

    def changed(self) -> None:
        """Somebody has added lines."""
        self._read_at = None

    def take_one_off(self, line_id: str) -> None:
        """As ScriptStore.add_take does it."""
        row = self._rows.get(line_id)
        if row is None:
            return
        n_takes = max(0, row.n_takes - 1)
        if n_takes or row.best:
            self._rows[line_id] = replace(row, n_takes=n_takes)
        else:
            del self._rows[line_id]

    def drop(self, line_id: str) -> None:
        self._rows.pop(line_id, None)
