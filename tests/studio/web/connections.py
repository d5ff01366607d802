"""Stand-ins for connections: a clock that a test moves, transports that keep what is sent, and a server of both kinds of protocols."""

import socket
from dataclasses import dataclass, field

import pytest
from uvicorn.config import Config
from uvicorn.server import ServerState

from studio.web.body_limit import BodyBudget
from studio.web.connection import (
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
