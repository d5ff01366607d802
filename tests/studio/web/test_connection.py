"""Connections whose client does not go on: their deadlines by a clock of the test's own, and how many there may be."""

import asyncio
import json
import select
import socket
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from studio.server import behind_guards
from studio.settings import Settings
from studio.web.body_limit import SMALL_BYTES, BodyBudget
from studio.web.connection import (
    FIRST_BYTES,
    HEAD_SECONDS,
    MOST_PONGS,
    RESERVED_CONNECTIONS,
    STALL_SECONDS,
    HttpConnection,
    WebSocketConnection,
    guard_connections,
)

GET = b"GET /health HTTP/1.1\r\nHost: localhost\r\n"
MIB = 1 << 20
EOF = b"<eof>"
UPGRADE = b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"


@dataclass
class Timer:
    at: float
    call: object
    arguments: tuple
    is_cancelled: bool = False

    def cancel(self) -> None:
        self.is_cancelled = True


@dataclass(eq=False)
class Task:
    coroutine: object

    def add_done_callback(self, call) -> None: ...

    def run(self) -> None:
        with pytest.raises(StopIteration):  # it waits for nothing
            self.coroutine.send(None)


@dataclass
class Clock:
    """An event loop as far as protocols use one: timers that run as the test's time goes by, and tasks that it runs."""

    now: float = 0.0
    timers: list[Timer] = field(default_factory=list)
    tasks: list = field(default_factory=list)

    def call_later(self, seconds: float, call, *arguments) -> Timer:
        self.timers.append(Timer(self.now + seconds, call, arguments))
        return self.timers[-1]

    def time(self) -> float:
        return self.now

    def create_task(self, coroutine) -> "Task":
        self.tasks.append(Task(coroutine))
        return self.tasks[-1]

    def pass_by(self, seconds: float) -> None:
        end = self.now + seconds
        while due := [timer for timer in self.timers if timer.at <= end and not timer.is_cancelled]:
            first = min(due, key=lambda timer: timer.at)
            self.timers.remove(first)
            self.now = max(self.now, first.at)
            first.call(*first.arguments)
        self.now = end


@dataclass
class Transport:
    """n_unsent: bytes that the client has not read."""

    protocol: object = None
    sent: bytes = b""
    n_unsent: int = 0
    end: str = ""
    plug: socket.socket | None = None

    def set_write_buffer_limits(self, high: int) -> None:
        assert high == 0

    def get_write_buffer_size(self) -> int:
        return self.n_unsent

    def get_extra_info(self, name: str):
        return self.plug if name == "socket" else None

    def set_protocol(self, protocol) -> None:
        self.protocol = protocol

    def write(self, data: bytes) -> None:
        self.sent += data

    def is_closing(self) -> bool:
        return bool(self.end)

    def close(self) -> None:
        self.end = self.end or "closed"

    def abort(self) -> None:
        self.end = "aborted"

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.sent += EOF

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


async def app(scope, receive, send) -> None:
    """Answers at once, whatever of the body has come."""
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


class Server:
    """Connections to one server, by one clock."""

    def __init__(self, most_connections: int = 100):
        self.clock = Clock()
        self.bodies = BodyBudget(3 * MIB)
        self.state = ServerState()
        self.config = Config(app, log_config=None)
        guard_connections(self.config, most_connections, self.bodies)
        self.config.load()

    def connect(self) -> tuple[HttpConnection, Transport]:
        connection = self.config.http_protocol_class(config=self.config, server_state=self.state, app_state={}, _loop=self.clock)
        transport = Transport(connection)
        connection.connection_made(transport)
        return connection, transport

    def open_socket(self) -> tuple[WebSocketConnection, Transport]:
        connection, transport = self.connect()
        self.say(connection, GET + UPGRADE)
        socket = transport.protocol
        socket.conn.send_response(socket.response)
        socket.conn.data_to_send()
        assert socket.queue.get_nowait()["type"] == "websocket.connect"
        return socket, transport

    def say(self, connection: HttpConnection, data: bytes) -> None:
        connection.data_received(data)
        while self.clock.tasks:
            task = self.clock.tasks.pop(0)
            if isinstance(connection.transport.protocol, WebSocketConnection):
                task.coroutine.close()  # of a socket that is open, and says nothing
            else:
                task.run()


@pytest.fixture
def server(monkeypatch) -> Server:
    server = Server()
    monkeypatch.setattr(asyncio, "get_event_loop", lambda: server.clock)  # which uvicorn gives a WebSocket
    return server


