"""Replicas: a cluster of held studios, as a test asks it: by one session or another, and so one replica or another."""

import os
import signal
import time
import zlib
from dataclasses import dataclass
from pathlib import Path

from studio.scale.private_cluster import PrivateCluster, ServedApplication
from tests.api.door import wav
from tests.stand_ins import patient_http

KEY = "a-key-of-the-cluster"
PREFIX = "/below"
APP = "tests.scale.held_app:held"
PATIENCE_SECONDS = 60
N_SESSIONS = 64


@dataclass
class Replicas:
    """Two of them behind one address, and a third below PREFIX. notes: where their engines write."""

    cluster: PrivateCluster
    notes: Path
    key: str = KEY

    def request(self, method: str, path: str, *, session: str = "", **content):
        headers = {"Authorization": f"Bearer {self.key}"} | ({"X-Session-Id": session} if session else {}) | content.pop("headers", {})
        with patient_http.Client() as client:
            return client.request(method, self.cluster.url + path, headers=headers, **content)

    def speak(self, text: str = "hello there", *, session: str = "", **fields):
        return self.request("POST", "/v1/audio/speech", session=session, json={"input": text, "response_format": "pcm"} | fields)

    def upload(self, name: str, *, session: str = ""):
        """A recording unlike that of any other name: prompts are known by it."""
        files = {"audio_sample": ("a.wav", wav(1.5, hz=200 + zlib.crc32(name.encode()) % 2000), "audio/wav")}
        return self.request("POST", "/v1/audio/voices", session=session, files=files, data={"name": name, "consent": "c1"})

    def home(self, session: str) -> int | None:
        """The process that answers it, None where none does."""
        answer = self.request("GET", "/v1/models/fake", session=session)
        return int(answer.headers["x-replica"]) if answer.status_code == 200 else None

    def sessions(self) -> dict[int, str]:
        """Process of a replica -> a session that it answers. Both replicas are up when this returns."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            found: dict[int | None, str] = {}
            for number in range(N_SESSIONS):
                found.setdefault(self.home(f"session-{number}"), f"session-{number}")
                if len(found) == 2:
                    break
            # a replica that came meanwhile has taken its share of the keys
            if len(found) == 2 and None not in found and all(self.home(session) == process for process, session in found.items()):
                return found
        raise AssertionError(f"no two replicas answer, but {found}")

    def kill(self, process: int) -> None:
        os.kill(process, signal.SIGKILL)

    def noted(self, name: str) -> Path:
        """Wait until that note is there."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not (self.notes / name).exists():
            assert time.monotonic() < deadline, f"no {name} in {sorted(os.listdir(self.notes))}"
            time.sleep(0.01)
        return self.notes / name


def served(replicas: int = 2) -> list[ServedApplication]:
    """What the tests' cluster serves."""
    args = {"replicas": str(replicas), "headless": "1", "grace_seconds": "40", "cpus": "0.1"}
    return [
        ServedApplication(APP, args),
        ServedApplication(APP, args | {"replicas": "1"}, name="prefixed", route_prefix=PREFIX),
    ]
