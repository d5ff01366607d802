"""BodyLimit: refuses a request body that is too large while it is being received, before anything is buffered whole.

Starlette's own limit answers in plain text; ours answers with the error envelope.
"""

from collections.abc import Mapping

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.api.errors import ApiError

__all__ = ["MOST_BODY_BYTES", "MOST_UPLOAD_BODY_BYTES", "BodyLimit", "BodyTooLarge"]

MEBIBYTE = 1024 * 1024
MOST_UPLOAD_BODY_BYTES = 12 * MEBIBYTE  # a file of 10 MiB with its form around it
MOST_BODY_BYTES = 16 * MEBIBYTE  # the same file as base64 inside JSON


class BodyTooLarge(HTTPException):
    """An HTTPException, since FastAPI turns any other error that comes while it reads a body into "There was an error parsing the body"."""

    def __init__(self, limit_bytes: int):
        self.answer = ApiError(
            413,
            f"Request body exceeds maximum limit of {limit_bytes // MEBIBYTE}MB.",
            kind="Content Too Large",
            reason_code="body_too_large",
            hint="A 20-second WAV is about 2 MB; send less, or compress it.",
        ).adding(headers={"Connection": "close"})
        super().__init__(413, self.answer.message)


class BodyLimit:
    """most_bytes: limit per path; other paths have MOST_BODY_BYTES."""

    def __init__(self, app: ASGIApp, most_bytes: Mapping[str, int]):
        self._app = app
        self._most_bytes = dict(most_bytes)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._most_bytes.get(scope["path"], MOST_BODY_BYTES)
        if _declared_bytes(scope) > limit:
            answer = BodyTooLarge(limit).answer
            await JSONResponse(answer.body(), status_code=answer.status, headers=answer.headers)(scope, receive, send)
            return
        n_received = 0

        async def receive_counted() -> Message:
            nonlocal n_received
            message = await receive()
            n_received += len(message.get("body", b""))
            if n_received > limit:
                raise BodyTooLarge(limit)
            return message

        await self._app(scope, receive_counted, send)


def _declared_bytes(scope: Scope) -> int:
    for name, value in scope["headers"]:
        if name == b"content-length" and value.isdigit():
            return int(value)
    return 0
