"""The last seconds of a server: whoever asks is told to come back, and whoever listens hears the end, or is told why there is none."""

import asyncio
import logging
import time
from collections.abc import Callable

from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send
from uvicorn.config import Config
from uvicorn.server import ServerState

from studio.web.connection import CUT_OFF_SECONDS, RETRY_SECONDS, HttpConnection, WebSocketConnection
from studio.web.error_body import error_body
from studio.web.faults import FAULTS

__all__ = ["CLOSING", "end_answers", "refuse_all"]

CLOSING = "studio.closing"  # in the state of a scope, where the server has one: an asyncio.Event
TELLING_SECONDS = 0.5  # for those who are told that it is over to hear so
LOOK_SECONDS = 0.02
CLOSING_CODE = "studio_closing"
BODY = error_body(
    503,
    "The studio is closing.",
    kind="ServiceUnavailableError",
    hint="Try again when it is back.",
    reason_code=CLOSING_CODE,
)
REFUSED = FAULTS.labels("connection", CLOSING_CODE)


async def end_answers(config: Config, state: ServerState, end_speech: Callable[[], object], is_forced: Callable[[], bool]) -> None:
    """Return once all answers are over, which takes a second more than CUT_OFF_SECONDS at most, and from when it is forced. All others are
    refused.

    end_speech: has every speech end now with an error, and waits for nothing. What still goes on then is cut off.
    """
    config.loaded_app = refuse_all
    for connection in state.connections:
        connection.app = refuse_all
    if await _comes_true(lambda: is_forced() or not _answering(state), CUT_OFF_SECONDS) and not _answering(state):
        return
    # of answers that are cut off now uvicorn logs an error each, with a trace; ours are in the request log
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    end_speech()
    await _comes_true(lambda: not _answering(state), TELLING_SECONDS)
    for connection in _answering(state):
        connection.transport.abort()
    await _comes_true(lambda: not state.tasks, TELLING_SECONDS)


async def refuse_all(scope: Scope, receive: Receive, send: Send) -> None:
    """ASGI: 503 in the envelope of the API, for WebSockets too."""
    REFUSED.inc()
    headers = {"Retry-After": str(RETRY_SECONDS), "Connection": "close"}
    await JSONResponse(BODY, status_code=503, headers=headers)(scope, receive, send)


def _answering(state: ServerState) -> list[HttpConnection | WebSocketConnection]:
    return [connection for connection in state.connections if connection.is_answering]


async def _comes_true(claim: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not claim():
        if time.monotonic() >= deadline:
            return False
        await asyncio.sleep(LOOK_SECONDS)
    return True
