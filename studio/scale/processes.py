"""Processes of a cluster: finds them and ends them. It knows them by their session, and by the folder for which they were started."""

import contextlib
import os
import signal
import sys
import time
from pathlib import Path

__all__ = ["end_processes", "processes_of"]

PROC = Path("/proc")
LOOK_AGAIN_SECONDS = 0.05


def processes_of(session: int, folder: Path) -> list[int]:
    """Ids of living processes of that session, and of any whose command line names the folder; without this one and its parent."""
    spared = {os.getpid(), os.getppid()}
    found = (int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())
    return sorted(process for process in found if process not in spared and _belongs(process, session, str(folder).encode()))


def end_processes(session: int, folder: Path, most_seconds: float = 5.0) -> list[int]:
    """SIGKILL to all of them, again until none is left; returns those that live on after most_seconds."""
    deadline = time.monotonic() + most_seconds
    while (left := processes_of(session, folder)) and time.monotonic() < deadline:
        for process in left:
            _kill(process)
        time.sleep(LOOK_AGAIN_SECONDS)
    return left


def _belongs(process: int, session: int, mark: bytes) -> bool:
    about = PROC / str(process)
    try:
        state, _parent, _group, its_session = (about / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()[:4]
        if state in "ZX":  # over, and not yet fetched by its parent
            return False
        if int(its_session) == session:
            return True
        return mark in (about / "cmdline").read_bytes()
    except OSError:  # gone meanwhile, or somebody else's
        return False


def _kill(process: int) -> None:
    if sys.platform == "win32":
        raise OSError("Windows has no sessions.")
    with contextlib.suppress(ProcessLookupError):
        os.kill(process, signal.SIGKILL)
