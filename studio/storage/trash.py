"""Trash: the files of deleted speakers while the deletion can be undone. A start empties it, so no file outlives the process unseen."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from engines.durable import remove_file, sync_directory
from studio.storage.undo_window import KEPT_SECONDS, UndoWindow, call_later

__all__ = ["Trash"]

log = logging.getLogger("studio.store")


class Trash:
    """Files named by generation id, each for KEPT_SECONDS.

    later(seconds, call) -> cancel: the clock.
    """

    def __init__(
        self,
        directory: Path,
        *,
        later: Callable[[float, Callable[[], None]], Callable[[], None]] = call_later,
    ):
        self.directory = directory
        self._listeners: tuple[Callable[[str], None], ...] = ()
        self._later = later
        self._window = UndoWindow[Path](lambda path: self._destroy(path.stem), later)
        for path in self.files():
            self._destroy(path.stem)

    def when_gone(self, listener: Callable[[str], None]) -> None:
        """Tell listener(generation id), from any thread, once a file is gone for good. What the start removed is not told."""
        self._listeners = (*self._listeners, listener)

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
        self._window.keep(generation_id, self._path(generation_id))
        sync_directory(self.directory)

    def take(self, generation_id: str, is_own: Callable[[Path], bool] = lambda path: True) -> Path:
        """The file, whose time no longer runs; to be moved away, or given back with `keep`. Raises UndoTooLate.

        is_own: whether whoever asks may have that file. To others it is as if it had never been there, and its time runs on.
        """
        return self._window.take(generation_id, is_own)

    def destroy(self, generation_id: str) -> None:
        """Delete for good what nobody took."""
        self._window.end(generation_id)

    def close(self) -> None:
        """Delete for good whatever is left."""
        self._window.close()

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
        for listener in self._listeners:
            listener(generation_id)

    def _path(self, generation_id: str) -> Path:
        return self.directory / f"{generation_id}.safetensors"
