"""WorkspaceFile: what a workspace keeps in one file of its own, which a change replaces as a whole. WorkspaceFiles: those of all.

Killed at any moment, the folder holds the old file or the new one. Changes are made under a lock of the folder and to what is there by
then, so two processes lose nothing of each other's. Readers look whether the file is another than the one they know, and wait for nobody.
A damaged file is set aside. A file is a line of JSON that says whose it is and when it changed, and a line with what is kept.
"""

import hashlib
import json
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

from engines.durable import locked_directory, put_file, remove_file, remove_leftovers, sync_directory
from engines.errors import EngineError
from engines.plain_json import read_json
from studio.storage.quarantine import Quarantine
from studio.workspace import NOBODY

__all__ = ["FileForm", "WorkspaceFile", "WorkspaceFiles"]

T = TypeVar("T", bound=Sized)
MOST_KNOWN = 64  # in memory, of the workspaces that asked last; a dictionary of 5,000 entries takes some 4 MB
_FORMAT = 1
_MOST_HEAD_BYTES = 1_000
_Signature = tuple[int, int, int]

log = logging.getLogger("studio.store")


class _FileBad(Exception):
    """The file is none, or damaged. Its text says how."""


@dataclass(frozen=True)
class FileForm(Generic[T]):
    """How what is kept is written. suffix: of its files. empty: of a workspace without a file.

    plain(kept): as JSON has it. read(plain): the same back; may raise ValueError, TypeError, AttributeError or EngineError.
    """

    suffix: str
    empty: T
    plain: Callable[[T], object]
    read: Callable[[Any], T]


class WorkspaceFiles(Generic[T]):
    """Of all workspaces, in one folder. Thread-safe.

    directory: made when the first is kept. clock: seconds since 1970.
    """

    def __init__(self, directory: Path, form: FileForm[T], clock: Callable[[], float] = time.time):
        self.directory = directory
        self.form = form
        self.clock = clock
        self._quarantine = Quarantine(directory / "quarantine")
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[_Signature, T]] = OrderedDict()  # by the name of the file
        if directory.is_dir():
            remove_leftovers(directory)

    def path(self, workspace: str) -> Path:
        """Of its file; its own name may be no name of a file."""
        return self.directory / f"{hashlib.sha256(workspace.encode()).hexdigest()[:32]}{self.form.suffix}"

    def was_set_aside(self, path: Path) -> bool:
        """Whether it was damaged, in this process's life, and lies in quarantine."""
        return any(name == path.name for name, _ in self._quarantine.entries)

    def read(self, path: Path) -> T:
        """What is kept there, as it is now. Raises OSError."""
        signature = _signature(path)
        if signature is None:
            return self.form.empty
        with self._lock:
            known = self._known.get(path.name)
            if known is not None and known[0] == signature:
                self._known.move_to_end(path.name)
                return known[1]
        return self._read_file(path, signature)

    def write(self, path: Path, head: bytes, kept: T) -> None:
        """On disk when this returns; of nothing there is no file. The folder is locked. Raises OSError."""
        if len(kept):
            put_file(path, [head + json.dumps(self.form.plain(kept), ensure_ascii=False).encode() + b"\n"])
        elif path.exists():
            remove_file(path)
        sync_directory(self.directory)
        with self._lock:  # of a file that is written twice within a tick of the disk's clock the signature may be the same
            self._known.pop(path.name, None)

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete those of which is_old(workspace, seconds since 1970 of the last change) says so."""
        for path in self.directory.glob(f"*{self.form.suffix}"):
            try:
                self._forget_where(path, is_old)
            except (_FileBad, OSError) as error:
                log.warning("%s stays until the next look: %s", path.name, error)

    # --- private

    def _forget_where(self, path: Path, is_old: Callable[[str, float], bool]) -> None:
        with locked_directory(self.directory):
            with path.open("rb") as file:
                head = _head(file.readline(_MOST_HEAD_BYTES))
            if is_old(*head):
                remove_file(path)

    def _read_file(self, path: Path, signature: _Signature) -> T:
        try:
            kept = self._read_stored(path)
        except FileNotFoundError:
            return self.form.empty
        except _FileBad as error:
            self._quarantine.take(path, str(error))
            return self.form.empty
        with self._lock:
            self._known[path.name] = (signature, kept)
            self._known.move_to_end(path.name)
            while len(self._known) > MOST_KNOWN:
                self._known.popitem(last=False)
        return kept

    def _read_stored(self, path: Path) -> T:
        head, _, rest = path.read_bytes().partition(b"\n")
        workspace, _ = _head(head)
        if path != self.path(workspace):
            raise _FileBad("it is another workspace's")
        try:
            return self.form.read(read_json(rest))
        except (ValueError, TypeError, AttributeError, EngineError) as error:
            raise _FileBad(f"its entries cannot be read: {error}") from error


class WorkspaceFile(Generic[T]):
    """Thread-safe. NOBODY's is empty, and is never changed."""

    def __init__(self, files: WorkspaceFiles[T], workspace: str):
        self._files = files
        self.workspace = workspace

    @property
    def was_set_aside(self) -> bool:
        """Whether it was damaged, in this process's life, and lies in quarantine."""
        return self._files.was_set_aside(self._files.path(self.workspace))

    def read(self) -> T:
        """What is kept, as it is now. Raises OSError."""
        return self._files.form.empty if self.workspace == NOBODY else self._files.read(self._files.path(self.workspace))

    def change(self, change: Callable[[T], T]) -> T:
        """What `change` makes of what is kept, on disk when this returns. Raises what it does, OSError."""
        files = self._files
        files.directory.mkdir(parents=True, exist_ok=True)
        with locked_directory(files.directory):
            made = change(self.read())
            head = json.dumps({"format": _FORMAT, "workspace": self.workspace, "at": files.clock()})
            files.write(files.path(self.workspace), f"{head}\n".encode(), made)
        return made


def _signature(path: Path) -> _Signature | None:
    """Of the file as it is, None where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _head(line: bytes) -> tuple[str, float]:
    """(workspace, seconds since 1970 when it was changed)."""
    try:
        head = read_json(line)
        if head["format"] == _FORMAT:
            return str(head["workspace"]), float(head["at"])
    except (ValueError, TypeError, KeyError) as error:
        raise _FileBad(f"its first line cannot be read: {error}") from error
    raise _FileBad("it was written by another version")
