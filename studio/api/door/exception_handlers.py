"""Exception handlers: turn every error of the app into JSON with the envelope. Routing errors also have `detail`."""

import logging
from collections.abc import Iterable, Iterator

from fastapi import FastAPI, Request
from fastapi.exceptions import HTTPException as FastApiError
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette._utils import get_route_path
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import Scope

from engines.errors import EngineError
from studio.api.door.errors import ApiError, answer_for, phrase
from studio.api.door.middleware import request_id
from studio.errors import disk_error
from studio.settings import Dialect
from studio.speech.schema_errors import schema_error, undecodable_body_error
from studio.web.access import is_owner
from studio.web.faults import INTERNAL_ERROR
from studio.words.sentences import LANGUAGES, OWNERS_ERRORS, OWNERS_HINT, sentences_in

__all__ = ["defect_refusal", "install_exception_handlers", "json_refusal"]

OPENAI = "/openai"  # where programs of OpenAI's API have a door of their own
UPLOADS = "TMPDIR"  # where Starlette puts an uploaded file of more than a megabyte while it arrives

log = logging.getLogger("studio.api")


def install_exception_handlers(app: FastAPI) -> None:
    """Let the app answer with our errors."""
    app.exception_handlers |= {  # as `add_exception_handler` does, whose type asks each for handling every exception
        ApiError: _refuse,
        EngineError: _refuse_studio_error,
        OSError: _refuse_disk,
        RequestValidationError: _refuse_schema,
        HTTPException: _refuse_routing,
    }


def defect_refusal(scope: Scope) -> JSONResponse:
    """Of a defect of ours the log has the trace, and the caller learns nothing of our insides."""
    error = ApiError(500, "Internal server error.", reason_code=INTERNAL_ERROR, hint="Try again, or report it.")
    return JSONResponse(error.body(), status_code=error.status, headers={"X-Request-Id": request_id(scope)})


def json_refusal(error: ApiError, request: Request) -> JSONResponse:
    """The answer of an ApiError, with the request's id. A visitor is told what the owner alone can do as the owner's."""
    if is_owner(request.scope) is False and str(error.values.get("sentence") or error.reason_code) in OWNERS_ERRORS:
        error.hint = sentences_in(LANGUAGES[0]).words(OWNERS_HINT, {})
    headers = error.headers | {"X-Request-Id": request_id(request.scope)}
    return JSONResponse(error.body(), status_code=error.status, headers=headers)


async def _refuse(request: Request, error: ApiError) -> JSONResponse:
    return json_refusal(error, request)


async def _refuse_studio_error(request: Request, error: EngineError) -> JSONResponse:
    return json_refusal(answer_for(error), request)


async def _refuse_disk(request: Request, error: OSError) -> JSONResponse:
    """Raises the error again where it is none of a disk, which is a defect."""
    known = disk_error(error)
    if known is None:
        raise error
    log.warning("id=%s %s: errno %s, %s", request_id(request.scope), known.code, error.errno, error.strerror)
    return await _refuse_studio_error(request, known)


async def _refuse_schema(request: Request, error: RequestValidationError) -> JSONResponse:
    return json_refusal(answer_for(schema_error(error.errors(), error.body)), request)


async def _refuse_routing(request: Request, error: HTTPException) -> JSONResponse:
    """Unknown route, wrong method and what Starlette itself refuses: `detail` as Starlette has it, and the envelope.

    In vLLM-Omni's dialect either of them: what the router refuses is told by Starlette alone.
    """
    if (known := disk_error(error.__cause__, UPLOADS)) is not None:  # FastAPI calls it a body that cannot be parsed
        return await _refuse_studio_error(request, known)
    dialect = _dialect_of(request)
    if isinstance(error.__cause__, UnicodeDecodeError) and dialect.names_undecodable:
        return json_refusal(answer_for(undecodable_body_error(error.__cause__)), request)
    if not dialect.joins_detail and not isinstance(error, FastApiError):
        headers = {"X-Request-Id": request_id(request.scope), **(error.headers or {})}
        return JSONResponse({"detail": error.detail}, status_code=error.status_code, headers=headers)
    headers = dict(error.headers or {})
    if error.status_code == 405:
        headers["Allow"] = ", ".join(_allowed_methods(request))
    refusal = ApiError(
        error.status_code,
        str(error.detail),
        kind=phrase(error.status_code),
        reason_code=phrase(error.status_code).lower().replace(" ", "_"),
        hint=_openai_hint(request) if error.status_code == 404 else "",
    )
    return json_refusal(refusal.adding(headers=headers, extra={"detail": error.detail} if dialect.joins_detail else {}), request)


def _dialect_of(request: Request) -> Dialect:
    return request.app.state.context.studio.settings.dialect


def _openai_hint(request: Request) -> str:
    """The base address to set, for whoever asked at a path below /openai that is none; "" elsewhere."""
    if not get_route_path(request.scope).startswith(OPENAI):
        return ""
    base = f"{request.url.scheme}://{request.url.netloc}{request.app.state.context.studio.settings.root_path}{OPENAI}/v1"
    return f"Set {base} as base address: it has models, audio/voices, audio/models and audio/speech."


def _allowed_methods(request: Request) -> list[str]:
    """Starlette names the methods of the first route with this path only; several routes share a path here."""
    methods: set[str] = set()
    for route in _routes(request.app.router.routes):
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= set(getattr(route, "methods", None) or ())
    has_head = "GET" in methods and _dialect_of(request).answers_head
    return sorted(methods | ({"HEAD"} if has_head else set()))


def _routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Also those of included routers, which FastAPI keeps as one route each; ours have no prefix."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from _routes(included.routes) if included is not None else (route,)
