"""FaultWatch: gives every answer of 500 or more a reason code in log and metrics. A defect costs an answer, not the connection.

Starlette's own middleware answers a defect and raises it again, upon which uvicorn closes a connection whose answer was whole.
"""

import json
from collections.abc import Callable
from http import HTTPStatus

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault

__all__ = ["REASON_HEADER", "FaultWatch"]

STARTS = ("http.response.start", "websocket.http.response.start")
BODIES = ("http.response.body", "websocket.http.response.body")
REASON_HEADER = "X-Reason-Code"  # of an answer whose body is not an error's
LONGEST_REFUSAL_BYTES = 64 << 10


class FaultWatch:
    """ASGI. door: as the metrics call it. refusal(scope): the answer to a defect. name(scope): (id, route) of a request, for the log."""

    def __init__(self, app: ASGIApp, door: str, refusal: Callable[[Scope], Response], name: Callable[[Scope], tuple[str, str]]):
        self._app = app
        self._door = door
        self._refusal = refusal
        self._name = name

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        answer = _Answer(send)
        try:
            await self._app(scope, receive, answer.send)
        except ClientDisconnect:  # in the middle of a body: nobody's fault here, and nobody is left to be answered
            return
        except Exception as error:
            self._report(scope, INTERNAL_ERROR, error)
            if answer.is_whole:
                return
            if answer.status or scope["type"] == "websocket":
                raise  # what is missing of it cannot be told any more: the server cuts the connection
            await self._refusal(scope)(scope, receive, send)
            return
        if answer.status >= LEAST_FAULT:
            self._report(scope, answer.reason_code)

    def _report(self, scope: Scope, code: str, error: Exception | None = None) -> None:
        request_id, route = self._name(scope)
        report_fault(self._door, code, request_id=request_id, about=route, error=error)


class _Answer:
    """What is sent. status: 0 until it begins."""

    def __init__(self, send: Send):
        self.status = 0
        self.is_whole = False
        self._send = send
        self._named: str | None = None
        self._refusal = b""

    async def send(self, message: Message) -> None:
        if message["type"] in STARTS:
            self.status = message["status"]
            self._named = Headers(raw=list(message.get("headers", ()))).get(REASON_HEADER)
        elif message["type"] in BODIES:
            self.is_whole = not message.get("more_body")
            if self.status >= LEAST_FAULT and len(self._refusal) < LONGEST_REFUSAL_BYTES:
                self._refusal += message.get("body", b"")
        await self._send(message)

    @property
    def reason_code(self) -> str:
        """As the client was told it, in a header or in the error's members; the phrase of the status where an answer has none."""
        try:
            error = json.loads(self._refusal)["error"]
            code = self._named or error.get("reason_code") or error.get("code")
        except (ValueError, LookupError, TypeError, AttributeError):
            code = self._named
        return code if isinstance(code, str) else HTTPStatus(self.status).phrase.lower().replace(" ", "_")
