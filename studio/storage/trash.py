"""Trash: the files of deleted speakers while the deletion can be undone. A start empties it, so no file outlives the process unseen."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engines.durable import remove_file, sync_directory
from studio.errors import UndoTooLate

__all__ = ["KEPT_SECONDS", "Trash"]

KEPT_SECONDS = 30.0  # long enough to read what was deleted and to regret it

log = logging.getLogger("studio.store")


def _later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Call once, from another thread; returns what calls it off."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer.cancel


class Trash:
    """Files named by generation id, each for KEPT_SECONDS.

    on_gone(generation id): told, from any thread, once a file is gone for good. later(seconds, call) -> cancel: the clock.
    """

    def __init__(
        self,
        directory: Path,
        *,
        on_gone: Callable[[str], None] = lambda generation_id: None,
        later: Callable[[float, Callable[[], None]], Callable[[], None]] = _later,
    ):
        self.directory = directory
        self._on_gone = on_gone
        self._later = later
        self._lock = threading.Lock()
        self._calls_off: dict[str, Callable[[], None]] = {}
        for path in self.files():
            self._destroy(path.stem)

    def files(self) -> list[Path]:
        """All that may still be brought back, by whatever process it was put here."""
        with suppress(FileNotFoundError):
            return list(self.directory.glob("*.safetensors"))
        return []

    def folder(self) -> Path:
        """Where a file is put, named `<generation id>.safetensors`, before `keep`. Raises OSError."""
        self.directory.mkdir(exist_ok=True)
        return self.directory

    def keep(self, generation_id: str) -> None:
        """Begin to count. Raises OSError where the folder cannot be synced."""
        with self._lock:
            self._calls_off[generation_id] = self._later(KEPT_SECONDS, lambda: self.destroy(generation_id))
        sync_directory(self.directory)

    def take(self, generation_id: str, is_own: Callable[[Path], bool] = lambda path: True) -> Path:
        """The file, whose time no longer runs; to be moved away, or given back with `keep`. Raises UndoTooLate.

        is_own: whether whoever asks may have that file. To others it is as if it had never been there, and its time runs on.
        """
        with self._lock:
            is_there = generation_id in self._calls_off and is_own(self._path(generation_id))
            call_off = self._calls_off.pop(generation_id) if is_there else None
        if call_off is None:
            fact = f"What was deleted is kept for {KEPT_SECONDS:.0f} s; they are over."
            raise UndoTooLate(fact, "Create the speaker again.", seconds=KEPT_SECONDS)
        call_off()
        return self._path(generation_id)

    def destroy(self, generation_id: str) -> None:
        """Delete for good what nobody took."""
        with self._lock:
            if self._calls_off.pop(generation_id, None) is None:
                return
        self._destroy(generation_id)

    def close(self) -> None:
        """Delete for good whatever is left."""
        with self._lock:
            waiting, self._calls_off = self._calls_off, {}
        for generation_id, call_off in waiting.items():
            call_off()
            self._destroy(generation_id)

    def _destroy(self, generation_id: str) -> None:
        """What cannot be removed, since somebody has it open, is tried again until it is gone, and at the next start."""
        try:
            remove_file(self._path(generation_id))
            sync_directory(self.directory)
        except FileNotFoundError:
            pass
        except OSError as error:
            log.warning("a deleted speaker's file could not be removed, and is tried again: %s", error.strerror)
            self._later(KEPT_SECONDS, lambda: self._destroy(generation_id))
            return
        self._on_gone(generation_id)

    def _path(self, generation_id: str) -> Path:
        return self.directory / f"{generation_id}.safetensors"
