"""Gets: what HTTP wants of every GET, whichever route has it: HEAD, which is answered by the same headers, and ranges of sounds.

Safari plays no <audio> whose server knows no ranges: it asks for `bytes=0-1` first. One range is given at a time; who asks for several gets
the whole, as RFC 9110 allows (section 14.2).
"""

import json
import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.web.error_body import error_body

__all__ = ["Gets"]

SOUND = "audio/"
RANGE = re.compile(r"bytes=(?:(\d{1,18})-(\d{0,18})|-(\d{1,18}))", re.IGNORECASE | re.ASCII)


class Gets:
    """ASGI. has_head: whether HEAD is answered here; where it is not, the app says what it makes of it.

    No sound has a validator, so that `If-Range` is never fulfilled and gives the whole (RFC 9110, section 13.1.5).
    """

    def __init__(self, app: ASGIApp, *, has_head: bool = True):
        self._app = app
        self._has_head = has_head

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        method = scope.get("method")
        if method == "HEAD" and self._has_head:
            asked = {**scope, "method": "GET"}
            await self._app(asked, receive, _Headers(send).send)
            scope.update(asked | {"method": method})  # what it was routed to, for the log
        elif method == "GET":
            headers = Headers(scope=scope)
            wanted = None if "if-range" in headers else headers.get("range")
            await self._app(scope, receive, _Ranged(wanted, send).send)
        else:
            await self._app(scope, receive, send)


class _Headers:
    """The answer is over with its headers: the app of a stream then hears from the server that its client has gone."""

    def __init__(self, send: Send):
        self._send = send

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            _size_if_sound(message)
            await self._send(message)
            await self._send({"type": "http.response.body", "body": b""})


class _Ranged:
    """wanted: the header, None where there is none. The body goes through block by block; nothing is kept."""

    def __init__(self, wanted: str | None, send: Send):
        self._wanted = wanted
        self._send = send
        self._cut: range | None = None  # of the bytes that are sent
        self._n_seen = 0
        self._is_refused = False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            message = await self._begun(message)
        elif self._cut is not None:
            message = {**message, "body": self._within(self._cut, message.get("body", b""))}
        if not self._is_refused:
            await self._send(message)

    async def _begun(self, message: Message) -> Message:
        n_bytes = _size_if_sound(message)
        found = RANGE.fullmatch(self._wanted.strip()) if self._wanted else None
        if found is None or n_bytes is None:
            return message
        first, last, n_last = found.groups()
        if last and int(last) < int(first):  # is no range
            return message
        cut = range(int(first), min(n_bytes, int(last or n_bytes) + 1)) if first else range(max(0, n_bytes - int(n_last)), n_bytes)
        if not cut:
            await self._refuse(n_bytes)
            return message
        self._cut = cut
        headers = MutableHeaders(raw=list(message["headers"]))
        headers["Content-Range"] = f"bytes {cut.start}-{cut.stop - 1}/{n_bytes}"
        headers["Content-Length"] = str(len(cut))
        return {**message, "status": 206, "headers": headers.raw}

    def _within(self, cut: range, block: bytes) -> bytes:
        start, stop = (min(max(0, place - self._n_seen), len(block)) for place in (cut.start, cut.stop))
        self._n_seen += len(block)
        return block[start:stop]

    async def _refuse(self, n_bytes: int) -> None:
        self._is_refused = True
        fact, hint = f"The sound has {n_bytes} bytes; the range begins behind them.", "Ask for bytes that it has, or leave out `Range`."
        values = {"bytes": n_bytes}
        body = error_body(416, fact, kind="Range Not Satisfiable", hint=hint, reason_code="range_not_satisfiable", values=values)
        answer = json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Content-Length": str(len(answer)), "Content-Range": f"bytes */{n_bytes}"}
        raw = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        await self._send({"type": "http.response.start", "status": 416, "headers": raw})
        await self._send({"type": "http.response.body", "body": answer})


def _size_if_sound(start: Message) -> int | None:
    """The bytes of a whole sound, which is then said to have ranges; None for any other answer, and for a stream."""
    start["headers"] = list(start.get("headers", ()))
    headers = MutableHeaders(raw=start["headers"])
    size = headers.get("content-length", "")
    if start["status"] != 200 or not headers.get("content-type", "").startswith(SOUND) or not size.isdecimal():
        return None
    headers["Accept-Ranges"] = "bytes"
    return int(size)
