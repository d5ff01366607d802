"""Middleware: decides who may enter this door. It asks for keys at /v1 and at MCP, and stops foreign pages that act through a browser.

Arrival stamps a request before its body is read, so that TTFP counts from the very beginning. It names the request too, puts the name on
every answer, and logs the requests that the request log of speeches does not.
Bodies have limits: what a request may weigh, and the refusal in the shape of the API's errors, since Starlette's own limit answers in
plain text.
"""

import logging
import re
import secrets
import time
from collections.abc import Sequence

from starlette._utils import get_route_path
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.api.door.errors import ApiError, answer_for, phrase
from studio.speech.schema_errors import compressed_body_error
from studio.web.access import KeyCheck, WrongKeys
from studio.web.body_limit import BodyRefused, BodyTooLarge
from studio.web.gets import Gets
from studio.web.hosts import is_cross_origin
from studio.web.refuse import refuse

__all__ = [
    "GRADIO_MCP",
    "MCP_PATHS",
    "MCP_SOUNDS",
    "MOST_BODY_BYTES",
    "MOST_UPLOAD_BODY_BYTES",
    "Arrival",
    "KeyMiddleware",
    "OriginMiddleware",
    "PlainBodies",
    "body_limit_of",
    "body_refusal",
    "in_request_log",
    "is_spooled",
    "received_at",
    "request_id",
    "route_of",
]

# --- arrival


SANE_REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,128}")  # what may be echoed into a header and a log line
QUIET_PATHS = (  # asked every few seconds, by programs
    "/health", "/metrics", "/v1/studio/scripts/{script}/changes", "/v1/studio/scripts/{script}/progress",
    "/v1/studio/evaluations/{evaluation}/progress",
)  # fmt: skip
_RECEIVED, _REQUEST_ID, _IN_REQUEST_LOG = "studio.received", "studio.request_id", "studio.in_request_log"

log = logging.getLogger("studio.request")


class Arrival:
    """Pure ASGI: a BaseHTTPMiddleware would put a task and a queue between the engine and the socket. has_head: as Gets has it."""

    def __init__(self, app: ASGIApp, *, has_head: bool = True):
        self._app = app
        self._gets = Gets(app, has_head=has_head)

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
            await (self._gets if scope["method"] in SAFE_METHODS else self._app)(scope, receive, send_named)
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


# --- keys and origins


GRADIO_MCP = "/gradio_api/mcp"  # where Gradio has it, and the Hub looks at Spaces
MCP_PATHS = ("/mcp", GRADIO_MCP)
MCP_SOUNDS = "/mcp/sounds"  # whose links are their keys: whoever fetches a sound for an agent has none
GUARDED = ("/v1", "/openai", *MCP_PATHS)  # /health, /metrics and the documentation stay open, as in vLLM-Omni
TELLING = (*GUARDED, "/metrics")  # of a key whether it is right
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")


class KeyMiddleware:
    """Lets a request to what is GUARDED pass with a key as Bearer token, or a signed-in page's session; OPTIONS, too, as in vLLM-Omni.

    Wrong keys count where an answer tells a right one; the health of the studio is told with any.
    """

    def __init__(self, app: ASGIApp, keys: KeyCheck):
        self._app = app
        self._keys = keys

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        is_asked = scope["type"] in ("http", "websocket") and scope.get("method") != "OPTIONS" and not self._keys.open_to_all
        if not is_asked or not _is_below(TELLING, scope) or _is_below((MCP_SOUNDS,), scope):
            await self._app(scope, receive, send)
            return
        try:
            is_admitted = self._keys.admits(scope)
        except WrongKeys as error:
            await refuse(_wait(error), scope, receive, send)
            return
        if not is_admitted and _is_below(GUARDED, scope):
            await refuse(_unauthorized(scope), scope, receive, send)
            return
        await self._app(scope, receive, send)


class PlainBodies:
    """Refuses a body that is packed: to unpack it would be to take in gigabytes that came as kilobytes."""

    def __init__(self, app: ASGIApp):
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        coding = Headers(scope=scope).get("content-encoding", "").strip().lower() if scope["type"] == "http" else ""
        if coding in ("", "identity") or scope["method"] in SAFE_METHODS:
            await self._app(scope, receive, send)
            return
        error = answer_for(compressed_body_error(coding))
        await refuse(JSONResponse(error.body(), status_code=error.status), scope, receive, send)


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


