"""Arrival: the ASGI middleware that stamps a request before its body is read, so that TTFP counts from the very beginning.

It names the request too, puts the name on every answer, and logs the requests that the request log of speeches does not.
"""

import logging
import re
import secrets
import time

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["Arrival", "in_request_log", "received_at", "request_id", "route_of"]

SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")  # what may be echoed into a header and a log line
QUIET_PATHS = ("/health", "/metrics")  # asked every few seconds, by programs
_RECEIVED, _REQUEST_ID, _IN_REQUEST_LOG = "studio.received", "studio.request_id", "studio.in_request_log"

log = logging.getLogger("studio.request")


class Arrival:
    """Pure ASGI: a BaseHTTPMiddleware would put a task and a queue between the engine and the socket."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope[_RECEIVED] = time.perf_counter()
        scope[_REQUEST_ID] = _client_request_id(scope) or f"speech-{secrets.token_hex(8)}"
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        status = 500

        async def send_named(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message).setdefault("X-Request-Id", scope[_REQUEST_ID])
            await send(message)

        try:
            await self._app(scope, receive, send_named)
        finally:
            if not scope.get(_IN_REQUEST_LOG):
                _log(scope, status)


def received_at(scope: Scope) -> float:
    """time.perf_counter() at the request's arrival."""
    return scope[_RECEIVED]


def request_id(scope: Scope) -> str:
    """The client's X-Request-Id where it is sane, else `speech-<16 hex>`."""
    return scope.get(_REQUEST_ID, "")


def in_request_log(scope: Scope) -> None:
    """Say that this request has a line in the log already."""
    scope[_IN_REQUEST_LOG] = True


def route_of(scope: Scope) -> str:
    """The route of a request, "-" for none. Not its path, which may hold the name of a voice, and what a stranger typed."""
    return getattr(scope.get("route"), "path", "-")


def _log(scope: Scope, status: int) -> None:
    route = route_of(scope)
    total_ms = (time.perf_counter() - scope[_RECEIVED]) * 1000
    level = logging.DEBUG if route in QUIET_PATHS else logging.INFO
    log.log(level, "id=%s status=%d method=%s route=%s total_ms=%.3f", scope[_REQUEST_ID], status, scope["method"], route, total_ms)


def _client_request_id(scope: Scope) -> str | None:
    text = Headers(scope=scope).get("x-request-id")
    return text if text is not None and SANE_REQUEST_ID.fullmatch(text) else None
