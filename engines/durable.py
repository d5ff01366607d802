"""Files that are whole or absent, even if the process or the machine dies. Steps: temp file, fsync, rename, fsync of the directory.

Locks are those of the operating system (flock; LockFileEx on Windows): they belong to an open descriptor, so a crash releases them.
Windows moves and removes nothing that is open or mapped, and opens no folders.
"""

import errno
import logging
import math
import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import lock_descriptor

__all__ = [
    "StagedFile",
    "file_system_now_ns",
    "fit_name",
    "is_in_use",
    "locked_directory",
    "put_file",
    "remove_file",
    "remove_leftovers",
    "replace_file",
    "sync_directory",
]

TEMP_PREFIX = ".partial-"
LOCK_NAME = ".lock"
SLOWEST_TICK_NS = 2_000_000_000  # FAT's
POLL_SECONDS = 0.002  # between two looks at a lock that another process has: a change of the registry holds it for a few milliseconds
_BINARY = getattr(os, "O_BINARY", 0)  # or Windows writes other bytes than it is given
_NO_LOCK_FILE = (errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT)
_NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)

DENIED, SHARING, LOCKED, MAPPED = 5, 32, 33, 1224  # winerror.h: access denied, sharing and lock violation, user-mapped file
PATIENCE_SECONDS = 1.0  # for whoever reads a file, as a virus scanner does with each that is new
PATIENT_POLL_SECONDS = 0.01
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)

log = logging.getLogger("engines.durable")


