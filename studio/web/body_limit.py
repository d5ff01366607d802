"""BodyLimit: refuses a request body that is too large, by what it declares, or else while it is being received."""

from collections.abc import Callable

from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["BodyLimit"]


class BodyLimit:
    """ASGI. limit_of(path): bytes that a body may have there, below any prefix. refusal(limit, scope): the answer to a larger one, a 413.

    Nothing that is over the limit reaches `app`, which may therefore read a body whole.
    """

    def __init__(self, app: ASGIApp, limit_of: Callable[[str], int], refusal: Callable[[int, Scope], Response]):
        self._app = app
        self._limit_of = limit_of
        self._refusal = refusal

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(get_route_path(scope))
        if _declared_bytes(scope) > limit:
            await self._refusal(limit, scope)(scope, receive, send)
            return
        body = _CountedBody(receive, send, limit)
        await self._app(scope, body.receive, body.send)
        if body.is_over and not body.is_answered:
            await self._refusal(limit, scope)(scope, receive, send)


class _CountedBody:
    """One request's channel. From the limit on the app can neither read nor, unless it had begun to, answer."""

    def __init__(self, receive: Receive, send: Send, limit: int):
        self._receive = receive
        self._send = send
        self._limit = limit
        self._n_bytes = 0
        self.is_over = False
        self.is_answered = False

    async def receive(self) -> Message:
        message = await self._receive()
        self._n_bytes += len(message.get("body", b""))
        if self._n_bytes > self._limit:
            self.is_over = True
            raise HTTPException(413)  # of this type, since frameworks turn any other error into another answer, or log it
        return message

    async def send(self, message: Message) -> None:
        if self.is_over and not self.is_answered:
            return
        self.is_answered = True
        await self._send(message)


def _declared_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
