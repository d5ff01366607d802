"""build_api: the rooms of the HTTP door, put together."""

from fastapi import FastAPI

from studio import __version__
from studio.api.arrival import Arrival
from studio.api.body_limit import MOST_UPLOAD_BODY_BYTES, BodyLimit
from studio.api.desk import Desk
from studio.api.engines import EnginesRoom
from studio.api.journal import Journal
from studio.api.listening import Threads
from studio.api.refusals import install_refusals
from studio.api.speech import SpeechRoom
from studio.api.voice_cache import VoiceCacheRoom
from studio.api.voice_upload import UploadRoom
from studio.api.voices import VoicesRoom
from studio.service import Studio

__all__ = ["build_api"]

DESCRIPTION = """\
Wire-compatible with vLLM-Omni's speech API. Upload a voice once, then speak with it:

    curl -F audio_sample=@me.wav -F name=alice -F consent=mine -F ref_text="What I said." http://localhost:7860/v1/audio/voices
    curl -d '{"input": "Hello.", "voice": "alice"}' -H "Content-Type: application/json" http://localhost:7860/v1/audio/speech -o hello.wav

Errors are `{"error": {"message", "type", "param", "code"}}`, with `hint` (the next step) and `reason_code` (stable) where there is one.
"""
ERROR_SCHEMA = {
    "type": "object",
    "properties": {
        "error": {
            "type": "object",
            "required": ["message", "type", "param", "code"],
            "properties": {
                "message": {"type": "string"},
                "type": {"type": "string"},
                "param": {"anyOf": [{"type": "string"}, {"type": "null"}]},
                "code": {"type": "integer"},
                "hint": {"type": "string"},
                "reason_code": {"type": "string"},
            },
        }
    },
}
MISTAKE = {400: {"description": "The request can be mended", "content": {"application/json": {"schema": ERROR_SCHEMA}}}}


def build_api(studio: Studio) -> FastAPI:
    """The app for /v1, /health, /docs, /redoc and /openapi.json. The studio belongs to the caller, who closes it."""
    app = FastAPI(title="Voice cloning studio", version=__version__, description=DESCRIPTION, responses=MISTAKE)
    desk = Desk(studio, Threads(), Journal())
    install_refusals(app)
    app.add_middleware(BodyLimit, most_bytes={"/v1/audio/voices": MOST_UPLOAD_BODY_BYTES})
    app.add_middleware(Arrival)  # added last, so it comes first
    for room in (EnginesRoom(studio), SpeechRoom(desk), VoicesRoom(desk), UploadRoom(desk), VoiceCacheRoom(desk)):
        room.open(app)
    _document_400_not_422(app)
    return app


def _document_400_not_422(app: FastAPI) -> None:
    """Schema failures are 400 here; FastAPI would document its own 422."""
    generate = app.openapi

    def openapi() -> dict[str, object]:
        document = generate()
        for path in document["paths"].values():
            for operation in path.values():
                operation["responses"].pop("422", None)
        return document

    app.openapi = openapi
