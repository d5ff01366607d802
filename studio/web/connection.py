"""Connection: gives up a client that does not go on, and bounds the number of connections. It extends uvicorn's protocols.

uvicorn waits for ever for a head, for the rest of a body that has had its answer, and for a client that reads nothing: closing a transport
waits until everything has been read. Its `limit_concurrency` counts no WebSockets, and leaves connections that ask nothing in peace.
"""

import asyncio
import functools
import json
import logging
import socket
import struct
import sys
from typing import Any, NotRequired, TypedDict, Unpack, cast

import h11
from starlette._utils import get_route_path
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from uvicorn.server import ServerState
from websockets.frames import Close, CloseCode, Frame

from studio.web.body_limit import SMALL_BYTES, BodiesTooMany, BodyBudget
from studio.web.error_body import error_body
from studio.web.faults import FAULTS, report_fault

__all__ = [
    "FULL_CODE",
    "FULL_MESSAGE",
    "REFUSED",
    "RESERVED_CONNECTIONS",
    "STALL_SECONDS",
    "HttpConnection",
    "WebSocketConnection",
    "bound_unsent",
    "guard_connections",
]

RESET_AT_ONCE = struct.pack("ii", 1, 0)  # struct linger: on, for 0 s (socket(7))
STALL_SECONDS = 60.0  # without reading a byte of what waits for it
# That the kernel takes beyond what is on its way to the client. It would take megabytes, and more only once a third of them is read, which
# at the pace of MP3 (8 kB/s) lasts longer than the deadline.
MOST_UNSENT_BYTES = 128 << 10
HEAD_SECONDS = 10.0  # for the head of a request, from the connection or its first byte on; and for the rest of a body that is answered
RESERVED_CONNECTIONS = 64  # beyond the bound: they are told why they are refused, and hear of the health
CROWDED_SECONDS = 1.0  # for a head there, so that those who say nothing make room for those who ask
FIRST_BYTES = 4 << 10  # of a WebSocket's first message that count for nothing, as SMALL_BYTES of each later one: its session.config
KEPT_BYTES = 256 << 10  # of a first message that count for nothing while its session goes on; a longer one has a recording, which is kept
MOST_PONGS = 256  # that wait for one client
CUT_OFF_SECONDS = 2.5  # for answers under way when the server ends
ALWAYS_ANSWERED = "/health"  # or whoever watches the studio would restart it for having many visitors
RETRY_SECONDS = 5
FULL_CODE = "connections_full"
FULL_MESSAGE = "The studio has as many connections as it takes."
FULL = error_body(
    503,
    FULL_MESSAGE,
    kind="ServiceUnavailableError",
    hint="Try again in a moment. Whoever runs the studio can raise STUDIO_MAX_CONNECTIONS.",
    reason_code=FULL_CODE,
)
REFUSED = FAULTS.labels("connection", FULL_CODE)  # logged once, when the server gets full
HEAD_TOO_SLOW = json.dumps(
    error_body(
        408,
        "The head of the request did not arrive in time.",
        kind="Request Timeout",
        hint="Send it at once.",
        reason_code="head_too_slow",
    )
).encode()
TWO_LENGTHS = error_body(
    400,
    "The request has both Content-Length and Transfer-Encoding, so that where it ends is in doubt.",
    kind="Bad Request",
    hint="Send one of them.",
    reason_code="two_lengths",
)
HEAD_REFUSAL = b"HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s" % (
    len(HEAD_TOO_SLOW),
    HEAD_TOO_SLOW,
)

log = logging.getLogger("studio.connections")


class _OfServer(TypedDict):
    """What uvicorn makes a protocol with."""

    config: Config
    server_state: ServerState
    app_state: dict[str, Any]
    _loop: NotRequired[asyncio.AbstractEventLoop | None]


