"""POST /v1/audio/transcriptions: writes the words of a recording. The form is that of OpenAI's API."""

import math
from typing import Literal

from fastapi import APIRouter, File, Form, UploadFile
from starlette.responses import JSONResponse, PlainTextResponse, Response

from engines.clips.clip import Clip, Transcript
from engines.errors import EngineError
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.errors import transcription_answer_for
from studio.api.door.uploaded_clip import AnyUpload, uploaded_clip
from studio.service import Studio
from studio.speakers.enrollment import API_RULE

__all__ = ["WORDS", "router", "write_down", "written"]

WORDS: Responses = {
    200: {
        "description": "The words; of none it is the empty text.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["text"],
                    "properties": {
                        "text": {"type": "string"},
                        "language": {"anyOf": [{"type": "string"}, {"type": "null"}], "description": "The one that was heard, as a code."},
                        "model": {"type": "string", "description": "That wrote them."},
                        "usage": {"type": "object", "description": "The seconds that were listened to, begun ones counted."},
                    },
                }
            },
            "text/plain": {"schema": {"type": "string"}},
        },
    }
}

router = APIRouter(tags=["transcriptions"])


@router.post("/v1/audio/transcriptions", summary="Write down what is said in a recording", response_class=Response, responses=WORDS)
async def write_down(
    *,
    context: DeskOf,
    file: UploadFile = File(description="1-30 s of clear speech in any common audio format."),
    model: str | None = Form(None, description="Any name is taken: a studio has one transcriber, which the answer names."),
    language: str | None = Form(None, description='Of the recording: a code ("de") or an English name ("German"); heard when absent.'),
    response_format: Literal["json", "text"] = Form("json"),
) -> Response:
    """Where STUDIO_TRANSCRIBER is set and what it needs is installed; 404 elsewhere. Nothing of it is kept."""
    try:
        clip, words = await context.threads.run(lambda: written(context.studio, file, language))
    except EngineError as error:
        raise transcription_answer_for(error) from error
    text = words.text if words else ""
    if response_format == "text":
        return PlainTextResponse(text)
    usage = {"type": "duration", "seconds": math.ceil(clip.seconds)}
    told = {"text": text, "language": words and words.language, "model": context.studio.transcriber.name, "usage": usage}
    return JSONResponse(told)


def written(studio: Studio, upload: AnyUpload, language: str | None) -> tuple[Clip, Transcript | None]:
    """What is missing is told before anything is decoded. Raises what `write`, decoding and the rule of uploads raise."""
    if lacking := studio.transcriber.lacking():
        raise lacking
    clip = uploaded_clip(upload, API_RULE)
    API_RULE.check(clip)
    return clip, studio.transcriber.write(clip, language)
