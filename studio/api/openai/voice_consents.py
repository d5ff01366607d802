"""/openai/v1/audio/voice_consents, and /v1/audio/voice_consents: recorded consents, as OpenAI's clients keep them."""

import re
from typing import Literal

from fastapi import APIRouter, Depends, File, Form, Query, UploadFile
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from engines.errors import EngineError, OptionInvalid
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.errors import consent_answer_for
from studio.api.door.uploaded_clip import uploaded_clip
from studio.api.routes.speech import json_only
from studio.audio.formats import MEDIA_TYPES
from studio.consents.checks import check_words
from studio.consents.consent_file import RecordedConsent
from studio.library.consented import speakers_by_consent, withdraw_consent
from studio.service import Studio
from studio.speakers.enrollment import API_RULE
from studio.web.body_limit import OffLoopRoute

__all__ = ["router"]

ALL = "/audio/voice_consents"
ONE = ALL + "/{consent_id}"
BASES = ("/openai/v1", "/v1")  # vLLM-Omni has nothing at the latter
SOUND: Responses = {200: {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}}
FULL: Responses = {409: {"description": "There are as many recorded consents as there may be."}}
IN_USE: Responses = {409: {"description": "Voices rest on it."}}
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,8}")  # RFC 5646, but for private ones

router = APIRouter(tags=["voice consents"])


class ConsentName(BaseModel):
    """What of a recorded consent can be changed."""

    model_config = ConfigDict(json_schema_extra={"examples": []})  # there is none to be renamed in a new studio

    name: str


async def create_consent(
    context: DeskOf,
    name: str = Form(description="What to call it: who consents, such as."),
    language: str = Form(description='Of what is said: a BCP 47 tag, such as "en-US".'),
    recording: UploadFile = File(description="1-30 s: the person says in one plain sentence that they consent to a copy of their voice."),
) -> dict[str, object]:
    """Its `id` is the `consent` of voices that rest on it. Where the studio has a transcriber, it listens: what does not consent is
    refused, and `words` is "checked"; else "unchecked", and `unchecked_why` says why.
    """

    def keep() -> dict[str, object]:
        if not LANGUAGE_TAG.fullmatch(language):
            raise OptionInvalid("language", sentence="consent_language", language=language[:40])
        studio = context.studio
        studio.consents.check(name)  # before anybody listens
        clip = uploaded_clip(recording, API_RULE)
        API_RULE.check(clip)
        consent = studio.consents.add(name, language, clip, check_words(studio.transcriber, clip, language))
        return _told(consent, ())

    try:
        return await context.threads.run(keep)
    except EngineError as error:
        raise consent_answer_for(error) from error


async def list_consents(
    context: DeskOf,
    after: str | None = Query(None, description="Id of the last one of the page before."),
    limit: int = Query(20, ge=1, le=100),
) -> dict[str, object]:
    """The newest first."""
    return await context.threads.run(lambda: _page(context.studio, after, limit))


async def read_consent(context: DeskOf, consent_id: str) -> dict[str, object]:
    """`voices` names those that rest on it."""
    return await context.threads.run(lambda: _record(context.studio, consent_id))


async def read_consent_audio(context: DeskOf, consent_id: str) -> Response:
    """As mono 16-bit WAV."""
    data = await context.threads.run(lambda: context.studio.consents.recording(consent_id))
    return Response(data, media_type=MEDIA_TYPES["wav"], headers={"Cache-Control": "no-store"})


async def rename_consent(context: DeskOf, consent_id: str, body: ConsentName) -> dict[str, object]:
    """Its name alone; what voices say of it stays."""

    def rename() -> dict[str, object]:
        context.studio.consents.rename(consent_id, body.name)
        return _record(context.studio, consent_id)

    return await context.threads.run(rename)


async def delete_consent(
    context: DeskOf,
    consent_id: str,
    voices: Literal["keep", "delete"] = Query("keep", description="What becomes of voices that rest on it: kept, it is kept with them."),
) -> dict[str, object]:
    """A consent on which voices rest is not deleted before they are, or together with them (`voices=delete`)."""
    studio = context.studio

    def withdraw() -> tuple[str, ...]:
        with_speakers = voices == "delete"
        return withdraw_consent(consent_id, studio.consents, studio.workspace_speakers, studio.forget, with_speakers=with_speakers)

    names = await context.threads.run(withdraw)
    return {"id": consent_id, "object": "audio.voice_consent", "deleted": True, **({"voices": list(names)} if names else {})}


for base in BASES:
    router.post(base + ALL, summary="Record a consent", responses=FULL)(create_consent)
    router.get(base + ALL, summary="All recorded consents")(list_consents)
    router.get(base + ONE, summary="One recorded consent")(read_consent)
    router.get(base + ONE + "/audio", summary="What was recorded", response_class=Response, responses=SOUND)(read_consent_audio)
    router.add_api_route(
        base + ONE,
        rename_consent,
        methods=["POST"],
        summary="Rename a recorded consent",
        dependencies=[Depends(json_only)],
        route_class_override=OffLoopRoute,
    )
    router.delete(base + ONE, summary="Withdraw a recorded consent", responses=IN_USE)(delete_consent)


def _page(studio: Studio, after: str | None, limit: int) -> dict[str, object]:
    """Ids sort by time, so that the place of one that is gone is known."""
    rest = [consent for consent in studio.consents.all() if after is None or consent.id < after]
    resting = speakers_by_consent(studio.workspace_speakers)
    data = [_told(consent, resting.get(consent.id, ())) for consent in rest[:limit]]
    ends = {"first_id": data[0]["id"], "last_id": data[-1]["id"]} if data else {"first_id": None, "last_id": None}
    return {"object": "list", "data": data, **ends, "has_more": len(rest) > limit}


def _record(studio: Studio, consent_id: str) -> dict[str, object]:
    consent = studio.consents.get(consent_id)
    return _told(consent, speakers_by_consent(studio.workspace_speakers).get(consent.id, ()))


def _told(consent: RecordedConsent, voices: tuple[str, ...]) -> dict[str, object]:
    """OpenAI's object, and what else is known."""
    told: dict[str, object] = {
        "id": consent.id,
        "object": "audio.voice_consent",
        "created_at": consent.created_at,
        "language": consent.language,
        "name": consent.name,
        "seconds": consent.seconds,
        "words": "checked" if consent.words.is_checked else "unchecked",
        "voices": list(voices),
    }
    told |= {"unchecked_why": consent.words.why} if consent.words.why else {}
    return told | ({"heard": consent.words.heard} if consent.words.heard else {})
