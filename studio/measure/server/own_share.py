"""What the studio itself costs, with an engine that costs nothing: `python -m studio.measure.server.own_share [--before CHECKOUT]`.

Three servers take turns in one run: bare Starlette, the studio of another checkout where one is named, and this one. Of each: the time to
`first_audio` by its Server-Timing, what this client waits from there to the first byte of the body, seconds of sound per second, and
processor time per chunk of 80 ms, each for 1, 8 and 32 listeners. The client is a bare socket, so that its own time is small.
"""

import argparse
import http.client
import json
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from studio.measure.server.http_figures import stages_of, upload
from studio.measure.server.machine import describe_machine
from studio.measure.server.paced_engine import FRAME_SAMPLES, SAMPLE_RATE
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main"]

SERVER = str(Path(__file__).with_name("instant_server.py"))
ROOT = Path(__file__).parents[3]
DEMO = ROOT / "assets" / "voices" / "demo.flac"
VOICE = "bench"
CHUNK_SECONDS = FRAME_SAMPLES / SAMPLE_RATE
LISTENERS = (1, 8, 32)
SHORT_WORDS = 3  # of a request whose first byte is timed
LONG_CHUNKS = 6000  # of all listeners together, in one measurement of a rate


@dataclass
class _Figures:
    """Of one server, a value per round: milliseconds, seconds of sound per second, microseconds."""

    first_audio: list[float] = field(default_factory=list)
    packet: list[float] = field(default_factory=list)
    behind: list[float] = field(default_factory=list)
    rates: dict[int, list[float]] = field(default_factory=lambda: {n: [] for n in LISTENERS})
    costs: dict[int, list[float]] = field(default_factory=lambda: {n: [] for n in LISTENERS})


def main() -> None:
    """Print a line per server: medians of all rounds."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--before", type=Path, help="root of a checkout whose studio is measured beside this one")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--requests", type=int, default=200, help="short ones, per round")
    options = parser.parse_args()
    print(json.dumps(describe_machine()))
    roots = {"before": options.before, "now": ROOT} if options.before else {"now": ROOT}
    with ExitStack() as stack:
        servers = {"bare": stack.enter_context(_server(stack, ROOT, "--bare"))}
        servers |= {name: stack.enter_context(_server(stack, root)) for name, root in roots.items()}
        found = {name: _Figures() for name in servers}
        for name, server in servers.items():
            if name != "bare":
                _make_voice(server)
            _short(server, 50, _Figures())  # what is opened once
        for _ in range(options.rounds):
            for name, server in servers.items():
                _short(server, options.requests, found[name])
                _rates(server, found[name])
    for name, figures in found.items():
        print(_line(name, figures), flush=True)


def _server(stack: ExitStack, root: Path, *more: str) -> AbstractContextManager[ServerProcess]:
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
    return start_server(folder, environment={"PYTHONPATH": str(root.resolve())}, program=(SERVER, *more))


def _make_voice(server: ServerProcess) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    upload(connection, VOICE, DEMO.read_bytes())
    connection.close()


def _short(server: ServerProcess, n_requests: int, figures: _Figures) -> None:
    """Requests of SHORT_WORDS, one after the other; their medians."""
    rows = [_asked(server.port, SHORT_WORDS) for _ in range(n_requests)]
    figures.first_audio.append(1000 * statistics.median(stages["first_audio"] for _, stages in rows))
    figures.behind.append(1000 * statistics.median(first - stages["first_audio"] for first, stages in rows))
    if "packet" in rows[0][1]:
        figures.packet.append(1000 * statistics.median(stages["packet"] for _, stages in rows))


def _rates(server: ServerProcess, figures: _Figures) -> None:
    for n_listeners in LISTENERS:
        before, started = server.processor_seconds(), time.perf_counter()
        threads = [threading.Thread(target=_asked, args=(server.port, LONG_CHUNKS // n_listeners)) for _ in range(n_listeners)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        figures.rates[n_listeners].append(LONG_CHUNKS * CHUNK_SECONDS / (time.perf_counter() - started))
        figures.costs[n_listeners].append((server.processor_seconds() - before) / LONG_CHUNKS * 1e6)


def _asked(port: int, n_words: int) -> tuple[float, Mapping[str, float]]:
    """Seconds to the first byte of the body, and of the stages of Server-Timing. Raises RuntimeError unless 200."""
    body = json.dumps({"input": "a " * n_words, "voice": VOICE, "stream_format": "audio", "response_format": "pcm"}).encode()
    fields = f"Host: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    head = f"POST /v1/audio/speech HTTP/1.1\r\n{fields}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port)) as connection:
        started = time.perf_counter()
        connection.sendall(head.encode() + body)
        answer = headers = b""
        for received in _pieces(connection):
            answer += received
            headers, end, sound = answer.partition(b"\r\n\r\n")
            if end and sound:
                break
        first = time.perf_counter() - started
        for _ in _pieces(connection):  # to its end
            pass
    if not headers.startswith(b"HTTP/1.1 200"):
        raise RuntimeError(f"speech answered {answer[:500]!r}")
    return first, stages_of(headers.decode("latin-1"))


def _pieces(connection: socket.socket) -> Iterator[bytes]:
    while received := connection.recv(1 << 18):
        yield received


def _line(name: str, figures: _Figures) -> str:
    def middle(values: list[float], digits: int = 2) -> str:
        return f"{statistics.median(values):.{digits}f}" if values else "-"

    rates = ", ".join(f"{n}: {middle(values, 0)}" for n, values in figures.rates.items())
    costs = ", ".join(f"{n}: {middle(values, 0)}" for n, values in figures.costs.items())
    times = f"first_audio {middle(figures.first_audio)} ms, packet {middle(figures.packet)} ms"
    behind = f"first byte {middle(figures.behind)} ms behind first_audio"
    return f"{name:7} {times}, {behind}; seconds of sound per second {rates}; processor us per chunk {costs}"


if __name__ == "__main__":
    main()
