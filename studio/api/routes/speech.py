"""POST /v1/audio/speech: speaks a text."""

from collections.abc import Callable

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from studio.api.answers.answer import RawAnswer, SseAnswer, WholeAnswer
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.middleware import received_at, request_id
from studio.errors import SchemaInvalid
from studio.running.delivery import Delivery
from studio.settings import OWN_DIALECT, VLLM_OMNI_DIALECT
from studio.speech.awaited_speech import AwaitedSpeech
from studio.speech.body import CompatibleSpeechBody, SpeechBody, SpeechFields
from studio.speech.request_log import RequestEntry
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.web.body_limit import OffLoopRoute

__all__ = ["AUDIO", "ROUTERS", "Begin", "json_only", "spoken"]

Begin = Callable[[Timeline, bool, Delivery], Speech]  # whether it is kept, and how it will be heard

KEEP = "x-studio-keep"  # "1" puts the speech into the studio's history: the page's own transport sends it
ANSWERS = {"whole": WholeAnswer, "raw": RawAnswer, "sse": SseAnswer}
BINARY = {"schema": {"type": "string", "format": "binary"}}
EVENT = {  # one of the stream
    "type": "object",
    "required": ["event", "data"],
    "properties": {
        "event": {"enum": ["speech.audio.delta", "speech.audio.done", "speech.audio.error"]},
        "data": {"type": "string", "contentMediaType": "application/json", "description": "With `audio` in base64, or usage, or an error."},
    },
}
AUDIO: Responses = {
    200: {
        "description": "Audio; its rate is in X-Sample-Rate, who spoke in X-Speech-Engine, why it ended in X-Speech-End (of events in the "
        "last one). X-Speech-Left-Out is a JSON array of the markup in the text that the engine does not obey and that was not spoken. "
        "With `stream` server-sent events, with `stream_format: audio` raw bytes. "
        "With `word_timestamps` X-Word-Timestamps is a JSON array of {word, start_ms, end_ms}, of at most 4 KB; else "
        "X-Word-Timestamps-Omitted says why. Of events the last one has `word_timestamps`.",
        "content": {
            "audio/wav": BINARY,
            "audio/pcm": BINARY,
            "audio/flac": BINARY,
            "audio/mpeg": BINARY,
            "audio/ogg": BINARY,
            "audio/aac": BINARY,
            "text/event-stream": {"schema": EVENT},
        },
    }
}


async def json_only(request: Request) -> None:
    """FastAPI would take any `+json` type, and call anything else a schema failure."""
    if request.headers.get("content-type", "").partition(";")[0].strip().casefold() != "application/json":
        fact = "1 validation error:\n  Unsupported Media Type: Only 'application/json' is allowed"
        raise SchemaInvalid(fact, field="Content-Type")


PATH = "/v1/audio/speech"
ROUTE = {"tags": ["speech"], "summary": "Speak text in a voice", "response_class": Response, "responses": AUDIO}
# A body's schema stands in its route, so that each dialect has its own.
ROUTERS = {dialect: APIRouter(dependencies=[Depends(json_only)], route_class=OffLoopRoute) for dialect in (OWN_DIALECT, VLLM_OMNI_DIALECT)}


def spoken(body: SpeechFields, request: Request, context: ApiContext, begin: Begin) -> Response:
    """The answer in the form that the body asks for, of the speech that `begin` opens; it blocks."""
    timeline, keep = Timeline(received_at(request.scope)), request.headers.get(KEEP) == "1"
    entry = RequestEntry(request_id(request.scope), body.delivery, timeline, body.response_format)
    delivery = Delivery(whole=body.delivery == "whole")
    wants_words = body.word_timestamps is True
    heard = AwaitedSpeech(context, lambda: begin(timeline, keep, delivery), entry, wants_words=wants_words)
    return ANSWERS[body.delivery](context, heard, wants_words=wants_words)


@ROUTERS[OWN_DIALECT].post(PATH, **ROUTE)
async def speak(body: SpeechBody, request: Request, context: DeskOf) -> Response:
    """Whole answers carry their timing in Server-Timing; streams start with the first audio. See GET /v1/models for engines."""
    return spoken(body, request, context, lambda timeline, keep, delivery: context.studio.say(body, timeline, keep=keep, delivery=delivery))


@ROUTERS[VLLM_OMNI_DIALECT].post(PATH, **ROUTE)
async def speak_compatibly(body: CompatibleSpeechBody, request: Request, context: DeskOf) -> Response:
    """As vLLM-Omni 0.30.0 does."""
    return await speak(body, request, context)
