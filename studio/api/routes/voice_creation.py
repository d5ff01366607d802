"""CreationRoute: a route that makes a voice of what a form holds, or of a description (`type: prompt`), in a form or as JSON."""

from collections.abc import Awaitable, Callable, Mapping

from fastapi import Request
from starlette.responses import JSONResponse, Response

from engines.errors import EngineError
from studio.api.answers.designed_voice import DesignBody, design_voice
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.errors import design_answer_for
from studio.speakers.consent import DESIGNED
from studio.speakers.speaker import Speaker
from studio.web.body_limit import OffLoopRoute

__all__ = ["CreationRoute", "unless_described", "voice_object"]

BY_DESCRIPTION, BY_RECORDING = "prompt", "audio_sample"


class _VoiceDescribed(Exception):
    """Raised before the form is looked at, since a description has none of its fields."""

    def __init__(self, body: DesignBody, context: ApiContext):
        super().__init__()
        self.body = body
        self.context = context


class CreationRoute(OffLoopRoute):
    """A route with `unless_described` among its dependencies."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:
        handle_form = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handle_form(request)
            except _VoiceDescribed as described:
                return await _designed(described.body, described.context)

        return handle


async def unless_described(request: Request, context: DeskOf) -> None:
    """vLLM-Omni knows no voices by description."""
    if context.studio.settings.strict_compat:
        return
    fields = await _fields(request)
    if fields.get("type") == BY_DESCRIPTION:
        raise _VoiceDescribed(DesignBody.of(fields), context)


def voice_object(speaker: Speaker) -> dict[str, object]:
    """OpenAI's. id: what speech is asked for by."""
    told = {"id": speaker.name, "name": speaker.name, "created_at": speaker.created_at, "object": "audio.voice"}
    record = speaker.consent_record
    if record is not None and record.reason == DESIGNED:
        return told | {"type": BY_DESCRIPTION, "prompt": record.statement}
    return told | ({"type": BY_RECORDING} if speaker.tensor is None else {})


async def _fields(request: Request) -> Mapping[str, object]:
    """Of what is neither a form nor a JSON object there are none."""
    if request.headers.get("content-type", "").partition(";")[0].strip().casefold() != "application/json":
        return await request.form()
    try:
        fields = await request.json()
    except ValueError:
        return {}
    return fields if isinstance(fields, dict) else {}


async def _designed(body: DesignBody, context: ApiContext) -> JSONResponse:
    try:
        speaker = await context.threads.run(lambda: design_voice(context.studio, body))
    except EngineError as error:
        raise design_answer_for(error) from error
    return JSONResponse(voice_object(speaker))
