"""Lists of voices: which one engine can speak with now, each as an object, as programs of OpenAI's kind read them."""

from engines.contract.contract import EngineInfo
from studio.prompts.status import HINDERED
from studio.service import Studio
from studio.speakers.speaker import Speaker, speaker_key

__all__ = ["speakable_voices"]


def speakable_voices(studio: Studio, model: str | None) -> list[dict[str, object]]:
    """Stored voices first, then the engine's built-in ones; of the default engine where `model` is None.

    `id` is what a request says in `voice`. Raises EngineUnknown, SpeakersUnreachable.
    """
    engine = studio.engine_id(model)
    status = next(status for status in studio.engines() if status.info.id == engine)
    if status.is_out_of_order:
        return []
    stored = [_stored(speaker, engine) for speaker in _speakable(studio, engine)]
    taken = {speaker_key(str(voice["id"])) for voice in stored}
    return stored + [_built_in(preset, status.info) for preset in status.info.presets if speaker_key(preset) not in taken]


def _speakable(studio: Studio, engine: str) -> list[Speaker]:
    speakers = [speaker for speaker in studio.speakers() if studio.shadow_of(speaker) is None]
    found = zip(speakers, studio.matrix.statuses(speakers), strict=True)
    return [speaker for speaker, prompts in found if any(one.engine == engine and one.state not in HINDERED for one in prompts)]


def _stored(speaker: Speaker, engine: str) -> dict[str, object]:
    language = speaker.transcript.language if speaker.transcript is not None else None
    return _voice(speaker.name, engine, language, built_in=False) | {
        "description": speaker.description,
        "sex": None,
        "created_at": speaker.created_at,
    }


def _built_in(preset: str, info: EngineInfo) -> dict[str, object]:
    of_its_own = {"description": None, "sex": info.preset_sexes.get(preset), "created_at": None}
    return _voice(preset, info.id, info.preset_languages.get(preset), built_in=True) | of_its_own


def _voice(name: str, engine: str, language: str | None, *, built_in: bool) -> dict[str, object]:
    return {"id": name, "object": "audio.voice", "name": name, "model": engine, "language": language, "built_in": built_in}