class _Reader(asyncio.Protocol):
    """Of a protocol: aborts the connection of a client that reads nothing for `stall_seconds`, whatever waits for it.

    With limits of 0, asyncio calls `pause_writing` as soon as bytes wait here, and `resume_writing` once none do; nothing is written in
    between but a few bytes of framing, so that fewer bytes than before mean that the client reads. A slow one is waited for: the kernel
    takes the next bytes soon after some are read.
    """

    stall_seconds = STALL_SECONDS
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stall: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).set_write_buffer_limits(high=0)  # a stream's, whatever the signature of asyncio says
        bound_unsent(transport)
        super().connection_made(transport)
        if self.transport.get_write_buffer_size():  # of an answer that came before an upgrade
            self._await_reading()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_reading()

    def resume_writing(self) -> None:
        self._forget_reading()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_reading()
        super().connection_lost(exc)

    def _await_reading(self) -> None:
        self._forget_reading()
        self._stall = self.loop.call_later(self.stall_seconds, self._give_up_unless_read, self.transport.get_write_buffer_size())

    def _forget_reading(self) -> None:
        if self._stall is not None:
            self._stall.cancel()
            self._stall = None

    def _give_up_unless_read(self, n_bytes_before: int) -> None:
        if self.transport.get_write_buffer_size() < n_bytes_before:
            self._await_reading()
        else:
            log.info("gave up a client that read nothing for %.0f s", self.stall_seconds)
            plug = self.transport.get_extra_info("socket")
            if plug is not None:  # with a reset, or the kernel keeps what is unread for a client that may never read it
                plug.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET_AT_ONCE)
            self.transport.abort()


