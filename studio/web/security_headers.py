"""SecurityHeaders: what browsers are told of every answer. Which scripts a document may run, it says itself."""

import base64
import hashlib
import re
from collections.abc import Sequence

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["CONTENT_POLICY", "SecurityHeaders", "content_policy", "script_hashes"]

CONTENT_POLICY = "Content-Security-Policy"
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)
NOT_MODIFIED = 304  # its headers would take the place of those that came with the document


class SecurityHeaders:
    """ASGI, outermost. frame_origins: whose pages may show ours in a frame, beside our own; `*` for any.

    Two policies on one answer hold together, so that the documents' own stand beside this one (CSP 3, section 8.1).
    """

    def __init__(self, app: ASGIApp, frame_origins: Sequence[str]):
        self._app = app
        self._policy = content_policy({"frame-ancestors": " ".join(("'self'", *frame_origins))})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] != NOT_MODIFIED:
                message["headers"] = list(message.get("headers", ()))
                headers = MutableHeaders(raw=message["headers"])
                headers["X-Content-Type-Options"] = "nosniff"
                headers.append(CONTENT_POLICY, self._policy)
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def content_policy(directives: dict[str, str]) -> str:
    """The header of a policy."""
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def script_hashes(document: str) -> str:
    """Sources that allow the scripts which stand in a constant document, and no others."""
    digests = (hashlib.sha256(script.encode()).digest() for script in INLINE_SCRIPT.findall(document))
    return " ".join(f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests)
