"""What systems do differently with files: Windows moves and removes nothing that is open or mapped, and opens no folders."""

import os
import re
import time
from collections.abc import Callable
from pathlib import Path

__all__ = ["fit_name", "is_in_use", "remove_file", "replace_file", "sync_directory"]

DENIED, SHARING, LOCKED, MAPPED = 5, 32, 33, 1224  # winerror.h: access denied, sharing and lock violation, user-mapped file
PATIENCE_SECONDS = 1.0  # for whoever reads a file, as a virus scanner does with each that is new
POLL_SECONDS = 0.01
_DEVICE = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)


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
    """Remove a file that nobody here has open; whoever reads it is waited for. Raises OSError."""
    _patiently(lambda: os.unlink(path))


def sync_directory(directory: Path) -> None:
    """Make renames and removals in a directory survive a power failure. Windows opens no directories; NTFS has a log. Raises OSError."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _patiently(call: Callable[[], None]) -> None:
    ends = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            return call()
        except PermissionError as error:
            if getattr(error, "winerror", None) is None or time.monotonic() > ends:
                raise
        time.sleep(POLL_SECONDS)