def test_whoever_says_nothing_is_hung_up_on_and_whoever_trickles_is_told_why(server):
    _, silent = server.connect()
    slow, trickling = server.connect()
    for byte in GET[:9]:
        server.say(slow, bytes([byte]))
        server.clock.pass_by(1)
    assert (silent.end, trickling.end) == ("", "")
    server.clock.pass_by(HEAD_SECONDS - 9)
    assert (silent.end, silent.sent, trickling.end) == ("closed", b"", "closed")
    head, body = trickling.sent.split(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 ") and json.loads(body)["error"]["reason_code"] == "head_too_slow"


def test_every_request_of_a_connection_has_its_time_and_an_idle_one_is_uvicorns(server):
    connection, transport = server.connect()
    for _ in range(3):
        server.say(connection, GET)
        server.clock.pass_by(HEAD_SECONDS - 1)
        assert transport.end == ""
        server.say(connection, b"\r\n")
        assert transport.sent.endswith(b"ok")
        server.clock.pass_by(4)  # less than uvicorn keeps an idle connection
    server.say(connection, GET)
    server.clock.pass_by(HEAD_SECONDS)
    assert transport.end == "closed"


def test_an_answered_body_that_goes_on_trickling_is_cut(server):
    connection, transport = server.connect()
    server.say(connection, b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
    assert transport.sent.endswith(b"ok")
    for _ in range(9):
        server.say(connection, b"x")
        server.clock.pass_by(1)
    assert transport.end == ""
    server.clock.pass_by(HEAD_SECONDS - 9)
    assert transport.end == "closed"


@pytest.mark.parametrize("kind", [HttpConnection, WebSocketConnection])
def test_a_client_that_reads_nothing_is_aborted_even_while_its_connection_closes(server, kind):
    connection, transport = server.connect()
    if kind is WebSocketConnection:
        server.say(connection, GET + UPGRADE)
        connection = transport.protocol
    assert isinstance(connection, kind)
    transport.n_unsent = 1_000_000
    connection.pause_writing()
    transport.close()  # waits for all of it
    for _ in range(5):  # a slow reader is waited for
        transport.n_unsent -= 1
        server.clock.pass_by(STALL_SECONDS - 1)
    assert transport.end == "closed"
    server.clock.pass_by(STALL_SECONDS + 1)
    assert transport.end == "aborted"


def test_whoever_reads_at_the_pace_of_mp3_is_seen_to_read(server):
    connection = server.config.http_protocol_class(config=server.config, server_state=server.state, app_state={}, _loop=server.clock)
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        socket.create_connection(listener.getsockname(), timeout=60) as client,
        listener.accept()[0] as plug,
    ):
        connection.connection_made(Transport(plug=plug))
        plug.setblocking(False)
        fill(plug)
        n_read = 0
        while not select.select([], [plug], [], 0.001)[1]:
            n_read += len(client.recv(4_096))
    assert n_read < STALL_SECONDS * 8_000


def fill(plug: socket.socket) -> None:
    """With what the kernel takes for a client that does not read yet."""
    with suppress(BlockingIOError):
        while True:
            plug.send(b"x" * 65_536)


def test_no_socket_is_closed_for_a_pong_that_waits_behind_what_is_read_slowly(server):
    assert Config(app).ws_ping_timeout is not None and server.config.ws_ping_timeout is None
    socket, transport = server.open_socket()
    socket.start_keepalive()
    server.clock.pass_by(10 * STALL_SECONDS)
    assert transport.end == "" and transport.sent.count(b"\x89\x04") == 30  # a ping in 20 s


def test_a_socket_that_is_refused_with_an_answer_is_no_error_in_the_log(server, caplog):
    connection, transport = server.connect()
    connection.data_received(GET + UPGRADE)
    socket = transport.protocol
    socket.app = behind_guards(app, Settings())
    socket.scope["headers"] = [(b"host", b"evil.example")]
    server.clock.tasks.pop().run()
    assert transport.sent.startswith(b"HTTP/1.1 421 ") and transport.end == "closed"
    assert not [record for record in caplog.records if record.levelname == "ERROR"]


def test_a_client_that_has_read_all_is_left_in_peace(server):
    connection, transport = server.connect()
    server.say(connection, GET + UPGRADE)
    transport.protocol.pause_writing()
    transport.protocol.resume_writing()
    server.clock.pass_by(10 * STALL_SECONDS)
    assert transport.end == "" and all(timer.is_cancelled for timer in server.clock.timers)


def test_what_waited_before_an_upgrade_is_watched_after_it(server):
    connection, transport = server.connect()
    transport.n_unsent = 1_000
    connection.pause_writing()
    server.say(connection, GET + UPGRADE)
    server.clock.pass_by(STALL_SECONDS)
    assert transport.end == "aborted"


def test_beyond_the_bound_only_health_answers_and_far_beyond_nobody(server):
    server = Server(most_connections=2)
    welcome = [server.connect() for _ in range(2)]
    crowd = [server.connect() for _ in range(RESERVED_CONNECTIONS)]
    _, refused = server.connect()
    assert refused.end == "aborted" and refused.sent == b""
    (asks, answered), (socket, denied), (watches, healthy) = crowd[:3]
    server.say(asks, GET.replace(b"/health", b"/v1/models") + b"\r\n")
    server.say(socket, GET.replace(b"/health", b"/v1/audio/speech/stream") + UPGRADE)
    server.say(watches, GET + b"\r\n")
    for transport in (answered, denied):
        head, body = transport.sent.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 503 ") and b"retry-after: 5" in head.lower() and transport.end == "closed"
        assert json.loads(body)["error"]["reason_code"] == "connections_full"
    assert healthy.sent.startswith(b"HTTP/1.1 200 ") and healthy.end == "closed"
    for connection, transport in [*welcome, *crowd]:
        transport.end = transport.end or "closed"
        connection.connection_lost(None)
    again, transport = server.connect()
    server.say(again, GET + b"\r\n")
    assert transport.sent.startswith(b"HTTP/1.1 200 ") and transport.end == ""


def frame(data: bytes, code: int = 1, *, is_last: bool = False) -> bytes:
    """RFC 6455 section 5.2, masked with zeros. code: 1 for text, 0 for what continues it, 9 for a ping."""
    size = bytes([0x80 | len(data)]) if len(data) < 126 else b"\xff" + len(data).to_bytes(8)
    return bytes([0x80 * is_last | code]) + size + bytes(4) + data


def test_messages_that_are_received_share_the_room_of_bodies_however_they_are_cut(server):
    whole = frame(b"x" * MIB, is_last=True)[:-1]  # one byte never comes
    (first, _), (second, _), (third, transport) = (server.open_socket() for _ in range(3))
    first.data_received(whole)
    for piece in (frame(b"x" * (MIB // 2)), frame(b"x" * (MIB // 2), code=0), frame(b"", code=0)):
        second.data_received(piece)
    assert server.bodies.n_bytes == 2 * (MIB - FIRST_BYTES) - 1
    third.data_received(frame(b"x" * (MIB // 2)))
    n_bytes = server.bodies.n_bytes
    third.data_received(frame(b"x" * MIB, code=0)[:-1])
    code, reason = transport.sent[2:4], transport.sent[4 : -len(EOF)]
    assert transport.sent.endswith(EOF) and transport.end == "" and int.from_bytes(code) == 1013 and b"Try again" in reason
    assert server.bodies.n_bytes == n_bytes - MIB // 2 + FIRST_BYTES
    third.data_received(whole)  # it has not read it yet
    assert third.queue.get_nowait()["code"] == 1013 and third.queue.empty() and not third.conn.reader.buffer
    server.clock.pass_by(HEAD_SECONDS)
    assert transport.end == "aborted"
    for opened in (first, second, third):
        opened.connection_lost(None)
    assert server.bodies.n_bytes == 0


def test_a_message_counts_until_the_app_comes_for_the_next_and_a_small_one_never(server):
    socket, _ = server.open_socket()

    async def app_comes() -> int:
        """Characters of the message that it had; it has come for the next."""
        message = await socket.receive()
        coming = asyncio.ensure_future(socket.receive())
        await asyncio.sleep(0)
        coming.cancel()
        return len(message["text"])

    async def converse() -> None:
        server.bodies.take(3 * MIB)
        for n_bytes in (FIRST_BYTES, SMALL_BYTES):  # beside recordings of others
            for is_last in (False, True):
                socket.data_received(frame(b"x" * (n_bytes // 2), code=not is_last, is_last=is_last))
            assert await app_comes() == n_bytes
        server.bodies.give_back(3 * MIB)
        for _ in range(2):
            socket.data_received(frame(b"x" * MIB, is_last=True))
            assert server.bodies.n_bytes == MIB - SMALL_BYTES
            assert await app_comes() == MIB and server.bodies.n_bytes == 0

    asyncio.run(converse())
    socket.close_sent = True  # by the app, which comes for none
    socket.data_received(frame(b"x" * MIB, is_last=True))
    assert server.bodies.n_bytes == 0


def test_a_message_in_crumbs_takes_what_it_has_bytes(server):
    socket, _ = server.open_socket()
    socket.data_received(frame(b"x"))
    socket.data_received((frame(b"x", code=0) + frame(b"", code=0)) * 1_000)
    assert [bytes(piece) for piece in socket.frames] == [b"x" * 1_001]
    socket.data_received(frame(b"", code=0, is_last=True))
    assert socket.queue.get_nowait()["text"] == "x" * 1_001


def test_pongs_do_not_pile_up_for_whoever_reads_none(server):
    socket, transport = server.open_socket()
    socket.pause_writing()
    for _ in range(2):
        transport.sent = b""
        socket.data_received(frame(b"", code=9, is_last=True) * MOST_PONGS)
        socket.data_received(frame(b"", code=9, is_last=True))
    assert transport.sent == b""
    socket.resume_writing()
    socket.data_received(frame(b"", code=9, is_last=True))
    assert transport.sent == b"\x8a\x00"
