"""POST /v1/audio/speech/convert: takes recorded speech, and speaks the same words in a voice."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator
from starlette.responses import Response

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from engines.plain_json import read_json
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.uploaded_clip import uploaded_clip
from studio.api.routes.speech import AUDIO, spoken
from studio.running.delivery import Delivery
from studio.speakers.enrollment import API_RULE
from studio.speech.body import ConversionBody, Embedding
from studio.speech.conversion import reading_source
from studio.speech.speech import Speech
from studio.timeline import Timeline

__all__ = ["ConversionForm", "json_schema", "of_json", "router"]


def of_json(value: object) -> object:
    """What a field of a form says in JSON, None where it is empty; FastAPI hands over those of a list one by one."""
    text = value[0] if isinstance(value, list) and len(value) == 1 else value
    if not isinstance(text, str):
        return value
    if not text:
        return None
    try:
        return read_json(text)
    except ValueError:
        raise ValueError("must be valid JSON") from None


def json_schema(kind: str, description: str) -> WithJsonSchema:
    """Of a field of a form that holds JSON."""
    return WithJsonSchema({"type": "string", "contentMediaType": "application/json", "title": kind, "description": description})


class ConversionForm(ConversionBody):
    """The fields of POST /v1/audio/speech that concern no text, and the recording."""

    file: UploadFile = Field(
        description="Speech to be said again, in any common audio format: 10 MiB at most, and as long as the engine takes clips (30 s)."
    )
    audio: UploadFile | None = Field(None, description="Another name of `file`; `file` wins.")
    ref_audio: list[UploadFile | str] | None = Field(
        None,
        description="Recording of the voice for this request: a file, or what POST /v1/audio/speech takes. Wins over `voice`. Several for "
        "engines with `most_recordings` above 1.",
    )
    speaker_embedding: Annotated[
        Embedding, BeforeValidator(of_json), json_schema("Speaker Embedding", "JSON list of numbers, instead of a recording.")
    ] = None
    extra_params: Annotated[
        dict[str, Any] | None, BeforeValidator(of_json), json_schema("Extra Params", "JSON object: options of the engine, by name.")
    ] = None

    @model_validator(mode="before")
    @classmethod
    def _take_audio(cls, data: Any) -> Any:
        """What is left empty in a form is as if it were not there."""
        if not isinstance(data, dict):
            return data
        file = data.get("file") or data.get("audio")
        references = [each for each in data.get("ref_audio") or () if each] or None
        return data | {"ref_audio": references} | ({} if file is None else {"file": file})


router = APIRouter(tags=["speech"])


@router.post("/v1/audio/speech/convert", summary="Say recorded speech again in a voice", response_class=Response, responses=AUDIO)
async def convert(form: Annotated[ConversionForm, Form(media_type="multipart/form-data")], request: Request, context: DeskOf) -> Response:
    """Answers as POST /v1/audio/speech does: whole files, and streams that start with the first audio.

    Fields that concern a text alone (`language`, `instructions`, ...) change nothing and are named in X-Ignored-Parameters. Nothing of the
    recording is kept.
    """
    return spoken(form, request, context, lambda timeline, keep, delivery: _begun(form, context, timeline, keep, delivery))


def _begun(form: ConversionForm, context: ApiContext, timeline: Timeline, keep: bool, delivery: Delivery) -> Speech:
    """Blocks."""
    recording, references = form.file, form.ref_audio

    def read_source(info: EngineInfo) -> Clip:
        with reading_source(info, API_RULE) as rule:
            return uploaded_clip(recording, rule)

    if references is not None:
        form = form.model_copy(update={"ref_audio": [each if isinstance(each, str) else each.file.read() for each in references]})
    return context.studio.repeat(form, read_source, timeline, keep=keep, delivery=delivery)
