"""/openai/v1/audio/voices, as OpenAI's clients ask: makes a voice from a recording and a recorded consent, or a description; deletes it."""

from fastapi import APIRouter, Depends, File, Form, UploadFile

from engines.errors import EngineError
from studio.api.door.context import DeskOf
from studio.api.door.errors import upload_answer_for
from studio.api.routes.voice_creation import CreationRoute, unless_described, voice_object
from studio.api.routes.voice_upload import enrolled_upload
from studio.api.routes.voices import consent_members, delete_voice
from studio.service import Studio
from studio.speakers.speaker import Enrollment, Speaker

__all__ = ["router"]

DESCRIBED = (
    "With `prompt` no recording is wanted, but `name`, `prompt` (who is to speak), maybe `model`, `script_hint` (what the voice says in "
    "its recording), its `language` and a `seed`, in a form or as JSON: the same seed is the same voice. With `blend` that is a formula of "
    "built-in voices of an engine with `blends_voices`; that engine speaks the formula itself, others learn the recording."
)

ALL = "/openai/v1/audio/voices"

router = APIRouter(tags=["OpenAI's API"], route_class=CreationRoute)
router.delete(ALL + "/{name}", summary="Delete a voice")(delete_voice)


@router.post(ALL, summary="Create or replace a voice", dependencies=[Depends(unless_described)])
async def create_voice(
    context: DeskOf,
    audio_sample: UploadFile = File(description="1-30 s of clear speech in any common audio format."),
    consent: str = Form(description="The `id` of a recorded consent of the person who speaks."),
    name: str = Form(description="What to call the voice; a voice of the same name, in any case, is replaced."),
    type: str = Form("audio_sample", pattern="^(audio_sample|prompt|blend)$", description=DESCRIBED),
) -> dict[str, object]:
    """Its `id`, which is its name, is the `voice` of speech. Who speaks is compared with who consents: `consent_recording` has the
    likeness, and somebody who is clearly another is refused.
    """
    try:
        speaker = await context.threads.run(lambda: _enrolled(context.studio, audio_sample, consent, name))
    except EngineError as error:
        raise upload_answer_for(error) from error
    return voice_object(speaker) | consent_members(speaker, context.studio)


def _enrolled(studio: Studio, sample: UploadFile, consent: str, name: str) -> Speaker:
    """Raises ConsentUnknown before anything is decoded; what enrolling does."""
    studio.consents.get(consent)
    return enrolled_upload(studio, Enrollment(name, consent), [sample], None)[0]
