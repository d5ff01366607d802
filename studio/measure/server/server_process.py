"""A studio server in another process, on a free port and a folder of its own. Measurements and tests use it from outside."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["SERVER", "ServerProcess", "start_server"]

APP = Path(__file__).parents[3] / "app.py"
SERVER = (str(APP),)  # what Python runs where nothing else is named


@dataclass(frozen=True)
class ServerProcess:
    """url: without a trailing slash. ready_line: what it said when it was ready. seconds: from the start to that line."""

    process: subprocess.Popen
    url: str
    ready_line: str
    seconds: float
    log: Path

    def output(self) -> str:
        """What it printed and logged so far."""
        return self.log.read_text(encoding="utf-8", errors="replace")

    def kill(self) -> None:
        """SIGKILL: no goodbye, as when a machine loses power."""
        self.process.kill()
        self.process.wait()

    @property
    def port(self) -> int:
        return int(self.url.rsplit(":", 1)[1])

    def memory_bytes(self) -> int | None:
        """Resident memory now; None where /proc is not there."""
        if sys.platform != "linux":
            return None
        try:
            pages = int(Path(f"/proc/{self.process.pid}/statm").read_text(encoding="utf-8").split()[1])
        except OSError:
            return None
        return pages * os.sysconf("SC_PAGE_SIZE")

    def held_bytes(self) -> int:
        """Resident memory now. Raises OSError where /proc is not there."""
        n_bytes = self.memory_bytes()
        if n_bytes is None:
            raise OSError("Only Linux has /proc, which tells the memory of a process.")
        return n_bytes

    def processor_seconds(self) -> float:
        """Of all its threads by now. Raises OSError where /proc is not there."""
        if sys.platform != "linux":
            raise OSError("Only Linux has /proc, which tells the time of a process.")
        fields = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime, proc(5)


def _begin_python(words: Sequence[str], **how: Any) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, *words], **how)


@contextmanager
def start_server(
    speakers_dir: Path,
    *,
    headless: bool = True,
    environment: Mapping[str, str] | None = None,
    most_seconds: float = 60.0,
    program: Sequence[str] = SERVER,
    begin: Callable[..., subprocess.Popen] = _begin_python,
) -> Iterator[ServerProcess]:
    """Run `app.py`, or another program that takes its options, and wait for its ready line; stop it at the end.

    program: what Python runs. begin: what makes the process of its words, as Popen does. Raises RuntimeError with its output when it does
    not get ready.
    """
    words = [*program, "--port", "0", *(["--headless"] if headless else [])]
    surroundings = {**child_environment(), **(environment or {}), "SPEAKER_SAMPLES_DIR": str(speakers_dir)}
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"  # a file, not a pipe: nobody reads on, and a full pipe would stop the server
        with log.open("wb") as output:
            process = begin(words, stdout=output, stderr=subprocess.STDOUT, env=surroundings)
        try:
            ready_line = _wait_until_ready(process, log, started + most_seconds)
            url = next(word for word in ready_line.split() if word.startswith("http://"))
            yield ServerProcess(process, url, ready_line, time.perf_counter() - started, log)
        finally:
            _stop(process)


def child_environment() -> dict[str, str]:
    """The environment for a child: ours, unbuffered, with the studio's own settings left out."""
    from studio.settings import current_environment

    return {**current_environment(without_settings=True), "PYTHONUNBUFFERED": "1"}


def _wait_until_ready(process: subprocess.Popen, log: Path, deadline: float) -> str:
    while True:
        said = log.read_text(encoding="utf-8", errors="replace")
        ready = [line for line in said.splitlines(keepends=True) if line.startswith("ready in ") and line.endswith("\n")]
        if ready:
            return ready[0].strip()
        if process.poll() is not None or time.perf_counter() > deadline:
            raise RuntimeError(f"The server did not get ready. It said:\n{said}")
        time.sleep(0.01)


def _stop(process: subprocess.Popen) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
