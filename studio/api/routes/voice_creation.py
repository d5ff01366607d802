"""CreationRoute: a route that makes a voice of what a form holds, of a description (`type: prompt`) or of built-in voices (`type: blend`),
in a form or as JSON."""

from collections.abc import Mapping

from fastapi import Request
from starlette.responses import JSONResponse, Response

from engines.errors import EngineError
from studio.api.answers.designed_voice import BY_BLEND, BY_DESCRIPTION, read_design
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.errors import design_answer_for
from studio.speaker_design import SpeakerDesign, recording_of_design
from studio.speakers.consent import BLENDED, DESIGNED
from studio.speakers.speaker import Speaker
from studio.web.body_limit import Handler, OffLoopRoute

__all__ = ["CreationRoute", "unless_described", "voice_object"]

BY_RECORDING = "audio_sample"
TYPES = {DESIGNED: BY_DESCRIPTION, BLENDED: BY_BLEND}  # by the reason of a consent


class _VoiceDescribed(Exception):
    """Raised before the form is looked at, since what no person said has none of its fields."""

    def __init__(self, asked: SpeakerDesign, context: ApiContext):
        super().__init__()
        self.asked = asked
        self.context = context


class CreationRoute(OffLoopRoute):
    """A route with `unless_described` among its dependencies."""

    def get_route_handler(self) -> Handler:
        handle_form = super().get_route_handler()

        async def handle(request: Request) -> Response:
            try:
                return await handle_form(request)
            except _VoiceDescribed as described:
                return await _designed(described.asked, described.context)

        return handle


async def unless_described(request: Request, context: DeskOf) -> None:
    """Not every dialect knows voices but those of recordings."""
    if not context.studio.settings.dialect.designs_speakers:
        return
    if (asked := read_design(await _fields(request))) is not None:
        raise _VoiceDescribed(asked, context)


def voice_object(speaker: Speaker) -> dict[str, object]:
    """OpenAI's. id: what speech is asked for by."""
    told: dict[str, object] = {"id": speaker.name, "name": speaker.name, "created_at": speaker.created_at, "object": "audio.voice"}
    record = speaker.consent_record
    if record is not None and record.reason in TYPES:
        kind = TYPES[record.reason]
        return told | {"type": kind, kind: record.statement} | ({"seed": int(record.seed)} if record.seed.isdecimal() else {})
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


async def _designed(asked: SpeakerDesign, context: ApiContext) -> JSONResponse:
    studio = context.studio
    try:
        speaker = await context.threads.run(lambda: studio.enroll(recording_of_design(studio, asked)))
    except EngineError as error:
        raise design_answer_for(error) from error
    return JSONResponse(voice_object(speaker))
