"""FakeSpeechServer: a speech server on a thread that answers as vLLM-Omni 0.30.0 does, and goes wrong as it is told to."""

import asyncio
import hashlib
import json
import re
import threading
from dataclasses import dataclass, field
from email.parser import BytesParser
from email.policy import HTTP

import numpy as np

from engines.contract.loop_thread import LoopThread

__all__ = ["Answer", "FakeSpeechServer", "ProbedAddress", "spoken_samples", "wav_bytes"]

RATE = 24_000
BLOCK_BYTES = 9_600  # 0.2 s
REASONS = {200: "OK", 400: "Bad Request", 401: "Unauthorized", 404: "Not Found", 503: "Service Unavailable"}


def wav_bytes(samples: np.ndarray, rate: int = RATE, *, n_promised: int = 0xFFFF_FFFF, n_channels: int = 1) -> bytes:
    """A header of 44 bytes and 16-bit samples. n_promised: bytes of sound that it says there are."""
    form = np.array([1, n_channels], "<u2").tobytes() + np.array([rate, 2 * n_channels * rate], "<u4").tobytes()
    head = b"WAVEfmt " + (16).to_bytes(4, "little") + form + np.array([2 * n_channels, 16], "<u2").tobytes() + b"data"
    return b"RIFF" + b"\xff" * 4 + head + n_promised.to_bytes(4, "little") + samples.astype("<i2").tobytes()


def spoken_samples(text: str, identity: bytes, rate: int = RATE) -> np.ndarray:
    """(T,) int16: a tone whose pitch is who speaks, as long as the text takes."""
    hertz = 100 + int.from_bytes(hashlib.sha256(identity).digest()[:2], "little") % 400
    time = np.arange(round(len(text) / 14 * rate)) / rate
    return np.round(9_000 * np.sin(2 * np.pi * hertz * time)).astype(np.int16)


@dataclass(frozen=True)
class Answer:
    """How one request for speech is answered. status, said: a refusal. n_bytes: of the body, then it is cut; where it `hangs`, nothing more
    comes before the caller hangs up or the server's `release` is set; where it `trickles`, one byte now and then. promises: bytes of sound
    that the header says. raw: the whole body.
    """

    status: int = 200
    said: object = None
    headers: dict[str, str] = field(default_factory=dict)
    n_bytes: int | None = None
    hangs: bool = False
    trickles: bool = False
    promises: int = 0xFFFF_FFFF
    rate: int = RATE
    raw: bytes | None = None
    kind: str = "audio/wav"


@dataclass(frozen=True)
class ProbedAddress:
    """A request as it came. body: of a JSON request, or the fields of a form; {} of any other."""

    method: str
    path: str
    headers: dict[str, str] = field(repr=False)
    body: dict[str, object] = field(repr=False)


