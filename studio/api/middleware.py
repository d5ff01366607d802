"""Middleware: who may enter this door. Keys for /v1, and no foreign web page through somebody's browser."""

from collections.abc import Sequence

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.api.errors import ApiError
from studio.web.access import Access
from studio.web.cross_origin import is_cross_origin

__all__ = ["KeyMiddleware", "OriginMiddleware"]

GUARDED = "/v1"  # /health, /metrics and the documentation stay open, as in vLLM-Omni
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class KeyMiddleware:
    """Lets a request to /v1 pass that carries a key as Bearer token, or a signed-in page's session; OPTIONS, too, as in vLLM-Omni."""

    def __init__(self, app: ASGIApp, access: Access):
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        guarded = scope["type"] in ("http", "websocket") and f"{get_route_path(scope)}/".startswith(f"{GUARDED}/")
        if guarded and scope.get("method") != "OPTIONS" and not self._admits(Headers(scope=scope)):
            refusal = JSONResponse({"error": "Unauthorized"}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
            await _refuse(refusal, scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _admits(self, headers: Headers) -> bool:
        return self._access.admits(headers.get("authorization", ""), headers.get("cookie", ""))


class OriginMiddleware:
    """Refuses what another site's page sends through a visitor's browser: uploads, deletions, speech, sockets.

    origins: whose pages may all the same; "*" for all.
    """

    def __init__(self, app: ASGIApp, origins: Sequence[str]):
        self._app = app
        self._origins = frozenset(origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        acts = scope["type"] == "websocket" or (scope["type"] == "http" and scope["method"] not in SAFE_METHODS)
        if acts and is_cross_origin(Headers(scope=scope), self._origins):
            error = ApiError(
                403,
                "Pages of other origins may not use this studio.",
                reason_code="origin_refused",
                hint="Whoever runs the studio can allow the page's origin with STUDIO_CORS_ORIGINS.",
            )
            await _refuse(JSONResponse(error.body(), status_code=403), scope, receive, send)
            return
        await self._app(scope, receive, send)


async def _refuse(answer: Response, scope: Scope, receive: Receive, send: Send) -> None:
    """A socket is refused before its upgrade: with the answer where the server can send one, else with a close, which is a 403."""
    if scope["type"] == "websocket" and "websocket.http.response" not in scope.get("extensions", {}):
        await send({"type": "websocket.close", "code": 1008})
        return
    await answer(scope, receive, send)
