"""POST /openai/v1/audio/speech: speaks a text as OpenAI's API does. By default the answer is mp3, sent while it is made."""

from typing import Annotated, ClassVar, Literal

from fastapi import APIRouter, Depends, Request
from pydantic import BeforeValidator, ConfigDict, Field
from starlette.responses import Response

from studio.api.door.context import DeskOf
from studio.api.openai.models import BASE, engine_named
from studio.api.routes.speech import AUDIO, json_only, spoken
from studio.audio.formats import Format
from studio.service import Studio
from studio.speakers.speaker import preset_of, speaker_key
from studio.speakers.speaker_aliases import NAMES_OF_PROGRAMS
from studio.speech.body import Delivery, SpeechBody
from studio.speech.request import DEFAULT_SPEAKER, named_speaker
from studio.web.body_limit import OffLoopRoute

__all__ = ["OpenAISpeechBody", "router"]

NAMES = (*NAMES_OF_PROGRAMS, DEFAULT_SPEAKER)
FORMAT: Format = "mp3"


class OpenAISpeechBody(SpeechBody):
    """OpenAI's fields with its defaults, and beside them those of /v1/audio/speech. Unknown fields are ignored."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"input": "Good morning.", "voice": "alloy"}]}, protected_namespaces=())
    keeps_dialect: ClassVar[bool] = True
    most_instruction_characters: ClassVar[int] = 4096  # OpenAI's

    response_format: Annotated[Format, BeforeValidator(lambda asked: asked or FORMAT)] = Field(
        FORMAT, description="pcm is 16-bit little-endian mono of 24 kHz."
    )
    stream_format: Literal["sse", "audio"] | None = Field(None, description="Server-sent events, or bytes, which are the default.")
    stream: bool | None = Field(  # pyright: ignore[reportIncompatibleVariableOverride]  # wider here; who reads a body asks whether it is true
        None, description="false: one file with its true sizes, sent when all of it is made. OpenAI has no such field."
    )

    @property
    def delivery(self) -> Delivery:
        if self.stream_format == "sse":
            return "sse"
        return "whole" if self.stream is False and self.stream_format is None else "raw"


router = APIRouter(tags=["OpenAI's API"], dependencies=[Depends(json_only)], route_class=OffLoopRoute)


@router.post(f"{BASE}/audio/speech", summary="Speak text in a voice", response_class=Response, responses=AUDIO)
async def speak(body: OpenAISpeechBody, request: Request, context: DeskOf) -> Response:
    """A name of OpenAI's voices that nobody has set speaks in the engine's default voice, which `X-Voice-Alias` tells."""
    studio = context.studio
    return spoken(
        body, request, context, lambda timeline, keep, delivery: studio.say(_meant(body, studio), timeline, keep=keep, delivery=delivery)
    )


def _meant(body: OpenAISpeechBody, studio: Studio) -> OpenAISpeechBody:
    """With this door's names of models and voices as the studio's. What is real, or was set, is what its name says. Blocks."""
    meant = studio.as_meant(body.model_copy(update={"model": engine_named(body.model, studio)}))
    name = named_speaker(meant)
    if meant.alias or meant.inline or name is None or speaker_key(name) not in NAMES:
        return meant
    is_real = preset_of(name, studio.engine_info(meant.model)) is not None or studio.workspace_speakers.find(speaker_key(name)) is not None
    return meant if is_real else meant.meaning(None)
