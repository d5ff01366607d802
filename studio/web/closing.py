"""The last seconds of a server: whoever asks is told to come back, and whoever listens hears the end, or is told why there is none."""

import asyncio
import logging
import re
import socket
import time
from collections.abc import Callable
from typing import Any, Protocol, cast

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from uvicorn.server import Server, ServerState

from studio.web.connection import CUT_OFF_SECONDS, RETRY_SECONDS, HttpConnection
from studio.web.error_body import error_body
from studio.web.faults import FAULTS

__all__ = ["CLOSING", "Connection", "can_close", "close_in_order", "connections_of", "end_answers"]

CLOSING = "studio.closing"  # in the state of a scope, where the server has one: an asyncio.Event
TELLING_SECONDS = 0.5  # for those who are told that it is over to hear so
LOOK_SECONDS = 0.02
CLOSING_CODE = "studio_closing"
# Answers without an end and without a listener: by them Gradio knows that a page is open, and a client of MCP hears of its calls.
ENDLESS = re.compile(r"/gradio_api/heartbeat/|/mcp/sse\Z")
BODY = error_body(
    503,
    "The studio is closing.",
    kind="ServiceUnavailableError",
    hint="Try again when it is back.",
    reason_code=CLOSING_CODE,
)
REFUSED = FAULTS.labels("connection", CLOSING_CODE)


class Connection(Protocol):
    """What is asked of each connection of a server when it ends. app: which answers what comes next."""

    app: Any
    transport: asyncio.WriteTransport

    @property
    def is_answering(self) -> bool:
        """Whether somebody waits for its end."""
        ...


def connections_of(state: ServerState) -> set[Connection]:
    """Those of a server; uvicorn's type knows its own alone."""
    return cast("set[Connection]", state.connections)


def can_close(server: Server) -> None:
    """From now on its requests can hear that it closes. server: one that has started."""
    server.lifespan.state[CLOSING] = asyncio.Event()


async def end_answers(server: Server, end_speech: Callable[[], object]) -> None:
    """Return once all answers are over, which takes a second more than CUT_OFF_SECONDS at most, or than until its end is forced. All others
    are refused.

    end_speech: has every speech end now with an error, and waits for nothing. What still goes on then is cut off.
    """
    state = server.server_state
    server.lifespan.state[CLOSING].set()
    server.config.loaded_app = _refuse_all
    for connection in connections_of(state):
        connection.app = _refuse_all
        if _is_endless(connection):
            connection.transport.close()
    await _comes_true(lambda: server.force_exit or not _answering(state), CUT_OFF_SECONDS)
    if not _answering(state):
        return
    # of answers that are cut off now uvicorn logs an error each, with a trace; ours are in the request log
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    end_speech()
    await _comes_true(lambda: not _answering(state), TELLING_SECONDS)
    for connection in _answering(state):
        connection.transport.abort()
    await _comes_true(lambda: not state.tasks, TELLING_SECONDS)


def close_in_order(server: Server, end_speech: Callable[[], object]) -> None:
    """Have a server of others, which has started, end its answers before it shuts down. end_speech: see `end_answers`."""
    can_close(server)
    shutdown = server.shutdown

    async def shutdown_in_order(sockets: list[socket.socket] | None = None) -> None:
        await end_answers(server, end_speech)
        await shutdown(sockets)

    server.shutdown = shutdown_in_order


async def _refuse_all(scope: Scope, receive: Receive, send: Send) -> None:
    """ASGI: 503 in the envelope of the API, for WebSockets too."""
    REFUSED.inc()
    headers = {"Retry-After": str(RETRY_SECONDS), "Connection": "close"}
    await JSONResponse(BODY, status_code=503, headers=headers)(scope, receive, send)


def _is_endless(connection: Connection) -> bool:
    return isinstance(connection, HttpConnection) and connection.is_answering and bool(ENDLESS.search(connection.cycle.scope["path"]))


def _answering(state: ServerState) -> list[Connection]:
    return [connection for connection in connections_of(state) if connection.is_answering]


async def _comes_true(claim: Callable[[], bool], seconds: float) -> None:
    """Return when it does, or when so many seconds are over."""
    deadline = time.monotonic() + seconds
    while not claim() and time.monotonic() < deadline:
        await asyncio.sleep(LOOK_SECONDS)
