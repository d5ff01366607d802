"""BodyLimit: refuses some request bodies: too large, too slow, or without room beside the others.

Large bodies are joined and parsed on a thread (OffLoopRequest). Each takes milliseconds, in which the event loop would send nothing to
anybody; on a thread they hold up others for one call of C at a time.
"""

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from fastapi import FastAPI
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette._utils import get_route_path
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engines.plain_json import check_depth, read_json

__all__ = [
    "BodiesTooMany",
    "BodyBudget",
    "BodyLimit",
    "BodyRefused",
    "BodyTooLarge",
    "BodyTooSlow",
    "Handler",
    "OffLoopRequest",
    "OffLoopRoute",
    "TakenOffLoop",
    "take_off_loop",
]

MEBIBYTE = 1 << 20
BODY_SECONDS = 60.0  # for a body to arrive, and longer only while it comes at least as fast as this:
LEAST_BYTES_PER_SECOND = 64 << 10  # half a megabit, as slow as uplinks are that people record over
MOST_SPOOLED_BYTES = 4096 * MEBIBYTE  # of those together that are written to disk as they come: two of the largest videos
MOST_RECEIVED_BYTES = 128 * MEBIBYTE  # of all bodies together: eight of the API's largest, or some 50 recordings of 20 s as WAV
SMALL_BYTES = 64 << 10  # of each body that count for nothing, so that a text is never refused for others' recordings
RETRY_SECONDS = 5


class BodyRefused(HTTPException):
    """Of this type, since frameworks turn any other error into another answer, or log it."""

    status = 400
    code = ""

    def __init__(self, fact: str, hint: str, headers: dict[str, str] | None = None, **values: object):
        super().__init__(self.status, fact, {"Connection": "close"} | (headers or {}))  # since the rest of the body is not read
        self.fact = fact
        self.hint = hint
        self.values = values


class BodyTooLarge(BodyRefused):
    """By what it declares, or by what has come of it."""

    status, code = 413, "body_too_large"

    def __init__(self, limit_bytes: int):
        super().__init__(f"The request is larger than {limit_bytes / 1e6:.1f} MB, the limit.", "Send less.", limit=limit_bytes)
        self.limit_bytes = limit_bytes


class BodyTooSlow(BodyRefused):
    """seconds: that it had, at least."""

    status, code = 408, "body_too_slow"

    def __init__(self, seconds: float):
        fact = f"The request did not arrive within {seconds:.0f} s, or came slower than {LEAST_BYTES_PER_SECOND >> 10} KiB per second."
        super().__init__(fact, "Send less, or send it over a faster connection.", seconds=round(seconds))


class BodiesTooMany(BodyRefused):
    """limit_bytes: of all of them together."""

    status, code = 503, "bodies_too_many"

    def __init__(self, limit_bytes: int):
        fact = f"The studio is receiving {limit_bytes / 1e6:.0f} MB of other requests, as many as it takes at a time."
        super().__init__(fact, "Try again in a moment.", {"Retry-After": str(RETRY_SECONDS)}, limit=limit_bytes)


class BodyBudget:
    """Bytes that all bodies may have together from their arrival until their answer begins. One object per process, used by one thread."""

    def __init__(self, most_bytes: int = MOST_RECEIVED_BYTES):
        self.most_bytes = most_bytes
        self.n_bytes = 0

    def take(self, n_bytes: int) -> bool:
        """Whether there is room for so many more, which are then taken."""
        if self.n_bytes + n_bytes > self.most_bytes:
            return False
        self.n_bytes += n_bytes
        return True

    def give_back(self, n_bytes: int) -> None:
        self.n_bytes -= n_bytes


class BodyLimit:
    """ASGI. limit_of(path): bytes that a body may have there, below any prefix. refusal(error, scope): the answer to one that is refused.

    budget: which it shares with the others of its process. seconds: that a body has, beside what it has at LEAST_BYTES_PER_SECOND.
    Nothing that is over the limit reaches `app`, which may therefore read a body whole. is_spooled(path): whether `app` writes a body
    there to disk as it comes; such have a budget of their own.
    """

    def __init__(
        self,
        app: ASGIApp,
        limit_of: Callable[[str], int],
        refusal: Callable[[BodyRefused, Scope], Response],
        budget: BodyBudget,
        *,
        seconds: float = BODY_SECONDS,
        is_spooled: Callable[[str], bool] = lambda path: False,
    ):
        self._app = app
        self._limit_of = limit_of
        self._refusal = refusal
        self._budget = budget
        self._seconds = seconds
        self._is_spooled = is_spooled
        self._spool = BodyBudget(MOST_SPOOLED_BYTES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        path = get_route_path(scope)
        limit = self._limit_of(path)
        if _declared_bytes(scope) > limit:
            await self._refusal(BodyTooLarge(limit), scope)(scope, receive, send)
            return
        body = _CountedBody(receive, send, limit, self._spool if self._is_spooled(path) else self._budget, self._seconds)
        try:
            await self._app(scope, body.receive, body.send)
        finally:
            body.give_back()
        if body.refused is not None and not body.is_answered:
            await self._refusal(body.refused, scope)(scope, receive, send)


class _CountedBody:
    """One request's channel. From a refusal on the app can neither read nor, unless it had begun to, answer."""

    def __init__(self, receive: Receive, send: Send, limit: int, budget: BodyBudget, seconds: float):
        self._receive = receive
        self._send = send
        self._limit = limit
        self._budget = budget
        self._seconds = seconds
        self._since = asyncio.get_running_loop().time()
        self._n_bytes = self._n_taken = 0
        self._has_more = True
        self.refused: BodyRefused | None = None
        self.is_answered = False

    async def receive(self) -> Message:
        ends = self._since + self._seconds + self._n_bytes / LEAST_BYTES_PER_SECOND
        try:
            async with asyncio.timeout_at(ends if self._has_more else None):
                message = await self._receive()
        except TimeoutError:
            raise self._refuse(BodyTooSlow(self._seconds)) from None
        self._n_bytes += len(message.get("body", b""))
        self._has_more = message.get("more_body", False)
        if self._n_bytes > self._limit:
            raise self._refuse(BodyTooLarge(self._limit))
        wanted = max(0, self._n_bytes - SMALL_BYTES) - self._n_taken
        if not self.is_answered and wanted > 0:
            if not self._budget.take(wanted):
                raise self._refuse(BodiesTooMany(self._budget.most_bytes))
            self._n_taken += wanted
        return message

    async def send(self, message: Message) -> None:
        if self.refused is not None and not self.is_answered:
            return
        self.is_answered = True
        self.give_back()
        await self._send(message)

    def give_back(self) -> None:
        self._budget.give_back(self._n_taken)
        self._n_taken = 0

    def _refuse(self, error: BodyRefused) -> BodyRefused:
        self.refused = error
        self.give_back()
        return error


def _declared_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0


# --- off the loop


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
        """Raises ValueError."""
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
        check_depth(body)
        with suppress(ValueError):
            return _ANYTHING.validate_json(body)
    return read_json(body)


async def _called(function: Callable[[Any], Any], value: object, n_bytes: int) -> Any:
    return function(value) if n_bytes < LARGE_BYTES else await run_in_threadpool(function, value)
