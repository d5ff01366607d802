"""Programs of tests that are forked from a Python which has imported the studio, and are otherwise processes like any other."""

import atexit
import io
import json
import os
import select
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from studio.settings import Settings
from tests.windows_files.windows_files import ROOT_VARIABLE

__all__ = ["HEADLESS", "PAGE", "WarmProcess", "process_of", "ran"]

ROOT = Path(__file__).parents[2]
# What a studio imports by the time that it answers, the dear ones by name.
HEADLESS = (
    "app",
    "studio.server",
    "studio.api.app",
    "engines.espeak",
    "fastapi_offline",
    "huggingface_hub.hf_api",
    "truststore",
    "unicode_rbnf",
)
PAGE = (*HEADLESS, "studio.ui.frame.app")
NO_EARS = Path(__file__).with_name("no_ears")
MOST_SECONDS = 120  # that a command takes
SETTINGS = {field.title for field in Settings.model_fields.values()}
# Of the environment, what is read when it is wanted and not by what is imported; beside the studio's own settings.
READ_LATE = {"TMPDIR", "BROWSER", "PYTHONPATH", "PYTHONUNBUFFERED", "PYTEST_CURRENT_TEST", ROOT_VARIABLE}
SET_BY_IMPORTS = {"HF_HUB_DISABLE_TELEMETRY", "TORCHINDUCTOR_CACHE_DIR"}  # Gradio's and torch's, in this process


class _Warm:
    """The Python that is forked. It ends with this process."""

    def __init__(self):
        self.environment = _read_early(os.environ)
        self.door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        command = [sys.executable, "-m", "tests.processes.warm_python", str(theirs.fileno())]
        surroundings = _without_ears(self.environment | {"PYTHONUNBUFFERED": "1"})
        self.process = subprocess.Popen(command, cwd=ROOT, env=surroundings, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
        theirs.close()
        atexit.register(self.end)

    def end(self) -> None:
        self.door.close()
        self.process.wait()


@cache
def _warm() -> _Warm:
    return _Warm()


def _read_early(environment: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name not in SETTINGS | READ_LATE | SET_BY_IMPORTS}


class WarmProcess(subprocess.Popen):
    """What subprocess.Popen is of a command that begins with this Python. env: which differs from ours in READ_LATE and settings alone.

    warm: modules that are imported before, for this and all later ones.
    """

    _child_created = False  # by this process, which Popen would wait for

    def __init__(self, command: Sequence[str], *, warm: Sequence[str] = HEADLESS, cwd: Path = ROOT, env: Mapping[str, str], **files):
        self.args, self.returncode, self.encoding, self.errors = command, None, None, None
        self.stdin = self.stdout = self.stderr = None
        self.text_mode = files.pop("text", False)
        told, tells = os.pipe()
        self._told = os.fdopen(told, "rb", buffering=0)
        given = [self._given(name, files.get(name)) for name in ("stdin", "stdout", "stderr")]
        words = [str(word) for word in command[1:]]
        if files.get("stderr") is subprocess.STDOUT:
            given[2] = (given[1][0], False)
        asked = {"words": words, "environment": dict(env), "folder": str(cwd), "warm": list(warm)}
        socket.send_fds(_warm().door, [json.dumps(asked).encode()], [tells, *(file for file, _ in given)])
        for file in (tells, *(file for file, is_ours in given if is_ours)):
            os.close(file)
        self.pid = self._number()

    def _given(self, name: str, asked: object) -> tuple[int, bool]:
        """The file that the process has under this name, and whether it is closed here."""
        if asked in (None, subprocess.STDOUT):
            return {"stdin": 0, "stdout": 1, "stderr": 2}[name], False
        if asked is subprocess.DEVNULL:
            return os.open(os.devnull, os.O_RDWR), True
        if asked is not subprocess.PIPE:
            return asked if isinstance(asked, int) else asked.fileno(), False  # pyright: ignore[reportAttributeAccessIssue]
        reads, writes = os.pipe()
        ours, theirs = (writes, reads) if name == "stdin" else (reads, writes)
        file = os.fdopen(ours, "wb" if name == "stdin" else "rb")
        setattr(self, name, io.TextIOWrapper(file, encoding="utf-8", write_through=True) if self.text_mode else file)
        return theirs, True

    def poll(self) -> int | None:
        return self._ended(0)

    def wait(self, timeout: float | None = None) -> int:
        status = self._ended(timeout)
        if status is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return status

    def _ended(self, most_seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._told], [], [], most_seconds)[0]:
            self.returncode = self._number()
            self._told.close()
        return self.returncode

    def _number(self) -> int:
        line = self._told.readline()
        if not line:
            raise ChildProcessError(f"The Python that is forked for {self.args} is gone.")
        return int(line)


def process_of(command: Sequence[str], *, warm: Sequence[str] = HEADLESS, **how) -> subprocess.Popen:
    """A process of this command, without ears where it is this Python's. how: as Popen has it.

    It is forked where this machine can and its environment lets it, and starts as ever where not.
    """
    if command[0] != sys.executable:
        return subprocess.Popen(command, **how)
    environment = _without_ears(os.environ if how.get("env") is None else how["env"])
    can_be = hasattr(os, "pidfd_open") and _read_early(environment) == _warm().environment
    return (WarmProcess if can_be else subprocess.Popen)(command, **how | {"env": environment} | ({"warm": warm} if can_be else {}))


def _without_ears(environment: Mapping[str, str]) -> dict[str, str]:
    """Whoever plays Windows' rules in it comes first: of a Python that starts as ever, the first is asked alone."""
    places = [place for place in environment.get("PYTHONPATH", "").split(os.pathsep) if place not in ("", str(NO_EARS))]
    return {**environment, "PYTHONPATH": os.pathsep.join((*places, str(NO_EARS)))}


def ran(command: Sequence[str], **how) -> subprocess.CompletedProcess[str]:
    """A process of this command when it is over, with what it said; one that takes too long is killed. how: as `process_of` has it."""
    with tempfile.TemporaryFile("w+", encoding="utf-8") as output, tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = process_of(command, stdin=subprocess.DEVNULL, stdout=output, stderr=errors, **how)
        try:
            status = process.wait(MOST_SECONDS)
        finally:
            process.kill()  # nothing where it is over
        output.seek(0)
        errors.seek(0)
        return subprocess.CompletedProcess(command, status, output.read(), errors.read())