class FakeSpeechServer:
    """voices: name -> (recording, words) of what was uploaded. answers: for the next requests for speech, in their order, then all is well.

    uploads_refused, deletions_refused: with which status; 0 where none is. places: for uploads. n_together: requests for speech that wait
    for each other. n_dropped: of them whose connection is closed without an answer. upload_gate: what uploads wait for.
    """

    def __init__(self, *, key: str = "", presets: tuple[str, ...] = ("ryan", "vivian"), models: tuple[str, ...] = ("omni/tts",)):
        self.key, self.presets, self.models = key, presets, models
        self.voices: dict[str, tuple[bytes, str]] = {}
        self.answers: list[Answer] = []
        self.asked: list[ProbedAddress] = []
        self.uploads_refused = self.deletions_refused = 0
        self.places, self.health_status = 1_000, 200
        self.hung_up, self.reached, self.uploaded, self.deleted = (threading.Event() for _ in range(4))
        self.release, self.upload_gate = threading.Event(), threading.Event()
        self.upload_gate.set()
        self.n_together, self.n_dropped = 1, 0
        self._loop = LoopThread("fake server")
        self._port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()
        self._waiting: list[asyncio.Event] = []
        self.up()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def up(self) -> None:
        self._loop.result(self._up())

    def down(self) -> None:
        """Nobody listens, and every connection breaks."""
        self._loop.result(self._down())

    def close(self) -> None:
        self.release.set()
        self.upload_gate.set()
        self.down()
        self._loop.close()

    def speeches(self) -> list[dict[str, object]]:
        return [asked.body for asked in tuple(self.asked) if asked.path == "/v1/audio/speech"]

    def n_asked(self, method: str, path: str) -> int:
        """path: what it begins with."""
        return sum(asked.method == method and asked.path.startswith(path) for asked in tuple(self.asked))

    async def _up(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def _down(self) -> None:
        if self._server is not None:
            for door in self._server.sockets:
                asyncio.get_running_loop().remove_reader(door.fileno())
            for _ in range(3):  # whoever was let in is served by then: asyncio loses a socket that comes in while its server closes
                await asyncio.sleep(0)
            self._server.close()
            self._server = None
        for writer in tuple(self._writers):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            while request := await _read(reader):
                self.asked.append(request)
                await self._answer(request, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            self._writers.discard(writer)
            writer.close()

    async def _answer(self, asked: ProbedAddress, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.key and asked.path.startswith("/v1") and asked.headers.get("authorization") != f"Bearer {self.key}":
            _send(writer, 401, {"error": "Unauthorized"})
        elif asked.path == "/health":
            _send(writer, self.health_status, {"status": "healthy"})
        elif asked.path == "/v1/models":
            _send(writer, 200, {"object": "list", "data": [{"id": model} for model in self.models]})
        elif asked.path == "/v1/audio/speech":
            await self._speak(asked.body, reader, writer)
        elif asked.path == "/v1/audio/voices" and asked.method == "GET":
            uploaded = [{"name": name} for name in self.voices]
            _send(writer, 200, {"voices": sorted([*self.presets, *self.voices, "default"]), "uploaded_voices": uploaded})
        elif asked.path == "/v1/audio/voices":
            await self._upload(asked.body, writer)
        elif asked.method == "DELETE":
            self._delete(asked.path.rpartition("/")[2], writer)
        else:
            _send(writer, 404, {"detail": "Not Found"})

    async def _upload(self, form: dict[str, object], writer: asyncio.StreamWriter) -> None:
        name = str(form["name"])
        self.uploaded.set()
        await asyncio.to_thread(self.upload_gate.wait)
        if self.uploads_refused:
            _refuse(writer, self.uploads_refused, "Runtime voice upload is not supported with --api-server-count > 1")
        elif len(self.voices) >= self.places and name not in self.voices:
            _refuse(writer, 400, f"Uploaded voice limit reached ({self.places}). Delete an existing voice before registering a new one.")
        else:
            self.voices[name] = (form["audio_sample"], str(form.get("ref_text", "")))
            _send(writer, 200, {"success": True, "voice": {"name": name}})

    def _delete(self, name: str, writer: asyncio.StreamWriter) -> None:
        if self.deletions_refused:
            _refuse(writer, self.deletions_refused, "Not now.")
        elif self.voices.pop(name, None):
            _send(writer, 200, {"success": True})
            self.deleted.set()
        else:
            _refuse(writer, 404, f"Voice '{name}' not found")

    async def _speak(self, body: dict[str, object], reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self.n_dropped:
            self.n_dropped -= 1
            raise ConnectionError
        answer = self.answers.pop(0) if self.answers else Answer()
        name = body.get("voice")
        identity = self.voices[name][0] if name in self.voices else str(name).encode() if name in self.presets else None
        identity = str(body["ref_audio"]).encode() if "ref_audio" in body else identity
        if answer.status != 200:
            _send(writer, answer.status, answer.said, answer.headers)
        elif identity is None:
            _refuse(writer, 400, f"Unknown voice '{name}'. Fish Speech has no built-in speakers. Upload a voice first.")
        else:
            sound = wav_bytes(spoken_samples(str(body["input"]), identity, answer.rate), answer.rate, n_promised=answer.promises)
            await self._wait_for_others()
            await self._stream(answer, sound if answer.raw is None else answer.raw, reader, writer)

    async def _stream(self, answer: Answer, sound: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 200 OK\r\nContent-Type: {answer.kind}\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        for start in range(0, len(sound[: answer.n_bytes]), BLOCK_BYTES):
            block = sound[: answer.n_bytes][start : start + BLOCK_BYTES]
            writer.write(f"{len(block):x}\r\n".encode() + block + b"\r\n")
            await self._drained(writer)
        self.reached.set()
        for _ in range(400 * answer.trickles):
            writer.write(b"1\r\n\0\r\n")
            await writer.drain()
            await asyncio.sleep(0.005)
        if answer.hangs:
            await self._hang(reader)
        if answer.n_bytes is not None:
            writer.transport.abort() if not answer.n_bytes else writer.close()
            raise ConnectionError
        writer.write(b"0\r\n\r\n")

    async def _wait_for_others(self) -> None:
        """Until n_together requests for speech are under way."""
        here = asyncio.Event()
        self._waiting.append(here)
        if len(self._waiting) >= self.n_together:
            for one in self._waiting:
                one.set()
            self._waiting.clear()
        await here.wait()

    async def _drained(self, writer: asyncio.StreamWriter) -> None:
        try:
            await writer.drain()
        except ConnectionError:
            self.hung_up.set()
            raise

    async def _hang(self, reader: asyncio.StreamReader) -> None:
        hung_up = asyncio.ensure_future(reader.read(1))
        released = asyncio.ensure_future(asyncio.to_thread(self.release.wait))
        await asyncio.wait([hung_up, released], return_when=asyncio.FIRST_COMPLETED)
        if hung_up.done():
            self.hung_up.set()
            raise ConnectionError


async def _read(reader: asyncio.StreamReader) -> ProbedAddress | None:
    """None where the caller hung up between two requests."""
    head = await reader.readuntil(b"\r\n\r\n")
    first, _, rest = head.decode().partition("\r\n")
    method, path, _ = first.split()
    headers = {name.strip().casefold(): value.strip() for name, _, value in (line.partition(":") for line in rest.splitlines() if line)}
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    kind = headers.get("content-type", "")
    return ProbedAddress(method, path, headers, json.loads(content) if "json" in kind else _form(kind, content))


def _form(kind: str, content: bytes) -> dict[str, object]:
    if "multipart" not in kind:
        return {}
    message = BytesParser(policy=HTTP).parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + content)
    fields = {}
    for part in message.iter_parts():
        name = re.search(r'name="([^"]+)"', part["content-disposition"])[1]
        said = part.get_payload(decode=True)
        fields[name] = said if part.get_filename() else said.decode()
    return fields


def _refuse(writer: asyncio.StreamWriter, status: int, message: str) -> None:
    _send(writer, status, {"error": {"message": message, "type": "BadRequestError", "param": None, "code": status}})


def _send(writer: asyncio.StreamWriter, status: int, said: object, headers: dict[str, str] | None = None) -> None:
    body = json.dumps(said).encode()
    lines = [f"HTTP/1.1 {status} {REASONS.get(status, 'Other')}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    writer.write("\r\n".join(lines).encode() + b"\r\n\r\n" + body)
