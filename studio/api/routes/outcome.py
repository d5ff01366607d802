"""GET /v1/audio/speech/{request_id}: how a speech went, of whoever asked for it."""

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import JSONResponse

from studio.api.door.context import DeskOf
from studio.api.door.errors import ApiError
from studio.speech.outcomes import MOST_OF_A_WORKSPACE

__all__ = ["router"]


class SpeechOutcome(BaseModel):
    """Members that are not known yet, or not of such a speech, are absent."""

    model_config = ConfigDict(extra="allow")

    request_id: str
    status: str = Field(
        description="running; complete; cut (by a limit, or because it ran away from its text); cancelled (the listener hung up); failed."
    )
    finish_reason: str | None = Field(description="stop, length, abort or error; null while it is running.")
    end: str | None = Field(description="As in X-Speech-End: ended, capped, no_room, looped, cancelled, failed; null while it is running.")
    warning: str | None = Field(None, description="What is to be known of the end, or of what was left out.")
    error: dict[str, str] | None = Field(None, description="`code`, stable, and `message`.")
    created: float = Field(description="Seconds since 1970.")
    delivery: str = Field(description="whole, raw, sse, websocket or batch.")
    response_format: str
    bytes: int = Field(description="Of audio that were sent.")
    seconds: float | None = Field(None, description="Of sound.")
    sample_rate: int | None = None
    model: str | None = Field(None, description="The engine that spoke.")
    voice: str | None = Field(None, description="As it is stored or built in; null for a recording of the request.")
    usage: dict[str, object] | None = Field(None, description="As in the last event of a stream.")
    timing: dict[str, object] = Field(description="As in the last event of a stream.")


router = APIRouter(tags=["speech"])


@router.get("/v1/audio/speech/{request_id}", summary="How a speech went", response_model=SpeechOutcome)
async def outcome(request_id: str, context: DeskOf) -> JSONResponse:
    """For raw streams, which cannot tell at their end. request_id: of the answer's X-Request-Id, which is the request's where it has one.

    Of a batch each item has one, `<id of the batch>-<index>`; of a WebSocket each sentence, `<X-Request-Id>-<utterance>-<sentence>`.
    """
    found = context.studio.request_log.outcome(context.studio.workspace, request_id)
    if found is None:
        fact = f"No speech with the request id '{request_id[:128]}' is known here; the last {MOST_OF_A_WORKSPACE} are, for an hour."
        hint = "Ask with the X-Request-Id of the answer, and with the key or session of the request."
        raise ApiError(404, fact, param="request_id", reason_code="speech_unknown", hint=hint)
    return JSONResponse(dict(found))
