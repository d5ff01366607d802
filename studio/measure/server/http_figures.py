"""Figures of the whole studio over HTTP, from outside: cold and warm time to first packet, the server's own share, memory."""

import http.client
import json
import re
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from engines.clips.clip import Transcript
from studio.measure.server.machine import spread
from studio.measure.server.server_process import ServerProcess

__all__ = ["COLD_UPLOADS", "ask", "measure_server", "stages_of", "upload"]

NAME = "bench"
COLD_UPLOADS = {"STUDIO_WARM_UPLOADS": "false"}  # what is learned in the background must not fall into a measurement


@dataclass(frozen=True)
class _Run:
    """Seconds: first_byte as this client saw it; stages as the server reported them."""

    first_byte: float
    cache: str
    stages: dict[str, float]

    @property
    def own_share(self) -> float:
        """First byte minus the engine's part: its first chunk, and extraction where there was one."""
        return self.first_byte - self.stages["first_chunk"] - self.stages.get("extract", 0.0)


def measure_server(
    server: ServerProcess, engine: str, clip_file: Path, transcript: Transcript | None, text: str, *, n_runs: int
) -> dict[str, object]:
    """Seconds (spreads). cold: the prompt is dropped from memory and disk before each request. warm: it is in memory.

    server_ttfp is what the server states (arrival to first audio ready); client_first_byte includes connection and headers.
    """
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        upload(connection, NAME, clip_file.read_bytes(), transcript)
        cold = []
        for _ in range(max(3, n_runs // 5)):
            ask(connection, "DELETE", f"/v1/audio/voices/{NAME}/cache?model={engine}")
            cold.append(_speak(connection, engine, text))
        warm = [_speak(connection, engine, text) for _ in range(n_runs)]
        ask(connection, "DELETE", f"/v1/audio/voices/{NAME}")
    finally:
        connection.close()
    if {run.cache for run in cold} != {"miss"} or {run.cache for run in warm} != {"hit"}:
        raise RuntimeError(f"cold runs were {[run.cache for run in cold]}, warm runs {[run.cache for run in warm]}")
    return {
        "ready_seconds": server.seconds,
        "cold": _figures(cold),
        "warm": _figures(warm),
        "server_own_share_seconds": spread([run.own_share for run in warm]),
        "server_memory_bytes": server.memory_bytes(),
    }


def _figures(runs: list[_Run]) -> dict[str, object]:
    return {
        "server_ttfp_seconds": spread([run.stages["first_audio"] for run in runs]),
        "client_first_byte_seconds": spread([run.first_byte for run in runs]),
    }


def upload(connection: http.client.HTTPConnection, name: str, data: bytes, transcript: Transcript | None = None) -> None:
    """Make a voice of a WAV file's bytes. Raises RuntimeError with the answer where it is refused."""
    fields = {"name": name, "consent": "benchmark"}
    if transcript is not None:
        fields |= {"ref_text": transcript.text, "language": transcript.language or "en"}
    boundary = uuid.uuid4().hex
    parts = [
        f'--{boundary}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode() for field, value in fields.items()
    ]
    head = f'--{boundary}\r\nContent-Disposition: form-data; name="audio_sample"; filename="clip.wav"\r\nContent-Type: audio/wav\r\n\r\n'
    body = b"".join([*parts, head.encode(), data, f"\r\n--{boundary}--\r\n".encode()])
    ask(connection, "POST", "/v1/audio/voices", body, f"multipart/form-data; boundary={boundary}")


def ask(connection: http.client.HTTPConnection, method: str, path: str, body: bytes = b"", content_type: str = "application/json") -> bytes:
    """The body of a 200. Raises RuntimeError with any other answer."""
    connection.request(method, path, body, {"Content-Type": content_type})
    response = connection.getresponse()
    answer = response.read()
    if response.status != http.client.OK:
        raise RuntimeError(f"{method} {path} answered {response.status}: {answer[:500]!r}")
    return answer


def _speak(connection: http.client.HTTPConnection, engine: str, text: str) -> _Run:
    body = json.dumps({"input": text, "voice": NAME, "model": engine, "response_format": "pcm", "stream_format": "audio"}).encode()
    started = time.perf_counter()
    connection.request("POST", "/v1/audio/speech", body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    response.read1(1)
    first_byte = time.perf_counter() - started
    rest = response.read()
    if response.status != http.client.OK:
        raise RuntimeError(f"speech answered {response.status}: {rest[:500]!r}")
    return _Run(first_byte, response.getheader("X-Speaker-Cache", ""), stages_of(response.getheader("Server-Timing", "")))


def stages_of(server_timing: str) -> dict[str, float]:
    """Seconds of each stage that a Server-Timing header tells."""
    return {name: float(milliseconds) / 1000 for name, milliseconds in re.findall(r"(\w+);dur=([\d.]+)", server_timing)}
