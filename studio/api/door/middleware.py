"""Middleware: who may enter this door. Keys for /v1, and no foreign web page through somebody's browser."""

from collections.abc import Sequence

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.api.door.errors import ApiError
from studio.web.access import KeyCheck, WrongKeys
from studio.web.hosts import is_cross_origin
from studio.web.refuse import refuse

__all__ = ["KeyMiddleware", "OriginMiddleware"]

GUARDED = "/v1"  # /health, /metrics and the documentation stay open, as in vLLM-Omni
TELLING = (GUARDED, "/metrics")  # of a key whether it is right
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class KeyMiddleware:
    """Lets a request to /v1 pass that carries a key as Bearer token, or a signed-in page's session; OPTIONS, too, as in vLLM-Omni.

    Wrong keys count where an answer tells a right one; the health of the studio is told with any.
    """

    def __init__(self, app: ASGIApp, keys: KeyCheck):
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] in ("http", "websocket") and scope.get("method") != "OPTIONS" and not self._keys.open_to_all
        if not is_asked or not any(_is_below(prefix, scope) for prefix in TELLING):
            await self._app(scope, receive, send)
            return
        try:
            is_admitted = self._keys.admits(scope)
        except WrongKeys as error:
            await refuse(_wait(error), scope, receive, send)
            return
        if not is_admitted and _is_below(GUARDED, scope):
            refusal = JSONResponse({"error": "Unauthorized"}, status_code=401, headers={"WWW-Authenticate": "Bearer"})
            await refuse(refusal, scope, receive, send)
            return
        await self._app(scope, receive, send)


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
            await refuse(JSONResponse(error.body(), status_code=403), scope, receive, send)
            return
        await self._app(scope, receive, send)


def _is_below(prefix: str, scope: Scope) -> bool:
    return f"{get_route_path(scope)}/".startswith(f"{prefix}/")


def _wait(error: WrongKeys) -> JSONResponse:
    fact = "Too many wrong keys came from this address."
    hint = f"Try again in {error.seconds} s, with a key of this studio."
    refusal = ApiError(429, fact, reason_code="wrong_keys", hint=hint)
    refusal.values.update(seconds=error.seconds)
    return JSONResponse(refusal.body(), status_code=429, headers={"Retry-After": str(error.seconds)})
