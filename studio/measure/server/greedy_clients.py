"""Resources that greedy clients can hold without any work: `python -m studio.measure.server.greedy_clients`, on a paced server."""

import json
import select
import socket
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from http.client import HTTPConnection
from pathlib import Path
from urllib.request import urlopen

from studio.measure.server.http_figures import upload
from studio.measure.server.server_process import ServerProcess, start_server

__all__ = ["main"]

DEMO, VOICE = Path(__file__).resolve().parents[3] / "assets/voices/demo.flac", "unread"
PACED = ("-m", "studio.measure.server.paced_server")
N_BODIES, BODY_BYTES, UNFINISHED_BYTES = 50, 15_000_000, 14_000_000
N_IDLE, N_CROWD = 200, 1_000
UNREAD_CHARACTERS = 20_000  # more than sockets hold
N_MESSAGES, MESSAGE_BYTES, PIECE_BYTES = 60, 15 << 20, 1 << 20  # each within what one message may have
UPGRADE = (
    b"GET /v1/audio/speech/stream HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PATIENCE_SECONDS = 75.0  # more than any deadline of the studio
FILLING_SECONDS = 120.0  # until the sockets are full


def main() -> None:
    """Print a line per kind of client: how much it held, and for how long."""
    for measure in (
        _unfinished_bodies,
        _unfinished_frames,
        _unfinished_messages,
        _idle_connections,
        _trickling_heads,
        _trickling_body,
        _crowd,
        _unread_stream,
    ):
        with tempfile.TemporaryDirectory() as folder, start_server(Path(folder), program=PACED) as server:
            print(f"{measure.__name__[1:].replace('_', ' ')}: {measure(server)}", flush=True)


def _unfinished_bodies(server: ServerProcess) -> str:
    before = server.held_bytes()
    with _connected(server, N_BODIES) as clients:
        for client in clients:
            _ask(client, BODY_BYTES)
            _send(client, b'{"input": "' + b"x" * UNFINISHED_BYTES)
        grown = (server.held_bytes() - before) / 1e6
        answers = [_answer_within(client, 0.2) for client in clients]
        n_refused = answers.count("503")
        return f"{N_BODIES} of {UNFINISHED_BYTES / 1e6:.0f} MB took {grown:.0f} MB; refused with 503: {n_refused}; {_health(server)}"


def _unfinished_frames(server: ServerProcess) -> str:
    return _unfinished(server, _frame(MESSAGE_BYTES, is_last=True)[:-1])


def _unfinished_messages(server: ServerProcess) -> str:
    """In frames of a kilobyte, of which the last never comes."""
    n_frames = MESSAGE_BYTES // 1024
    return _unfinished(server, _frame(1024) + _frame(1024, code=0) * (n_frames - 1))


def _unfinished(server: ServerProcess, frames: bytes) -> str:
    before, most = server.held_bytes(), 0
    with _connected(server, N_MESSAGES) as clients:
        for client in clients:
            client.sendall(UPGRADE)
        for client in clients:
            client.recv(4096)
        for at in range(0, len(frames), PIECE_BYTES):  # side by side, within what each has for its first message
            for client in clients:
                _send(client, frames[at : at + PIECE_BYTES])
            most = max(most, server.held_bytes() - before)
        refused = [answer for answer in (_close_of(client) for client in clients) if answer]
        held = f"{N_MESSAGES} messages of {MESSAGE_BYTES / 1e6:.0f} MB took {most / 1e6:.0f} MB at most"
        return f"{held}; refused: {len(refused)}, {' '.join(sorted(set(refused)))}; {_health(server)}"


def _frame(n_bytes: int, *, code: int = 1, is_last: bool = False) -> bytes:
    """RFC 6455 section 5.2, masked with zeros. code: 1 for text, 0 for what continues it."""
    length = bytes([0x80 | n_bytes]) if n_bytes < 126 else b"\xff" + n_bytes.to_bytes(8)
    return bytes([0x80 * is_last | code]) + length + bytes(4) + b"x" * n_bytes


def _close_of(client: socket.socket) -> str:
    """Code and reason of its close frame; "" where none has come, or the connection is gone without."""
    client.settimeout(0.2)
    try:
        said = client.recv(65_536)
    except OSError:
        return ""
    at = said.find(b"\x88")
    return f"{int.from_bytes(said[at + 2 : at + 4])} {said[at + 4 :].decode(errors='replace')}" if at >= 0 else ""


def _idle_connections(server: ServerProcess) -> str:
    with _connected(server, N_IDLE):
        return f"{N_IDLE} that say nothing: {_files_until(server, N_IDLE)}"


def _trickling_heads(server: ServerProcess) -> str:
    with _connected(server, N_IDLE) as clients:
        for client in clients:
            client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        ended = _seconds_until_gone(clients, b"x")
        return f"{N_IDLE}, a byte per second: all gone {ended}"


def _trickling_body(server: ServerProcess) -> str:
    with _connected(server, 1) as clients:
        _ask(clients[0], 1_000)
        return f"a byte per second: gone {_seconds_until_gone(clients, b' ')}"


def _crowd(server: ServerProcess) -> str:
    with _connected(server, N_CROWD):
        time.sleep(0.5)
        held, started = _n_files(server), time.monotonic()
        while (said := _health(server)) != "health 200" and time.monotonic() - started < PATIENCE_SECONDS:
            time.sleep(0.1)
        return f"{N_CROWD} connections hold {held} files; {said} after {time.monotonic() - started:.1f} s"


def _unread_stream(server: ServerProcess) -> str:
    upload(HTTPConnection("127.0.0.1", server.port), VOICE, DEMO.read_bytes())
    with _connected(server, 1) as (client,):
        text = "words " * (UNREAD_CHARACTERS // 6)
        _ask(client, 0, {"input": text, "voice": VOICE, "stream": True, "response_format": "pcm", "sample_rate": 48_000})
        return f"a stream of which nothing is read: {_files_until(server, 1)}"


# --- sockets


@contextmanager
def _connected(server: ServerProcess, n: int) -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(("127.0.0.1", server.port))) for _ in range(n)]


