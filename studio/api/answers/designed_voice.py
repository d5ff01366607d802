"""A voice by description: what an engine that designs voices says becomes the recording of a new speaker.

So it is the same voice each time, by whatever engine.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Self

from engines.clips.clip import Clip, Transcript
from engines.contract.contract import EngineInfo
from engines.errors import EngineFailed
from studio.errors import DesignUnavailable
from studio.service import Studio
from studio.speakers.consent import DESIGNED, STATEMENT_VERSION, ConsentRecord
from studio.speakers.enrollment import API_RULE, free_name
from studio.speakers.speaker import Enrollment, Speaker
from studio.speech.body import read_body
from studio.speech.schema_errors import schema_error
from studio.timeline import Timeline

__all__ = ["DesignBody", "design_voice"]

ANY_MODEL = re.compile(r"(?:auto|\d{4}-\d{2}-\d{2})?")  # OpenAI's, of which a studio has none
SCRIPT = "Hello. This is how I sound when I speak calmly. I can read a story to you, or tell you what the weather will be like tomorrow."
BLANK = {"type": "string_too_short", "msg": "Value must not be blank"}
MISSING = {"type": "missing", "msg": "Field required"}
MOST_SCRIPT_CHARACTERS = 400  # half a minute


@dataclass(frozen=True)
class DesignBody:
    """What OpenAI's clients send to create a voice with `type="prompt"`. script_hint: what the voice says in its recording."""

    name: str
    prompt: str
    model: str = ""
    script_hint: str = ""

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> Self:
        """Raises SchemaInvalid."""
        texts = {name: fields.get(name) for name in ("name", "prompt", "model", "script_hint")}
        wrong = [_wrong(name, MISSING, dict(fields)) for name in ("name", "prompt") if texts[name] is None]
        kind = {"type": "string_type", "msg": "Input should be a valid string"}
        wrong += [_wrong(name, kind, text) for name, text in texts.items() if not isinstance(text, str | None)]
        blank = [name for name in ("name", "prompt", "script_hint") if isinstance(texts[name], str) and not texts[name].strip()]
        wrong += [_wrong(name, BLANK, texts[name]) for name in blank]
        if len(str(texts["script_hint"] or "")) > MOST_SCRIPT_CHARACTERS:
            long = {"type": "string_too_long", "msg": f"String should have at most {MOST_SCRIPT_CHARACTERS} characters"}
            wrong.append(_wrong("script_hint", long, texts["script_hint"]))
        if wrong:
            raise schema_error(wrong)
        return cls(**{name: (text or "").strip() for name, text in texts.items()})


def design_voice(studio: Studio, asked: DesignBody) -> Speaker:
    """Have the description spoken, and keep that as a speaker's recording. Blocks until all of it is said.

    Raises DesignUnavailable, EngineUnknown; what speaking and enrolling raise.
    """
    free_name(asked.name, studio.workspace_speakers.is_reserved)  # before an engine works for it
    info = _designer(studio, asked.model)
    script = asked.script_hint or SCRIPT
    fields = {"input": script, "model": info.id, "task_type": "VoiceDesign", "instructions": asked.prompt, "directions": False}
    speech = studio.say(read_body(fields, strict=studio.settings.strict_compat), Timeline())
    clip = Clip(speech.read_all(), speech.sample_rate)
    if speech.end is not None and speech.end.reason != "ended":
        raise EngineFailed(speech.end.warning or "Not all of it was said.", "Describe it otherwise, or try again.", engine=info.title)
    API_RULE.check(clip)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    record = ConsentRecord(STATEMENT_VERSION, DESIGNED, asked.prompt, info.title, now, clip.digest)
    words = Transcript.of(script, None if asked.script_hint else "en")
    return studio.enroll(Enrollment(asked.name, record.text, clip, transcript=words, description=asked.prompt, consent_record=record))


def _designer(studio: Studio, model: str) -> EngineInfo:
    """The engine that was asked for, or the first that can: the default one, an open one, any."""
    statuses = [status for status in studio.engines() if status.info.designed_preset is not None]
    titles = tuple(status.info.title for status in statuses)
    if not ANY_MODEL.fullmatch(model):
        wanted = studio.engine_id(model)
        statuses = [status for status in statuses if status.info.id == wanted]
        if not statuses:
            raise DesignUnavailable(titles, (f"{studio.engine_info(wanted).title} speaks in voices that it is given.",))
    able = [status for status in statuses if not status.is_out_of_order]
    if not able:
        raise DesignUnavailable(titles, tuple(f"{status.info.title}: {status.reason} {status.hint}".strip() for status in statuses))
    return min(able, key=lambda status: (status.info.id != studio.default.id, status.state != "ready")).info


def _wrong(name: str, how: Mapping[str, object], given: object) -> dict[str, object]:
    return {**how, "loc": ("body", name), "input": given}
