"""SpeakerDesign: a speaker that an engine makes and no person is, after a description or as a blend of its built-in speakers.

What the engine says once is the recording of a new speaker, which every engine that clones learns as any other. As a blend the engine that
made it goes on speaking by the formula itself (`Speaker.blend_with`).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.contract.preset_blend import PresetBlend
from engines.errors import EngineFailed
from studio.errors import DesignUnavailable
from studio.running.lifecycle import EngineStatus
from studio.service import Studio
from studio.speakers.consent import BLENDED, DESIGNED, STATEMENT_VERSION, ConsentRecord
from studio.speakers.enrollment import API_RULE, free_name
from studio.speakers.speaker import Enrollment
from studio.speech.body import SpeechBody, read_body
from studio.timeline import Timeline

__all__ = ["MOST_SCRIPT_CHARACTERS", "SCRIPT", "SpeakerDesign", "recording_of_design"]

SCRIPT = "Hello. This is how I sound when I speak calmly. I can read a story to you, or tell you what the weather will be like tomorrow."
MOST_SCRIPT_CHARACTERS = 400  # half a minute


@dataclass(frozen=True)
class SpeakerDesign:
    """description: who is to speak; or blend: a formula of built-in speakers (PresetBlend). engine: by any of its names, "" for one that
    can.

    script: what the voice says in its recording, "" for SCRIPT. language: of the script, "" where the engine decides. seed: with which it
    was heard, None where it was not: the same one is the same voice.
    """

    name: str
    description: str = ""
    blend: str = ""
    engine: str = ""
    script: str = ""
    language: str = ""
    seed: int | None = None


def recording_of_design(studio: Studio, asked: SpeakerDesign) -> Enrollment:
    """What the engine says, still to be enrolled. Blocks until all of it is said.

    Raises NameInvalid, NameReserved, DesignUnavailable, BlendInvalid, EngineUnknown; what speaking raises; ClipTooShort, ClipTooLong,
    ClipUnusable.
    """
    free_name(asked.name, studio.workspace_speakers.is_reserved)  # before an engine works for it
    info = (_blender if asked.blend else _designer)(studio, asked.engine)
    stated = PresetBlend.of(asked.blend, info).text if asked.blend else asked.description
    script = asked.script or SCRIPT
    clip = _spoken(studio, _body(studio, asked, info, stated, script), info)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    seed = "" if asked.seed is None else str(asked.seed)
    made = {"engine": info.id, "seed": seed}
    record = ConsentRecord(STATEMENT_VERSION, BLENDED if asked.blend else DESIGNED, stated, info.title, now, clip.digest, **made)
    words = Transcript.of(script, asked.language or (None if asked.script else "en"))
    return Enrollment(asked.name, record.text, clip, transcript=words, description=stated, consent_record=record)


def _body(studio: Studio, asked: SpeakerDesign, info: EngineInfo, stated: str, script: str) -> SpeechBody:
    """The request by which a candidate was heard: assets/web/design/candidate.js sends the same."""
    who = {"voice": stated} if asked.blend else {"task_type": "VoiceDesign", "instructions": stated}
    how = {name: value for name, value in (("language", asked.language or None), ("seed", asked.seed)) if value is not None}
    return read_body({"input": script, "model": info.id, "directions": False} | who | how, studio.settings.dialect)


def _spoken(studio: Studio, body: SpeechBody, info: EngineInfo) -> Clip:
    """All of it, as long as a recording has to be."""
    speech = studio.say(body, Timeline())
    clip = Clip(speech.read_all(), speech.sample_rate)
    if speech.end is not None and speech.end.reason != "ended":
        raise EngineFailed(
            hint="Describe it otherwise, or try again.", detail=speech.end.warning or "not all of it was said", engine=info.title
        )
    API_RULE.check(clip)
    return clip


def _designer(studio: Studio, engine: str) -> EngineInfo:
    """The engine that was asked for, or the first that can: the default one, an open one, any."""
    statuses = _those(studio, lambda info: info.designed_preset is not None)
    titles = tuple(status.info.title for status in statuses)
    if engine:
        wanted = studio.engine_id(engine)
        statuses = [status for status in statuses if status.info.id == wanted]
        if not statuses:
            raise DesignUnavailable(titles, (f"{studio.engine_info(wanted).title} speaks in voices that it is given.",))
    if not (able := _able(studio, statuses)):
        raise DesignUnavailable(titles, tuple(f"{status.info.title}: {status.reason} {status.hint}".strip() for status in statuses))
    return able[0].info


def _blender(studio: Studio, engine: str) -> EngineInfo:
    """The same of an engine that blends. Without one it is the default engine, which refuses the formula in its own words."""
    if engine:
        return studio.engine_info(engine)
    able = _able(studio, _those(studio, lambda info: info.blends_presets))
    return able[0].info if able else studio.engine_info()


def _those(studio: Studio, can: Callable[[EngineInfo], bool]) -> list[EngineStatus]:
    return [status for status in studio.engines() if can(status.info)]


def _able(studio: Studio, statuses: list[EngineStatus]) -> list[EngineStatus]:
    """Those that can be opened: the default one first, then open ones."""
    able = [status for status in statuses if not status.is_out_of_order]
    return sorted(able, key=lambda status: (status.info.id != studio.default.id, status.state != "ready"))
