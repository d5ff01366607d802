"""Arrival: the ASGI middleware that stamps a request before its body is read, so that TTFP counts from the very beginning."""

import re
import secrets
import time

from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["Arrival", "received_at", "request_id"]

SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")  # what may be echoed into a header and a log line
_RECEIVED, _REQUEST_ID = "studio.received", "studio.request_id"


class Arrival:
    """Pure ASGI: a BaseHTTPMiddleware would put a task and a queue between the engine and the socket."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope[_RECEIVED] = time.perf_counter()
            scope[_REQUEST_ID] = _client_request_id(scope) or f"speech-{secrets.token_hex(8)}"
        await self._app(scope, receive, send)


def received_at(scope: Scope) -> float:
    """time.perf_counter() at the request's arrival."""
    return scope[_RECEIVED]


def request_id(scope: Scope) -> str:
    """The client's X-Request-Id where it is sane, else `speech-<16 hex>`."""
    return scope.get(_REQUEST_ID, "")


def _client_request_id(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            text = value.decode("latin-1")
            return text if SANE_REQUEST_ID.fullmatch(text) else None
    return None
