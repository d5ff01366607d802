"""Exception handlers: every error of the app leaves as JSON with the envelope, routing errors with `detail` as well."""

from collections.abc import Iterable, Iterator

from fastapi import FastAPI, Request
from fastapi.exceptions import HTTPException as FastApiError
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match

from engines.errors import EngineError
from studio.api.arrival import request_id
from studio.api.errors import ApiError, answer_for, phrase
from studio.speech.schema_errors import schema_error

__all__ = ["install_exception_handlers", "json_refusal"]


def install_exception_handlers(app: FastAPI) -> None:
    """Let the app answer with our errors."""
    app.add_exception_handler(ApiError, _refuse)
    app.add_exception_handler(EngineError, _refuse_studio_error)
    app.add_exception_handler(RequestValidationError, _refuse_schema)
    app.add_exception_handler(HTTPException, _refuse_routing)
    app.add_exception_handler(Exception, _refuse_unexpected)


def json_refusal(error: ApiError, request: Request) -> JSONResponse:
    """The answer of an ApiError, with the request's id."""
    headers = error.headers | {"X-Request-Id": request_id(request.scope)}
    return JSONResponse(error.body(), status_code=error.status, headers=headers)


async def _refuse(request: Request, error: ApiError) -> JSONResponse:
    return json_refusal(error, request)


async def _refuse_studio_error(request: Request, error: EngineError) -> JSONResponse:
    return json_refusal(answer_for(error), request)


async def _refuse_schema(request: Request, error: RequestValidationError) -> JSONResponse:
    return json_refusal(answer_for(schema_error(error.errors())), request)


async def _refuse_routing(request: Request, error: HTTPException) -> JSONResponse:
    """Unknown route, wrong method and what Starlette itself refuses: `detail` as Starlette has it, and the envelope.

    Under STUDIO_STRICT_COMPAT either of them, as in vLLM-Omni: what the router refuses is told by Starlette alone.
    """
    strict = request.app.state.desk.studio.settings.strict_compat
    if strict and not isinstance(error, FastApiError):
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
    )
    return json_refusal(refusal.adding(headers=headers, extra={} if strict else {"detail": error.detail}), request)


async def _refuse_unexpected(request: Request, error: Exception) -> JSONResponse:
    """A defect of ours: the log has it (the server logs what reaches this handler), the caller learns nothing of our insides."""
    return json_refusal(ApiError(500, "Internal server error.", reason_code="internal_error", hint="Try again, or report it."), request)


def _allowed_methods(request: Request) -> list[str]:
    """Starlette names the methods of the first route with this path only; several routes share a path here."""
    methods: set[str] = set()
    for route in _routes(request.app.router.routes):
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= set(getattr(route, "methods", None) or ())
    return sorted(methods)


def _routes(routes: Iterable[BaseRoute]) -> Iterator[BaseRoute]:
    """Also those of included routers, which FastAPI keeps as one route each; ours have no prefix."""
    for route in routes:
        included = getattr(route, "original_router", None)
        yield from _routes(included.routes) if included is not None else (route,)
