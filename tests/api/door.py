"""Door: the API over fake engines, with a client that needs no socket; and a real server where hang-ups and chunks matter."""

import asyncio
import base64
import contextlib
import io
import json
import threading
import time
from dataclasses import replace

import httpx
import numpy as np
import soundfile

from studio.api.app import build_api
from studio.reference.remote_audio import RemoteAudio
from studio.server import configured, listen
from studio.service import Studio
from studio.settings import Settings
from tests.processes.threaded_server import served_in_a_thread
from tests.stand_ins.fake_engine import INFO, FakeEngine, pitch_of

SAMPLE_RATE = 24_000
CLONE_ONLY = replace(INFO, id="clone", title="Clone Only", presets=(), default_preset=None, embedding_size=None)


class Door:
    """engines: id -> FakeEngine, opened when first wanted. `get`, `post`, ... are httpx's, answered without a socket."""

    def __init__(self, folder, *engines: FakeEngine, remote_audio: RemoteAudio | None = None, **settings):
        self.engines = {engine.info.id: engine for engine in engines or (FakeEngine(),)}
        self.engine = next(iter(self.engines.values()))
        self.before_opening = lambda name: None  # runs on the engine's thread, may raise
        infos = {name: engine.info for name, engine in self.engines.items()}
        settings = {"speakers_dir": folder, "default_engine": self.engine.info.id, "warm_uploads": False} | settings
        self.folder = folder
        self.bodies: list[dict] = []  # that `speak` sent
        self.studio = Studio(Settings(**settings), infos=infos, open_engine=self.open_engine)
        if remote_audio is not None:  # of all views
            self.studio.remote_audio = vars(self.studio._parts)["remote_audio"] = remote_audio
        self.app = build_api(self.studio)

    def open_engine(self, name: str) -> FakeEngine:
        self.before_opening(name)
        return self.engines[name]

    def request(self, method: str, path: str, **content) -> httpx.Response:
        async def ask() -> httpx.Response:
            transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
            async with httpx.AsyncClient(transport=transport, base_url="http://door", timeout=60) as client:
                return await client.request(method, path, **content)

        return asyncio.run(ask())

    def get(self, path: str, **content) -> httpx.Response:
        return self.request("GET", path, **content)

    def post(self, path: str, **content) -> httpx.Response:
        return self.request("POST", path, **content)

    def delete(self, path: str, **content) -> httpx.Response:
        return self.request("DELETE", path, **content)

    def speak(self, text: str = "hello there", **fields) -> httpx.Response:
        self.bodies.append({"input": text} | fields)
        return self.post("/v1/audio/speech", json=self.bodies[-1])

    def upload(self, name: str = "alice", data: bytes | None = None, *, file=("a.wav", "audio/wav"), **fields) -> httpx.Response:
        sample = (file[0], wav(1.5) if data is None else data, file[1])
        return self.post("/v1/audio/voices", files={"audio_sample": sample}, data={"name": name, "consent": "c1"} | fields)

    def convert(self, data: bytes | None = None, **fields) -> httpx.Response:
        sample = ("a.wav", wav(1.0) if data is None else data, "audio/wav")
        return self.post("/v1/audio/speech/convert", files={"file": sample}, data=fields)

    def close(self) -> None:
        self.studio.close()
        self.bodies.clear()  # it answers no more


def wav(seconds: float, *, hz: float = 220.0, rate: int = SAMPLE_RATE, channels: int = 1, subtype: str = "PCM_16", format="WAV") -> bytes:
    """A file with a tone."""
    n_samples = round(seconds * rate)
    tone = 0.4 * np.sin(2 * np.pi * hz * np.arange(n_samples) / rate)
    buffer = io.BytesIO()
    soundfile.write(buffer, np.repeat(tone[:, None], channels, axis=1), rate, format=format, subtype=subtype)
    return buffer.getvalue()


def data_url(data: bytes, mime: str = "audio/wav") -> str:
    return f"data:{mime};base64,{base64.b64encode(data).decode()}"


def samples_of(data: bytes) -> tuple[np.ndarray, int]:
    """(T,) float32 and rate of a file."""
    return soundfile.read(io.BytesIO(data), dtype="float32")


def pcm(data: bytes) -> np.ndarray:
    return np.frombuffer(data, "<i2").astype(np.float32) / 32767


def error_of(response: httpx.Response) -> dict:
    return response.json()["error"]


def events_of(text: str) -> list[tuple[str, dict]]:
    """(event, data) of a server-sent stream."""
    pairs = []
    for block in filter(None, text.split("\n\n")):
        name, data = block.split("\n", 1)
        pairs.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return pairs


def pitch_of_voice(door: Door, name: str) -> float:
    """Hz in which the fake engine speaks as this voice."""
    return pitch_of(door.studio.speaker(name).clip_digest)


class Gate:
    """Something to hold the engine with: it waits here until the test opens."""

    def __init__(self, *, is_open: bool = False):
        self.arrivals = threading.Semaphore(0)
        self._open = threading.Event()
        if is_open:
            self._open.set()

    def __call__(self, index: int = 0) -> None:
        self.arrivals.release()
        assert self._open.wait(60)

    def wait_for_arrival(self) -> None:
        assert self.arrivals.acquire(timeout=60)

    def open(self) -> None:
        self._open.set()


def eventually(claim, seconds: float = 60.0, pause: float = 0.002) -> bool:
    """Whether the claim comes true; for effects in other threads that have no event of their own. pause: s between two looks."""
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() > deadline:
            return False
        time.sleep(pause)
    return True


@contextlib.contextmanager
def served(door: Door):
    """The door behind a real uvicorn on a free port; gives its base URL."""
    build = lambda: configured(door.app, door.studio.settings, log_level="critical", lifespan="off")  # noqa: E731
    with served_in_a_thread(build, listen("127.0.0.1", 0)) as url:
        yield url
