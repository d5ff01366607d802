"""POST /v1/studio/edit: takes a recording, and changes what is said in it."""

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import BeforeValidator, Field
from starlette.responses import Response

from engines.clips.clip import Clip
from engines.contract.contract import EngineInfo
from studio.api.door.context import ApiContext, DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.middleware import received_at, request_id
from studio.api.door.uploaded_clip import uploaded_clip
from studio.api.routes.recordings.convert import ConversionForm, json_schema, of_json
from studio.api.routes.recordings.edit_answer import EditAnswer
from studio.api.routes.speech import AUDIO
from studio.speakers.enrollment import API_RULE
from studio.speech.conversion import reading_source
from studio.speech.editing.edit_body import EditBody, OperationBody
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.editing.editing import Watch
from studio.speech.request_log import RequestEntry
from studio.timeline import Timeline

__all__ = ["router"]

FILES = {name: content for name, content in AUDIO[200]["content"].items() if name.startswith("audio/")}
EDITED: Responses = {
    200: {
        "description": "The recording, at its own rate where `sample_rate` is absent. X-Edited is a JSON list of [start, end] in seconds "
        "of the answer: what is new. All else are the samples of the recording. X-Speech-Engine names the engine.",
        "content": FILES,
    }
}


class EditForm(ConversionForm, EditBody):
    """The recording, what is said in it, and what is to be said instead."""

    file: UploadFile = Field(
        description="The recording, in any common audio format: 10 MiB at most, and as long as the engine takes clips (30 s)."
    )
    voice: str | None = Field(None, description="Of whoever speaks in the recording, where that is stored; else the recording tells it.")
    operations: Annotated[
        list[OperationBody],
        BeforeValidator(of_json),
        json_schema("Operations", "JSON list of {kind, start, end, text, ...}: changes of `words`, whose characters start and end count."),
    ] = Field(default_factory=list)


router = APIRouter(tags=["speech"])


@router.post("/v1/studio/edit", summary="Change what is said in a recording", response_class=Response, responses=EDITED)
async def edit(form: Annotated[EditForm, Form(media_type="multipart/form-data")], request: Request, context: DeskOf) -> Response:
    """Experimental. The kinds of changes are `edits` of engines in GET /v1/models. Nothing of the recording is kept.

    Words that do not change keep their samples. `whole` takes all of the engine's sound instead.
    """
    form.check_suited()
    timeline = Timeline(received_at(request.scope))
    entry = RequestEntry(request_id(request.scope), "whole", timeline, form.response_format)
    return EditAnswer(context, entry, lambda watch: _edited(form, context, timeline, watch), form)


def _edited(form: EditForm, context: ApiContext, timeline: Timeline, watch: Watch) -> EditedSound:
    """Blocks."""
    recording, references = form.file, form.ref_audio

    def read_source(info: EngineInfo) -> Clip:
        with reading_source(info, API_RULE) as rule:
            return uploaded_clip(recording, rule)

    update: dict[str, Any] = {}
    if references is not None:
        update = {"ref_audio": [each if isinstance(each, str) else each.file.read() for each in references]}
    return context.studio.edit_as_asked(form.model_copy(update=update), read_source, timeline, watch)
