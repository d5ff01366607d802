"""A Python that has imported the studio and is forked for each program: `python -m tests.processes.warm_python SOCKET`. Linux only.

What a program imports takes far longer than what most tests ask of it. Each asks with one message on the socket: what to run, and the
files that are its own; whoever asked is told the process id, and later how it ended.
"""

import gc
import json
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

__all__ = ["MOST_BYTES", "Asked"]

MOST_BYTES = 1 << 20  # of a message: an environment
N_FILES = 4  # where its end is told, and its stdin, stdout and stderr


@dataclass(frozen=True)
class Asked:
    """words: the command line after `python`: a script, or -m and a module, and their arguments. warm: what is imported for all to come."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    warm: list[str]


def asked_of(asking: socket.socket) -> Asked:
    """What the forked process is to run; returns in no other one. Ends this one when nobody is left who asks."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of whoever ended the tests
    forks = _Forks()
    while True:
        for file in forks.what_is_due(asking):
            if file != asking.fileno():
                forks.tell_the_end(file)
            elif asked := forks.asked(asking):
                return asked


class _Forks:
    """The processes that were forked and go on."""

    def __init__(self):
        self._begun: dict[int, tuple[int, int]] = {}  # by what tells that it ended: its id, and where to say so

    def what_is_due(self, asking: socket.socket) -> list[int]:
        poll = select.poll()
        for file in (*self._begun, asking.fileno()):
            poll.register(file, select.POLLIN)
        return [file for file, _ in poll.poll()]

    def asked(self, asking: socket.socket) -> Asked | None:
        """In the process that is forked what it is to run, in this one None."""
        message, files, _, _ = socket.recv_fds(asking, MOST_BYTES, N_FILES)
        if not message:
            sys.exit()
        asked = Asked(**json.loads(message))
        for name in asked.warm:
            import_module(name)
        gc.freeze()  # or the first search for rubbish would copy all of it
        process_id = os.fork()
        if not process_id:
            for pidfd, (_, told) in self._begun.items():
                os.close(pidfd)
                os.close(told)
            _take(files)
            return asked
        for file in files[1:]:
            os.close(file)
        os.write(files[0], f"{process_id}\n".encode())
        self._begun[os.pidfd_open(process_id)] = (process_id, files[0])
        return None

    def tell_the_end(self, pidfd: int) -> None:
        process_id, told = self._begun.pop(pidfd)
        status = os.waitstatus_to_exitcode(os.waitpid(process_id, 0)[1])
        os.close(pidfd)
        with suppress(BrokenPipeError):  # nobody waits for it
            os.write(told, f"{status}\n".encode())
        os.close(told)


def _take(files: list[int]) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for own, file in enumerate(files[1:]):
        os.dup2(file, own)
    for file in files:
        os.close(file)


def run(asked: Asked) -> None:
    """As Python does."""
    os.environ.clear()
    os.environ.update(asked.environment)
    os.chdir(asked.folder)
    tempfile.tempdir = None  # which is that of the environment
    folders = [folder for folder in asked.environment.get("PYTHONPATH", "").split(os.pathsep) if folder and folder not in sys.path]
    sys.path[1:1] = folders
    for folder in folders:
        if (Path(folder) / "sitecustomize.py").exists():
            runpy.run_path(str(Path(folder) / "sitecustomize.py"))
    if asked.words[0] == "-m":
        sys.argv = asked.words[1:]
        sys.path[0] = asked.folder
        runpy.run_module(asked.words[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = asked.words
        sys.path[0] = str(Path(asked.words[0]).parent)
        runpy.run_path(asked.words[0], run_name="__main__")


if __name__ == "__main__":
    with socket.socket(fileno=int(sys.argv[1])) as door:
        wanted = asked_of(door)
    run(wanted)
