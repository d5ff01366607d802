"""/v1/audio/voices: lists voices, describes one, sends its recording, deletes it. Uploading has a module of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Query
from starlette.responses import Response

from engines.clips.clip import Transcript
from engines.contract.contract import EngineInfo
from studio.analysis.heard_quality import heard_quality
from studio.api.answers.voice_list import speakable_voices
from studio.api.door.context import DeskOf
from studio.api.door.documentation import Responses
from studio.api.door.errors import ApiError
from studio.api.routes.voice_quality import quality_of
from studio.audio.encode import encode
from studio.audio.formats import MEDIA_TYPES
from studio.consents.checks import LEAST_ALIKE
from studio.errors import ClipMissing
from studio.evaluations.plan.evaluation import Evaluation
from studio.listening.keep.test import ListeningTest
from studio.prompts.source import from_speaker
from studio.prompts.status import HINDERED, Incompatibility, PromptStatus, incompatibility_of
from studio.scripts.script.script import Script
from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.speakers.tensor import SpeakerTensor
from studio.speech.request import DEFAULT_SPEAKER

__all__ = ["consent_members", "forgotten", "learners_of", "masked", "recordings_of", "router", "tensor_members", "words_of"]


ONE = "/v1/audio/voices/{name}"
SOUND = {"content": {"audio/wav": {"schema": {"type": "string", "format": "binary"}}}}
WAV: Responses = {200: SOUND, 206: SOUND | {"description": "The bytes that `Range` asks for (one range)."}}
KEPT_BY_NOBODY = {"Cache-Control": "no-store"}  # a voice that is deleted is nowhere any more

router = APIRouter(tags=["voices"])


@router.get("/v1/audio/voices", summary="All voices")
async def list_voices(
    context: DeskOf,
    model: str = Query("", description="Only what that engine can speak with now, by any of its names."),
    format: Literal["names", "objects"] = Query(
        "names", description="What `voices` are; objects are those of GET /openai/v1/audio/voices, of the default engine without a model."
    ),
) -> dict[str, object]:
    """Names in lower case, built-in ones and "default" included; uploads with what is known about them.

    `recordings` and `recording_seconds` tell of a voice that is made of several; its `ref_text` has a line for each. `shadowed` tells of a
    voice that is called as a built-in one is, why neither speaks by that name, and what to do about it. `speaker_prompt` tells what a voice
    is that other tools made. `built_in_voices` are those of the engines: `name`, `model`, the `language` that one belongs to and its `sex`
    ("female" or "male"), or null, and whether it `blends` with others of its engine: a `voice` may then be a formula of them, such as
    `af_heart:0.6+af_bella:0.4`.
    """
    studio = context.studio
    speakers = await context.threads.run(studio.speakers)  # looks at the disk
    infos = [status.info for status in studio.engines()]
    presets = [_built_in(preset, info) for info in infos for preset in info.presets]
    defaults = {DEFAULT_SPEAKER}
    if not studio.settings.dialect.selects_speakers:
        return {"voices": _names(presets, speakers, defaults), "uploaded_voices": [_listed(studio, speaker) for speaker in speakers]}
    objects = await context.threads.run(lambda: speakable_voices(studio, model or None)) if model or format == "objects" else []
    if model:
        info, able = studio.engine_info(model), {voice["id"] for voice in objects}
        speakers = [speaker for speaker in speakers if speaker.name in able]
        presets = [preset for preset in presets if preset["model"] == info.id and preset["name"] in able]
        defaults = defaults if info.default_preset in able else set()
    return {
        "voices": objects if format == "objects" else _names(presets, speakers, defaults),
        "uploaded_voices": [_listed(studio, speaker) for speaker in speakers],
        "built_in_voices": presets,
    }


@router.get(ONE, summary="One voice")
async def read_voice(context: DeskOf, name: str) -> dict[str, object]:
    """The record of one voice.

    `engines` tells which engines can learn it and why others cannot, as the answer to its upload did.
    `prompts` tells which engines know it already: engine -> processing, memory or disk. `learning` tells of those that learn in steps how
    alike it is by now: engine -> `step`, `of`, `seconds_left`. `quality` tells how good the recording is.
    """
    return await context.threads.run(lambda: _record(context.studio, name))


@router.get(ONE + "/audio", summary="The recording", response_class=Response, responses=WAV)
async def read_recording(context: DeskOf, name: str) -> Response:
    """What was uploaded, several recordings one behind the other, as mono 16-bit WAV at its own rate."""
    data = await context.threads.run(lambda: _recording(context.studio.speaker(name)))
    return Response(data, media_type=MEDIA_TYPES["wav"], headers=KEPT_BY_NOBODY)


@router.delete(ONE, summary="Delete a voice")
async def delete_voice(
    context: DeskOf,
    name: str,
    tests: Literal["keep", "delete"] = Query("keep", description="What becomes of listening tests that name it."),
    scripts: Literal["keep", "delete"] = Query("keep", description="What becomes of the takes that it said in scripts."),
    evaluations: Literal["keep", "delete"] = Query("keep", description="What becomes of the sounds that engines said in it."),
) -> dict[str, object]:
    """When this returns, the voice is gone from disk and from every cache. Speech under way ends in the voice it began with.

    `tests` of the answer names the listening tests that were made with it, if any: kept, they keep their sounds; drafts cannot be rendered
    any more. `scripts` names the scripts in which it speaks: kept, their takes play on; else these go, and the lines stay. Either way such
    a line is said again only once it has another voice. `evaluations` names those that have its recording, which leaves them in any case:
    kept, what engines said in it stays, with its figures.
    """
    left = await context.threads.run(
        lambda: forgotten(
            context.studio,
            name,
            delete_tests=tests == "delete",
            delete_takes=scripts == "delete",
            delete_evaluated=evaluations == "delete",
        )
    )
    speaker = left.speaker
    openai = {"id": speaker.name, "object": "audio.voice.deleted", "deleted": True}  # the members of its clients' answer
    told: dict[str, object] = {"success": True, "message": f"Voice '{name}' deleted successfully"}
    if not context.studio.settings.dialect.tells_more_of_speakers:
        return told
    named = [{"id": test.id, "name": test.plan.name, "state": test.state, "deleted": tests == "delete"} for test in left.tests]
    spoken = [{"id": script.id, "title": script.head.title, "deleted": scripts == "delete"} for script in left.scripts]
    evaluated = [{"id": one.id, "title": one.plan.title, "deleted": evaluations == "delete"} for one in left.evaluations]
    found = {"tests": named, "scripts": spoken, "evaluations": evaluated}
    return {**told, **openai, **{kind: used for kind, used in found.items() if used}}


def masked(consent: str) -> str:
    """vLLM-Omni lists consent identifiers to whoever asks; we show that there is one. The store keeps it."""
    return consent[:1] + "***"


def consent_members(speaker: Speaker, studio: Studio) -> dict[str, object]:
    """Of a voice that rests on a recorded consent, what is known of that. words: "checked" where a transcriber heard it, else "unchecked".
    likeness: of who consents to who speaks in the voice's recording, 0 to 1; one_person: whether that is as much as one person has.
    """
    record = speaker.consent_record
    if record is None or not record.recording:
        return {}
    told: dict[str, object] = {"name": record.who, "recorded_at": record.given_at, "words": record.words}
    if studio.workspace_speakers.owns(speaker):
        told = {"id": record.recording} | told
    if record.likeness:
        told |= {"likeness": float(record.likeness), "one_person": float(record.likeness) >= LEAST_ALIKE}
    return {"consent_recording": told}


def recordings_of(speaker: Speaker) -> dict[str, object]:
    """The members that tell of several recordings, none where it is one."""
    seconds = [round(each, 4) for each in speaker.recording_seconds]
    return {"recordings": len(seconds), "recording_seconds": seconds} if seconds else {}


def learners_of(speaker: Speaker, studio: Studio, *, writes_words: bool = True) -> list[dict[str, object]]:
    """Of each engine whether it can learn the voice, and why not: what the page says of the same voice, and speech will say.

    writes_words: whether the studio may yet write down words that are missing; not where it has tried.
    """
    (statuses,) = studio.matrix.statuses([speaker])
    infos = {status.info.id: status.info for status in studio.engines()}
    told = []
    for status in statuses:
        info = infos[status.engine]
        why = status if status.state in HINDERED else None
        if why is None and not writes_words:
            why = incompatibility_of(speaker, info, engines=infos.values())
        told.append(_learner(speaker, info, why))
    return told


def _learner(speaker: Speaker, info: EngineInfo, why_not: PromptStatus | Incompatibility | None) -> dict[str, object]:
    told: dict[str, object] = {"engine": info.id, "can_learn": why_not is None}
    if why_not is not None:
        return told | {"code": why_not.code, "reason": why_not.fact} | ({"hint": why_not.hint} if why_not.hint else {})
    source = from_speaker(speaker, info.id)
    return told | (
        {"leaves_words_out": True} if source.transcript and info.transcript != "unused" and source.words_for(info) is None else {}
    )


def tensor_members(tensor: SpeakerTensor, studio: Studio) -> dict[str, object]:
    """Of a voice that is no recording. speaker_prompt: of what other tools made, which vLLM-Omni does not know."""
    if not tensor.form:
        return {"embedding_dim": tensor.shape[0]}
    members = {"form": tensor.form, "frames": tensor.n_frames, "shape": list(tensor.shape)}
    return {"speaker_prompt": members} if studio.settings.dialect.tells_more_of_speakers else {}


def words_of(words: Transcript, studio: Studio) -> dict[str, object]:
    """ref_text_by where nobody but a machine has read them; vLLM-Omni knows no such thing."""
    is_said = words.by_transcriber and studio.settings.dialect.tells_more_of_speakers
    return {"ref_text": words.text, **({"ref_text_by": "transcriber"} if is_said else {})}


def _names(presets: Iterable[dict[str, object]], speakers: Iterable[Speaker], defaults: set[str]) -> list[str]:
    return sorted(defaults | {str(name).lower() for name in [*(each["name"] for each in presets), *(one.name for one in speakers)]})


def _built_in(preset: str, info: EngineInfo) -> dict[str, object]:
    of_its_own = {"language": info.preset_languages.get(preset), "sex": info.preset_sexes.get(preset)}
    return {"name": preset, "model": info.id, **of_its_own, "blends": info.blends_presets}


@dataclass(frozen=True)
class Forgotten:
    """A speaker that was deleted, the tests that name it, the scripts in which it speaks, and the evaluations in which it is heard."""

    speaker: Speaker
    tests: tuple[ListeningTest, ...]
    scripts: tuple[Script, ...]
    evaluations: tuple[Evaluation, ...]


def forgotten(
    studio: Studio, name: str, *, delete_tests: bool = False, delete_takes: bool = False, delete_evaluated: bool = False
) -> Forgotten:
    """Delete a speaker; what becomes of tests, takes, and sounds of evaluations in which it is heard."""
    speaker = studio.forget(name)
    tests = studio.listening.speaker_gone(speaker.name, delete_tests=delete_tests)
    scripts = studio.scripts.speaker_gone(speaker.name, delete_takes=delete_takes, generation_id=speaker.generation_id)
    evaluations = studio.evaluations.speaker_gone(speaker.generation_id, delete_sounds=delete_evaluated)
    return Forgotten(speaker, tests, scripts, evaluations)


def _record(studio: Studio, name: str) -> dict[str, object]:
    speaker = studio.speaker(name)
    return _listed(studio, speaker) | {
        "language": speaker.transcript.language if speaker.transcript is not None else None,
        "seconds": None if speaker.seconds is None else round(speaker.seconds, 4),
        "sample_rate": speaker.sample_rate,
        "tags": list(speaker.tags),
        "prompts": studio.prompts.places(speaker),
        "engines": learners_of(speaker, studio),
        "learning": {engine: learning.told for engine, learning in studio.prompts.learning(speaker).items()},
        "quality": _quality(studio, speaker),
    }


def _listed(studio: Studio, speaker: Speaker) -> dict[str, object]:
    members: dict[str, object] = {
        "name": speaker.name,
        "consent": masked(speaker.consent) if studio.settings.dialect.masks_consent else speaker.consent,
        "created_at": speaker.created_at,
        "file_size": speaker.file_bytes,
        "mime_type": speaker.mime_type,
        "embedding_source": "audio" if speaker.tensor is None else "direct",
        "embedding_dim": None,
    }
    members |= recordings_of(speaker) if speaker.tensor is None else tensor_members(speaker.tensor, studio)
    members |= consent_members(speaker, studio) if studio.settings.dialect.tells_more_of_speakers else {}
    if speaker.transcript is not None:
        members |= words_of(speaker.transcript, studio)
    if speaker.description:
        members["speaker_description"] = speaker.description
    if shadow := studio.shadow_of(speaker):
        members["shadowed"] = f"{shadow.fact} {shadow.hint}"
    return members


def _quality(studio: Studio, speaker: Speaker) -> dict[str, object] | None:
    """None where there is no recording, and where it is gone: the record is readable all the same."""
    if speaker.tensor is not None:
        return None
    try:
        return quality_of(heard_quality(speaker.read_clip()), speaker.transcript, studio)
    except ClipMissing:
        return None


def _recording(speaker: Speaker) -> bytes:
    if speaker.tensor is not None:
        what = "what other tools made of a speaker" if speaker.tensor.form else "a speaker embedding"
        message = f"Voice '{speaker.name}' was uploaded as {what} and has no recording"
        raise ApiError(404, message, param="name", reason_code="clip_missing")
    clip = speaker.read_clip()
    return encode(clip.samples, clip.sample_rate, "wav")
