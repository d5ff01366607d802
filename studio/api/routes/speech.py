"""POST /v1/audio/speech."""

from fastapi import Depends, FastAPI, Request
from starlette.responses import Response

from studio.api.answer import RawAnswer, SseAnswer, WholeAnswer
from studio.api.arrival import received_at
from studio.api.desk import Desk
from studio.api.intake import utter
from studio.api.schema_errors import unsupported_media_type
from studio.api.speech_body import SpeechBody
from studio.timeline import Timeline

__all__ = ["SpeechRoom"]

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
AUDIO = {
    200: {
        "description": "Audio; its rate is in X-Sample-Rate. With `stream` server-sent events, with `stream_format: audio` raw bytes.",
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
        raise unsupported_media_type()


class SpeechRoom:
    """The route that speaks. `open` adds it to an app."""

    def __init__(self, desk: Desk):
        self._desk = desk

    def open(self, app: FastAPI) -> None:
        app.add_api_route(
            "/v1/audio/speech",
            self.speak,
            methods=["POST"],
            tags=["speech"],
            summary="Speak text in a voice",
            response_class=Response,
            responses=AUDIO,
            dependencies=[Depends(json_only)],
        )

    async def speak(self, body: SpeechBody, request: Request) -> Response:
        """Whole answers carry their timing in Server-Timing; streams start with the first audio. See GET /v1/models for engines."""
        timeline = Timeline(received_at(request.scope))
        answer = ANSWERS[body.delivery]
        desk, keep = self._desk, request.headers.get(KEEP) == "1"
        return answer(desk, lambda: utter(desk.studio, body, timeline, desk.remote_audio, keep=keep), timeline, body.response_format)
