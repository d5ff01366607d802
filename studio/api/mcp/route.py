"""The routes of MCP, at /mcp and where Gradio has it, and of the sounds that its results link to. Imported only where they are wanted."""

import secrets

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import JSONResponse, Response

from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.errors import ApiError
from studio.api.door.middleware import GRADIO_MCP, MCP_PATHS, MCP_SOUNDS, request_id
from studio.api.mcp.event_sessions import EventSessions
from studio.api.mcp.messages import CONNECT, PARSE_ERROR, TOOL_CALL, McpRefused, McpRequest, answer_of, error_of, read_request, result_of
from studio.api.mcp.tool_acts import ToolCall
from studio.api.mcp.tool_answer import ToolAnswer
from studio.api.mcp.tool_run import ToolRun
from studio.api.mcp.tools import listed
from studio.api.routes.speech import json_only
from studio.audio.formats import Format
from studio.audio.spoken_sounds import SoundGone, SpokenSound, SpokenSounds
from studio.web.access import AGENT_HEADER
from studio.web.address import public_address
from studio.web.body_limit import OffLoopRoute
from studio.workspace import NOBODY

__all__ = ["add_mcp"]

PRIVATE = {"Cache-Control": "no-store"}  # whoever has the link may hear it, and nobody else
EVENT_STREAM = "text/event-stream"

router = APIRouter(route_class=OffLoopRoute, include_in_schema=False)  # it is not called by hand, and lists its tools itself


def add_mcp(app: FastAPI) -> None:
    """To the API's app."""
    app.state.sounds, app.state.event_sessions = SpokenSounds(), EventSessions()
    app.router.routes += router.routes


async def take_message(request: Request, context: DeskOf) -> Response:
    """One message of a client, and its answer. Every request says all that it needs; nothing of it is kept for the next."""
    try:
        asked = read_request(await _message(request), request.headers)
        if asked.id is None:
            return Response(status_code=202)
        if asked.method != TOOL_CALL:
            return JSONResponse(result_of(asked, answer_of(asked)), headers=_session(asked, context))
        run = ToolRun(asked, _call(request, context))
    except McpRefused as error:
        return JSONResponse(error_of(error), status_code=error.status)
    return ToolAnswer(run, takes_events=EVENT_STREAM in request.headers.get("accept", ""))


for path in MCP_PATHS:
    for spelling in (path, f"{path}/"):
        router.add_api_route(spelling, take_message, methods=["POST"], dependencies=[Depends(json_only)])


@router.get(f"{GRADIO_MCP}/sse")
async def open_events(request: Request) -> Response:
    """A session of the older transport."""
    below = request.app.state.context.studio.settings.root_path.strip("/")
    return _event_sessions(request).open(f"{below and f'/{below}'}{GRADIO_MCP}/messages/?session_id=")


@router.post(f"{GRADIO_MCP}/messages/", dependencies=[Depends(json_only)])
async def take_session_message(request: Request, context: DeskOf, session_id: str = "") -> Response:
    """One of its messages, whose answer comes by its stream."""
    session = _event_sessions(request).get(session_id)
    if session is None:
        raise ApiError(404, "There is no such session.", reason_code="not_found")
    try:
        asked = read_request(await _message(request), request.headers)
        if asked.id is not None and asked.method == TOOL_CALL:
            await session.begin(ToolRun(asked, _call(request, context)).message)
        elif asked.id is not None:
            session.tell(result_of(asked, answer_of(asked)))
    except McpRefused as error:
        session.tell(error_of(error))
    return Response(status_code=202)


@router.get(f"{GRADIO_MCP}/schema")
async def list_tools() -> JSONResponse:
    """The tools without any handshake, as the Hub asks Spaces for them."""
    return JSONResponse(listed())


@router.get(f"{MCP_SOUNDS}/{{name}}")
async def read_sound(request: Request, name: str) -> Response:
    """A sound of the last minutes. The link is its key. name: its id, and what files of its format end in."""
    try:
        sound = _sounds(request).get(name.partition(".")[0])
    except SoundGone as error:
        return JSONResponse({"error": {"message": error.fact, "hint": error.hint, "code": error.code}}, status_code=404)
    return Response(sound.data, media_type=sound.media_type, headers=PRIVATE)


async def _message(request: Request) -> object:
    try:
        return await request.json()
    except ValueError:
        raise McpRefused(PARSE_ERROR, "The body is no JSON.") from None


def _call(request: Request, context: ApiContext) -> ToolCall:
    address, sounds = public_address(request.scope, context.studio.settings.root_path), _sounds(request)

    def keep(sound: SpokenSound, format: Format) -> str:
        return f"{address}{MCP_SOUNDS}/{sounds.keep(sound)}.{format}"

    return ToolCall(context, request_id(request.scope), keep)


def _session(asked: McpRequest, context: ApiContext) -> dict[str, str]:
    """Of who connects and says in no other way whose their voices are, where visitors are kept apart. Nothing of it is kept here."""
    is_new = asked.method == CONNECT and context.studio.workspace == NOBODY
    return {AGENT_HEADER: secrets.token_hex(16)} if is_new else {}


def _event_sessions(request: Request) -> EventSessions:
    return request.app.state.event_sessions


def _sounds(request: Request) -> SpokenSounds:
    return request.app.state.sounds
