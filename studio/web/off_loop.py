"""OffLoop: large bodies of requests are joined and parsed on a thread. Each takes milliseconds, in which the event loop would send
nothing to anybody; on a thread they hold up others for one call of C at a time."""

import json
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["OffLoopRequest", "OffLoopRoute", "TakenOffLoop", "take_off_loop"]

LARGE_BYTES = 1 << 18  # parsed in half a millisecond; a thread for less would only add its own start
_ANYTHING = TypeAdapter(Any)
Handler = Callable[[Request], Coroutine[Any, Any, Response]]


class OffLoopRequest(Request):
    """Overrides what a Request keeps of its body, as FastAPI's manual has it ("Custom Request and APIRoute class")."""

    async def body(self) -> bytes:
        if not hasattr(self, "_body"):
            chunks = [chunk async for chunk in self.stream()]
            self._body = await _called(b"".join, chunks, sum(map(len, chunks)))
        return self._body

    async def json(self) -> Any:
        """Raises ValueError, RecursionError."""
        if not hasattr(self, "_json"):
            body = await self.body()
            self._json = await _called(_parsed, body, len(body))
        return self._json


class OffLoopRoute(APIRoute):
    """A route whose bodies are read so; the `route_class` of a router."""

    def get_route_handler(self) -> Handler:
        return off_loop(super().get_route_handler())


class TakenOffLoop:
    """ASGI middleware: before its first message reaches the app around it, `take_off_loop` of that app."""

    def __init__(self, app: ASGIApp, path: str):
        self._app = app
        self._path: str | None = path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path, self._path = self._path, None
        if path is not None:
            take_off_loop(scope["app"], path)
        await self._app(scope, receive, send)


def take_off_loop(app: FastAPI, path: str) -> None:
    """Make the routes at that path OffLoopRoutes, in an app that is not ours, also within the routers that it includes.

    For an app that has not been asked for them yet: FastAPI makes a route's handler at its first request.
    """
    for included in app.routes:
        for route in getattr(included, "original_router", app).routes:
            if isinstance(route, APIRoute) and route.path.rstrip("/") == path:
                route.__class__ = OffLoopRoute


def off_loop(handle: Handler) -> Handler:
    """The same, given an OffLoopRequest."""

    async def handle_off_loop(request: Request) -> Response:
        return await handle(OffLoopRequest(request.scope, request.receive))

    return handle_off_loop


def _parsed(body: bytes) -> Any:
    """What json makes of it, with its errors; five times as fast, and so as short a hold-up of other threads, where nothing is wrong."""
    if len(body) >= LARGE_BYTES:
        with suppress(ValueError):
            return _ANYTHING.validate_json(body)
    return json.loads(body)


async def _called(function: Callable[[Any], Any], value: object, n_bytes: int) -> Any:
    return function(value) if n_bytes < LARGE_BYTES else await run_in_threadpool(function, value)
