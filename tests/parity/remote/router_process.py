"""RouterHost and RouterProcess: real vLLM-Omni servers of tones in processes of their own, which a test can kill and start again."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

__all__ = ["RouterHost", "RouterProcess", "until"]

ROOT = Path(__file__).parents[3]
POLL_SECONDS = 0.05


class RouterHost:
    """The process that imports the package once; its servers are copies of it, and end with it. python: has the package."""

    def __init__(self, python: str, folder: Path):
        environment = {"PATH": os.defpath, "HOME": str(folder), "OMP_NUM_THREADS": "1"}
        self._log = (folder / "log").open("ab")
        self._process = subprocess.Popen(
            [python, "-m", "tests.parity.remote.official", "--several"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )

    def serve(self, *arguments: str) -> int:
        """The process id of a server with these arguments, which begins to start."""
        self._process.stdin.write(json.dumps(arguments) + "\n")
        self._process.stdin.flush()
        while not (line := self._process.stdout.readline()).strip().isdecimal():  # the package logs to the same place
            if not line:
                raise RuntimeError("the host of the routers ended, see its log")
        return int(line)

    def close(self) -> None:
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._log.close()


class RouterProcess:
    """One server. url: base address. folder: its voices, events.jsonl and log; they outlive the process."""

    def __init__(self, host: RouterHost, folder: Path, *options: str):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.folder = folder
        self._host, self._arguments = host, ("--port", str(port), "--folder", str(folder), *options)
        self._process = 0

    def start(self) -> None:
        """Waits until it is well. Raises TimeoutError."""
        self._process = self._host.serve(*self._arguments)
        until(self._is_well)

    def kill(self) -> None:
        """SIGKILL; nobody answers there when this returns."""
        with suppress(ProcessLookupError):
            os.kill(self._process, signal.SIGKILL)
        until(lambda: not self._is_well())

    def events(self, kind: str, text: str) -> list[dict[str, object]]:
        """What the model was asked for, ended or abandoned, of a text."""
        file = self.folder / "events.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        return [event for event in map(json.loads, lines) if (event["event"], event["text"]) == (kind, text)]

    def _is_well(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False


def until(holds: Callable[[], object], most_seconds: float = 60.0) -> None:
    """Wait for what another process does. Raises TimeoutError."""
    deadline = time.monotonic() + most_seconds
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not within {most_seconds:g} s")
        time.sleep(POLL_SECONDS)