def _ask(client: socket.socket, declared_bytes: int, body: dict | None = None) -> None:
    data = b"" if body is None else json.dumps(body).encode()
    head = "POST /v1/audio/speech HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    client.sendall(f"{head}Content-Length: {declared_bytes or len(data)}\r\n\r\n".encode() + data)


def _send(client: socket.socket, data: bytes) -> None:
    client.settimeout(2)
    with suppress(OSError):  # refused on the way
        client.sendall(data)


def _answer_within(client: socket.socket, seconds: float) -> str:
    """The status, "" while there is none."""
    client.settimeout(seconds)
    try:
        return client.recv(64).decode()[9:12]
    except OSError:
        return ""


def _seconds_until_gone(clients: list[socket.socket], byte: bytes) -> str:
    """Each sends a byte per second until the server hangs up."""
    started, left, said = time.monotonic(), list(clients), set()
    while left and time.monotonic() - started < PATIENCE_SECONDS:
        time.sleep(1)
        for client in select.select(left, [], [], 0)[0]:
            said.add(_answer_within(client, 0.1) or "nothing")
            left.remove(client)
        for client in left:
            client.send(byte)
    seconds = time.monotonic() - started
    return f"after {seconds:.0f} s, answer {' '.join(sorted(said))}" if not left else f"never, {len(left)} left after {seconds:.0f} s"


# --- the server


def _files_until(server: ServerProcess, n_fewer: int) -> str:
    """How long it takes until it has so many files fewer than it holds for its clients now."""
    started = time.monotonic()
    time.sleep(0.5)
    held = _n_files(server)
    while (seconds := time.monotonic() - started) < PATIENCE_SECONDS + FILLING_SECONDS:
        if _n_files(server) <= held - n_fewer:
            return f"held {held} files, let go after {seconds:.0f} s"
        time.sleep(0.2)
    return f"held {held} files, and {_n_files(server)} after {seconds:.0f} s"


def _n_files(server: ServerProcess) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/fd").iterdir()))


def _health(server: ServerProcess) -> str:
    try:
        with urlopen(f"{server.url}/health", timeout=5) as answer:
            return f"health {answer.status}"
    except OSError as error:
        return f"health {error}"


if __name__ == "__main__":
    main()