class WebSocketConnection(_Reader, WebSocketsSansIOProtocol):
    """One WebSocket. What it has received counts among the bodies of its process until the app comes for the next message; its first one,
    which the session keeps, until it ends.

    budget: what all of them may have together. Whoever finds no room is told to try again, and loses the connection.
    """

    refused_seconds = HEAD_SECONDS
    is_answering = True  # while it is open

    def __init__(self, *, budget: BodyBudget, **of_server: Unpack[_OfServer]):
        super().__init__(**of_server)
        self._budget = budget
        self._rest = bytearray()  # pieces behind the first one of a message
        self._free_bytes = FIRST_BYTES
        self._n_taken = self._n_delivered = self._n_first = self._n_kept = self._n_pongs = 0

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True  # or uvicorn logs an error for each that was refused with an answer

    async def receive(self) -> ASGIReceiveEvent:
        if self.queue.empty() and not self.disconnected:  # the app is done with what it has had
            self._n_delivered, self._n_kept = 0, max(0, self._n_first - KEPT_BYTES)
            self._count()
        return await super().receive()

    def data_received(self, data: bytes) -> None:
        if self.disconnected:  # refused
            return
        super().data_received(data)
        if not (self.disconnected or self._count()):
            report_fault("connection", BodiesTooMany.code)
            error = BodiesTooMany(self._budget.most_bytes)
            self.conn.fail(CloseCode.TRY_AGAIN_LATER, f"{error.fact} {error.hint}")
            self.handle_parser_exception()

    def connection_lost(self, exc: Exception | None) -> None:
        self._let_go()
        super().connection_lost(exc)

    def handle_cont(self, event: Frame) -> None:
        """uvicorn keeps the pieces apart: of pieces of one byte, sixty times as much as was sent."""
        self._rest += event.data
        if event.fin:
            self.frames, self._rest = [b"".join((self.frames[0], self._rest))], bytearray()
            self.send_receive_event_to_app()

    def handle_ping(self) -> None:
        """uvicorn's own, unless pongs wait already for a client that reads none of them."""
        self._n_pongs = 1 if self.writable.is_set() else self._n_pongs + 1
        if self._n_pongs <= MOST_PONGS:
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def send_receive_event_to_app(self) -> None:
        if not self.close_sent:  # else nobody comes for it
            self._n_delivered += len(self.frames[0])
            self._n_first = self._n_first or len(self.frames[0])
        self._free_bytes = SMALL_BYTES
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """The connection has failed. uvicorn closes it at once, which resets a client that is still sending, and so never reads why."""
        close = self.conn.close_sent or Close(CloseCode.ABNORMAL_CLOSURE, "")
        self._let_go()
        self.queue.put_nowait({"type": "websocket.disconnect", "code": close.code, "reason": close.reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = self.disconnected = True
        if self.transport.can_write_eof():
            self.transport.write_eof()
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(self.refused_seconds, self.transport.abort)

    def _count(self) -> bool:
        """Whether there is room for what is held now, which is then taken, or given back."""
        n_bytes = len(self.conn.reader.buffer) + sum(map(len, self.frames)) + len(self._rest) + self._n_delivered
        wanted = max(0, n_bytes - self._free_bytes) + self._n_kept - self._n_taken
        if not self._budget.take(wanted):
            return False
        self._n_taken += wanted
        return True

    def _let_go(self) -> None:
        self.frames, self._rest = [], bytearray()
        self._budget.give_back(self._n_taken)
        self._n_taken = 0


class HttpConnection(_Reader, H11Protocol):
    """One connection that speaks HTTP/1.1. most_connections: of the server, WebSockets included."""

    head_seconds = HEAD_SECONDS
    cut_off_seconds = CUT_OFF_SECONDS

    def __init__(self, *, most_connections: int, **of_server: Unpack[_OfServer]):
        super().__init__(**of_server)
        self.app = _of_one_length(self.app)
        self._most_connections = most_connections
        self._is_crowded = False
        self._is_upgraded = False
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_answering(self) -> bool:
        """Whether a request has not had all of its answer."""
        return self.cycle is not None and not self.cycle.response_complete

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        n_beyond = len(self.connections) - self._most_connections
        if n_beyond == 1:
            log.warning("reason=%s most=%d", FULL_CODE, self._most_connections)
        if n_beyond > RESERVED_CONNECTIONS:
            REFUSED.inc()
            self.transport.abort()
            return
        if n_beyond > 0:
            self._is_crowded = True
            self.head_seconds = CROWDED_SECONDS
            self.app = _health_alone(self.app)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def shutdown(self) -> None:
        """uvicorn's own, when the server ends. An answer that takes longer is cut off, and its app hears of a client that hung up."""
        super().shutdown()
        if self.is_answering:
            self.loop.call_later(self.cut_off_seconds, self.transport.abort)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_watching()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._is_upgraded = True  # the client's turns are those of the other protocol from here on
        self._stop_watching()
        self._forget_reading()
        super().handle_websocket_upgrade(event)

    def _should_upgrade(self) -> bool:
        """uvicorn's own question; a crowded server answers the request itself, with its refusal."""
        return not self._is_crowded and super()._should_upgrade()

    def _watch(self) -> None:
        """Have a deadline while it is the client's turn: with a head, or with the rest of a body that is answered. The body of a request
        under way is awaited by the app (studio/web/body_limit.py), the next request of an idle connection by uvicorn."""
        owes_head = self.conn.their_state is h11.IDLE and self.timeout_keep_alive_task is None
        owes_rest = self.conn.their_state is h11.SEND_BODY and self.cycle is not None and self.cycle.response_complete
        if not (owes_head or owes_rest) or self._is_upgraded or self.transport.is_closing():
            self._stop_watching()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(self.head_seconds, self._give_up)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _give_up(self) -> None:
        self._deadline = None
        has_begun, _ = self.conn.trailing_data
        if self.conn.their_state is h11.IDLE and has_begun:
            self.transport.write(HEAD_REFUSAL)
        self.transport.close()


def bound_unsent(transport: asyncio.BaseTransport) -> None:
    """Have the kernel take no more than MOST_UNSENT_BYTES of what is not on its way yet."""
    plug = transport.get_extra_info("socket")
    if plug is not None and plug.family != getattr(socket, "AF_UNIX", None) and sys.platform != "win32":  # which have no such bound
        plug.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_UNSENT_BYTES)


def guard_connections(config: Config, most_connections: int, bodies: BodyBudget) -> None:
    """Have a server make these connections from now on. config: of uvicorn, loaded or not. bodies: what they may have together.

    Pings keep a WebSocket open on its way, and nobody is given up for a late pong, which waits behind all that is read slowly.
    """
    config.ws_ping_timeout = None
    http = functools.partial(HttpConnection, most_connections=most_connections)
    web_socket = functools.partial(WebSocketConnection, budget=bodies)
    config.http = config.http_protocol_class = cast("type[asyncio.Protocol]", http)  # uvicorn does no more with its classes than call them
    config.ws = config.ws_protocol_class = cast("type[asyncio.Protocol]", web_socket)


def _of_one_length(app: ASGIApp) -> ASGIApp:
    """Refuses a request that states its length in two ways, and has its connection closed (RFC 9112, section 6.3).

    A proxy that believed the other way would take the rest of the body for somebody's next request. h11 believes Transfer-Encoding.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if {b"content-length", b"transfer-encoding"} <= {name for name, _ in scope["headers"]}:
            app_or_refusal: ASGIApp = JSONResponse(TWO_LENGTHS, status_code=400, headers={"Connection": "close"})
        else:
            app_or_refusal = app
        await app_or_refusal(scope, receive, send)

    return answer


def _health_alone(app: ASGIApp) -> ASGIApp:
    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if get_route_path(scope) == ALWAYS_ANSWERED:
            await app(scope, receive, _closing(send))
            return
        REFUSED.inc()
        headers = {"Retry-After": str(RETRY_SECONDS), "Connection": "close"}
        await JSONResponse(FULL, status_code=503, headers=headers)(scope, receive, send)

    return answer


def _closing(send: Send) -> Send:
    async def send_and_close(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", ()), (b"connection", b"close")]}
        await send(message)

    return send_and_close