def _is_below(prefixes: Sequence[str], scope: Scope) -> bool:
    return f"{get_route_path(scope)}/".startswith(tuple(f"{prefix}/" for prefix in prefixes))


def _unauthorized(scope: Scope) -> JSONResponse:
    """In vLLM-Omni's words, and below /openai in the envelope that OpenAI's clients read."""
    body: dict[str, object] = {"error": "Unauthorized"}
    if not _is_below(("/v1",), scope):
        fact, hint = (
            "No key of this studio came with the request.",
            "Send one of STUDIO_API_KEYS as Bearer token: it is the client's API key.",
        )
        body = ApiError(401, fact, hint=hint).body()
    return JSONResponse(body, status_code=401, headers={"WWW-Authenticate": "Bearer"})


def _wait(error: WrongKeys) -> JSONResponse:
    fact = "Too many wrong keys came from this address."
    hint = f"Try again in {error.seconds} s, with a key of this studio."
    refusal = ApiError(429, fact, reason_code="wrong_keys", hint=hint)
    refusal.values.update(seconds=error.seconds)
    return JSONResponse(refusal.body(), status_code=429, headers={"Retry-After": str(error.seconds)})


# --- bodies


MEBIBYTE = 1024 * 1024
MOST_UPLOAD_BODY_BYTES = 12 * MEBIBYTE  # a file of 10 MiB with its form around it
MOST_BODY_BYTES = 16 * MEBIBYTE  # the same file as base64 inside JSON
MOST_SCRIPT_BODY_BYTES = 257 * MEBIBYTE  # a book with its pictures, or a script with three hours of sound, with its form around it
MOST_VIDEO_BODY_BYTES = 2048 * MEBIBYTE  # an hour or two, as such are put on the web
SCRIPTS = "/v1/studio/scripts"
SCRIPT_FILES = (SCRIPTS, f"{SCRIPTS}/read")
MOST_EVALUATION_BODY_BYTES = 513 * MEBIBYTE  # two hours of the sounds of others as WAV, with their form around them
EVALUATION_FILES = ("/v1/studio/evaluations", "/v1/studio/evaluations/expect")
UPLOAD_PATHS = tuple(f"{base}/audio/{what}" for base in ("/v1", "/openai/v1") for what in ("voices", "voice_consents", "transcriptions"))


def body_limit_of(path: str) -> int:
    """Bytes that a body may have at that path."""
    if path in EVALUATION_FILES:
        return MOST_EVALUATION_BODY_BYTES
    if is_spooled(path):
        return MOST_SCRIPT_BODY_BYTES if path in SCRIPT_FILES else MOST_VIDEO_BODY_BYTES
    return MOST_UPLOAD_BODY_BYTES if path in UPLOAD_PATHS else MOST_BODY_BYTES


def is_spooled(path: str) -> bool:
    """Whether a body at that path is written to disk as it comes."""
    return path in (*SCRIPT_FILES, *EVALUATION_FILES) or (path.startswith(f"{SCRIPTS}/") and path.endswith("/dub"))


def body_refusal(refused: BodyRefused, scope: Scope) -> JSONResponse:
    """413, in vLLM-Omni's words; 408 and 503, which it does not know. The connection is closed, since the rest of the body is not read."""
    fact, hint = refused.fact, refused.hint
    if isinstance(refused, BodyTooLarge):
        fact = f"Request body exceeds maximum limit of {refused.limit_bytes // MEBIBYTE}MB."
        hint = (
            "Send less."
            if get_route_path(scope).startswith((SCRIPTS, *EVALUATION_FILES))
            else "A 20-second WAV is about 2 MB; send less, or compress it."
        )
    kind = phrase(refused.status) if refused.status < 500 else ""
    error = ApiError(refused.status, fact, kind=kind, reason_code=refused.code, hint=hint)
    error.values.update(refused.values)
    headers = {**(refused.headers or {}), "X-Request-Id": request_id(scope)}
    return JSONResponse(error.body(), status_code=error.status, headers=headers)
