"""PageMiddleware: lets through only those requests to Gradio that this page uses. They are bounded, and come from its own pages alone.

Gradio also takes files into a folder that its routes hand out again, reads files and fetches addresses, and calls handlers by other names.
The page needs none of that: its files are in its events, and are bounded here.
"""

import secrets
from collections.abc import Mapping
from types import MappingProxyType

from starlette._utils import get_route_path
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.ui.clips.clip_intake import MOST_CLIP_BYTES
from studio.ui.clips.encoded import MOST_SOUND_BYTES, SOUND_PATH, SOUND_TYPE
from studio.ui.programs.endpoints import ENDPOINTS
from studio.web.body_limit import BodyBudget, BodyLimit, BodyRefused, BodyTooLarge
from studio.web.fault_watch import FaultWatch
from studio.web.hosts import is_cross_origin

__all__ = ["MOST_EVENT_BYTES", "PageMiddleware", "page_watch"]

GRADIO = "/gradio_api/"
# What the page's own browser asks for, below GRADIO. run/predict is the way of events without a queue, component_server that of the
# functions which scripts call, info the list of public endpoints, call the way to them.
USED = frozenset(
    (
        *("app_id", "cancel", "component_server", "component_server/", "info", "queue/data", "queue/join"),
        *("reset", "run/predict", "startup-events", "theme.css"),
    )
)
CALLS = tuple(f"call/{version}{name}" for name in ENDPOINTS for version in ("", "v2/"))
USED_PREFIXES = ("heartbeat/", *CALLS)
# A file in base64, in JSON whose longest other field is a text of 20 000 characters of up to 12 bytes as \u escapes.
MOST_EVENT_BYTES = -(-MOST_CLIP_BYTES // 3) * 4 + (1 << 20)
MOST_OTHER_BYTES = 64 << 10
FILE_EVENTS = frozenset(("run/predict", "component_server", "component_server/", "queue/join"))


class PageMiddleware:
    """In front of the page's app, behind its sign-in. bodies: what it shares with the API."""

    def __init__(self, app: ASGIApp, bodies: BodyBudget):
        self._app = BodyLimit(app, limit_of, body_refusal, bodies)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        path = get_route_path(scope)
        inside = path.partition(GRADIO)
        if inside[1] and not (inside[2] in USED or inside[2].startswith(USED_PREFIXES)):
            await _refusal(404, "The page has no such route.", "", "not_found")(scope, receive, send)
        elif scope["method"] == "POST" and is_cross_origin(headers):
            hint = "Open the studio itself, or use its API."
            await _refusal(403, "Pages of other origins may not use this studio.", hint, "origin_refused")(scope, receive, send)
        elif scope["method"] == "POST" and headers.get("content-type", "").partition(";")[0].strip() != type_of(path):
            await _refusal(415, f"The page takes {type_of(path)} there.", "", "not_json")(scope, receive, send)
        else:
            await self._app(scope, receive, send)


def page_watch() -> Middleware:
    """Names the faults of all that is behind it."""
    return Middleware(FaultWatch, door="page", refusal=_defect_refusal, name=_name)


def _defect_refusal(scope: Scope) -> JSONResponse:
    """Of a defect of ours the log has the trace."""
    return _refusal(500, "The studio failed.", "Try again, or report it.", "internal_error")


def _name(scope: Scope) -> tuple[str, str]:
    """(an id for the log, the route). Not the path, which may hold the name of a voice."""
    return f"page-{secrets.token_hex(8)}", getattr(scope.get("route"), "path", "-")


def type_of(path: str) -> str:
    """What a body is there: neither is what a form of another site can send."""
    return SOUND_TYPE if path.endswith(SOUND_PATH) else "application/json"


def limit_of(path: str) -> int:
    """Bytes that a body may have there."""
    if path.endswith(SOUND_PATH):
        return MOST_SOUND_BYTES
    asked = path.partition(GRADIO)[2]  # a recording may come with calls, too
    return MOST_EVENT_BYTES if asked in FILE_EVENTS or asked.startswith(CALLS) else MOST_OTHER_BYTES


def body_refusal(refused: BodyRefused, scope: Scope) -> JSONResponse:
    """408, 413 or 503. The connection is closed, since the rest of the body is not read."""
    hint = f"Files may have {MOST_CLIP_BYTES / 1e6:.0f} MB; a 20-second WAV is about 2 MB."
    answer = _refusal(
        refused.status, refused.fact, hint if isinstance(refused, BodyTooLarge) else refused.hint, refused.code, refused.values
    )
    answer.headers.update(refused.headers or {})
    return answer


def _refusal(status: int, fact: str, hint: str, code: str, values: Mapping[str, object] = MappingProxyType({})) -> JSONResponse:
    error = {"message": fact, "hint": hint, "code": code, "values": dict(values)}
    return JSONResponse({"error": error}, status_code=status, headers={"Cache-Control": "no-store"})
