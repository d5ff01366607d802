"""Playing a script from any line on, gapless, while it is said."""

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from studio.api.answers.script_play import NDJSON, EventsPlay, WavPlay
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.middleware import received_at
from studio.api.routes.scripts.addresses import ONE, ScriptId
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

EVENT = {
    "type": "object",
    "description": "One on each line; the last has `end` or `error` alone. `seconds` is null while the line is made. `failure` is of a "
    "line that cannot be said: the play goes on with the next.",
    "properties": {
        "line": {"type": "string"},
        "start_seconds": {"type": "number"},
        "seconds": {"type": ["number", "null"]},
        "ttfp_ms": {"type": ["number", "null"]},
        "take": {"type": ["string", "null"]},
        "audio": {"type": "string", "description": "Samples in base64: 16 bits, little-endian, mono, at X-Sample-Rate."},
        "failure": {"type": "object"},
        "end": {"type": "boolean"},
        "error": {"type": "object"},
    },
}
PLAYED: Responses = {
    200: {
        "description": "A WAV whose header tells no length, while it is made; with `events` JSON objects, one on each line.",
        "content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}, NDJSON: {"schema": EVENT}},
    }
}

router = APIRouter(tags=["scripts"], route_class=OffLoopRoute)


@router.get(ONE + "/play", summary="Play a script", response_class=Response, responses=PLAYED)
async def play_script(
    context: DeskOf,
    request: Request,
    script: str = ScriptId,
    begin: str = Query("", alias="from", max_length=64, description="Id of the line to begin with; the first one where absent."),
    events: bool = Query(False, description="Whether what is played is told line by line, as the page needs it."),
) -> Response:
    """Nobody waits for the whole: it begins with the first sound of the first line, and lines behind are said while it plays. Each is kept
    as a take. What was said before plays at once. Who hangs up has it stopped."""
    answer = EventsPlay if events else WavPlay
    received = received_at(request.scope)
    return answer(context.threads, lambda: context.studio.scripts.play(script, begin or None, received))