class StagedFile:
    """Content that is on disk under a temporary name, complete and synced, and not yet visible under its own.

    The open descriptor holds a lock, which the system drops when the process dies: so a leftover can be told from a file that another
    process is writing. Raises OSError, and then leaves nothing behind.
    """

    def __init__(self, directory: Path, parts: Iterable[bytes | memoryview]):
        self._is_published = False
        self._path, self._descriptor = _create(directory)
        try:
            for part in parts:
                _write_all(self._descriptor, part)
            os.fsync(self._descriptor)
        except BaseException:
            self.discard()
            raise

    def overwrite_start(self, part: bytes) -> None:
        """Replace the first bytes, before publishing."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        _write_all(self._descriptor, part)
        os.fsync(self._descriptor)

    def publish(self, final: Path) -> None:
        """Rename to the final name, replacing what is there; the caller syncs the directory. Raises OSError, and then wants `discard`.

        Windows renames nothing that is open. There a start of another process, in the moment between closing and renaming, may take the
        file for a leftover, whereupon this raises; where a lock of the directory is held around both, it cannot.
        """
        try:
            os.replace(self._path, final)
        except PermissionError as error:
            if not is_in_use(error):
                raise
            self._close()
            replace_file(self._path, final)
        self._close()
        self._is_published = True

    def discard(self) -> None:
        """Remove the temporary file; nothing happens once it is published."""
        self._close()
        if not self._is_published:
            with suppress(OSError):
                remove_file(self._path)

    def _close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)


def put_file(path: Path, parts: Iterable[bytes | memoryview]) -> None:
    """Write a file, whole or not at all, in place of what is there; the caller syncs the directory. Raises OSError."""
    staged = StagedFile(path.parent, parts)
    try:
        staged.publish(path)
    finally:
        staged.discard()


def fit_name(name: str) -> str:
    """The name of a file, with "_" in front where Windows would take it for a device, as "con.wav"."""
    return f"_{name}" if _DEVICE.fullmatch(name) else name


def is_in_use(error: BaseException | None) -> bool:
    """Whether a system refused since somebody has the file open or mapped. Only Windows does."""
    return getattr(error, "winerror", None) in (SHARING, LOCKED, MAPPED)


def replace_file(source: Path, target: Path) -> None:
    """Rename a file that nobody here has open, in place of what is there; whoever reads either is waited for. Raises OSError."""
    try:
        _patiently(lambda: os.replace(source, target))
    except PermissionError as error:
        if getattr(error, "winerror", None) == DENIED and target.is_file():
            os.rename(target, target)  # refused as in use where the target is open, of which the first refusal says nothing
        raise


def remove_file(path: Path) -> None:
    """Remove a file that nobody here has open; whoever reads it is waited for. One that is gone is only noted. Raises OSError."""
    try:
        _patiently(lambda: os.unlink(path))
    except FileNotFoundError:
        log.info("%s was removed already", path.name)


def sync_directory(directory: Path) -> None:
    """Make renames and removals in a directory survive a power failure. Windows opens no directories; NTFS has a log. Raises OSError."""
    if sys.platform == "win32" or not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_leftovers(directory: Path, *, written_before: float = math.inf) -> None:
    """Remove the temporary files of processes that died; those that somebody is writing stay.

    written_before: seconds since 1970. Between writing and renaming nobody holds a file: whoever does not hold the directory leaves fresh
    ones alone.
    """
    for path in directory.glob(f"{TEMP_PREFIX}*"):
        with suppress(OSError):
            if path.stat().st_mtime < written_before:
                _remove_unless_held(path)


@contextmanager
def locked_directory(directory: Path, *, patient: bool = True) -> Iterator[bool]:
    """Hold a directory against other processes (and other stores of this one) that ask for it the same way.

    patient: wait until it is free. Else gives whether it is held. Where the file system knows no locks, or the directory is read-only,
    or too full for the lock's empty file, it counts as held: one process is safe, two are not.
    """
    try:
        descriptor = os.open(directory / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        if error.errno not in _NO_LOCK_FILE:
            raise
        yield True
        return
    try:
        try:
            is_held = lock_descriptor(descriptor, blocking=patient, poll_interval=POLL_SECONDS)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            is_held = True
        yield is_held
    finally:
        os.close(descriptor)


def file_system_now_ns(directory: Path) -> int:
    """The time by which the file system of a locked directory dates changes: what changes from now on is dated so, or later.

    Its clock may tick slowly (the kernel's every 1 to 10 ms, FAT's every 2 s), and be another machine's. Where it cannot be asked, since
    the directory is read-only, this machine's clock two seconds ago stands for it.
    """
    lock = directory / LOCK_NAME
    try:
        os.utime(lock)
        return os.stat(lock).st_mtime_ns
    except OSError:
        return time.time_ns() - SLOWEST_TICK_NS


def _create(directory: Path) -> tuple[Path, int]:
    """A new temporary file, held by a lock."""
    while True:
        path = directory / f"{TEMP_PREFIX}{secrets.token_hex(8)}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
        with suppress(OSError):  # a file system without locks: remove_leftovers cannot lock there either, and removes nothing
            lock_descriptor(descriptor, poll_interval=POLL_SECONDS)
        if os.fstat(descriptor).st_nlink:
            return path, descriptor
        os.close(descriptor)  # another process's remove_leftovers came between creation and lock: begin again


def _remove_unless_held(path: Path) -> None:
    """Raises OSError."""
    descriptor = os.open(path, os.O_RDWR)
    try:
        if not lock_descriptor(descriptor, blocking=False):
            return
        os.unlink(path)  # while it is locked, or somebody might begin to write it
    except PermissionError as error:
        if not is_in_use(error):
            raise
    else:
        return
    finally:
        os.close(descriptor)
    os.unlink(path)  # where nothing is removed that is open: nothing that somebody writes, either


def _patiently(call: Callable[[], None]) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return call()
        except PermissionError as error:
            if getattr(error, "winerror", None) is None or time.monotonic() > ends:
                raise
        time.sleep(PATIENT_POLL_SECONDS)


def _write_all(descriptor: int, part: bytes | memoryview) -> None:
    view = memoryview(part).cast("B")
    while view:
        view = view[os.write(descriptor, view) :]
