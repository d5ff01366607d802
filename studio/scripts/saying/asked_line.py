"""AskedLine: what a line asks for, with the cast, voices, engines and dictionaries of this moment; and its key.

Who speaks: the member of the cast that the line names. A name that the cast lacks is the narrator's; a script without a narrator has the
engine's default voice for one. No other voice ever stands in: one that is gone is refused when the line is said.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace

from engines.contract.contract import EngineInfo
from engines.contract.options import Value
from engines.errors import EngineError, LanguageUnsupported
from engines.text.language_guess import likeliest_language
from studio.reading.language import asked_code
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon import Lexicon
from studio.scripts.saying.saying_studio import SayingStudio
from studio.scripts.script.cast import NARRATOR, CastMember, cast_member
from studio.scripts.script.line import LineText
from studio.scripts.script.script import Script
from studio.settings import OWN_DIALECT
from studio.speakers.speaker import preset_of, speaker_key
from studio.speech.body import SpeechBody, SpeechFields, read_body
from studio.speech.request import DEFAULT_SPEAKER

__all__ = ["AskedLine", "Casting"]

LEAST_SPEED, MOST_SPEED = 0.25, 4.0  # of SpeechBody
RECORDING = "recording"
_FORM = 1  # of keys: another one makes every take stale


@dataclass(frozen=True)
class AskedLine:
    """engine: its id. generation_id: of a stored voice, "" of a built-in one. said_for: the name of a line whose name the cast lacks, so
    that the narrator says it.
    language: a code or a name, None where nobody says. slot_seconds: of a line from subtitles, None of another. key: SHA-256 of all that
    shapes its sound.
    """

    text: str
    engine: str
    voice: str | None
    language: str | None
    instructions: str | None
    speed: float
    options: Mapping[str, Value]
    slot_seconds: float | None
    key: str
    generation_id: str = ""
    said_for: str = ""

    def body(self, *, seed: int | None = None, pace: float = 1.0, duration_seconds: float | None = None) -> SpeechBody:
        """The request of the line. pace: faster than it asks for. duration_seconds: of the whole, for engines that take one.

        Raises SchemaInvalid.
        """
        fields: dict[str, object] = {
            "input": self.text,
            "model": self.engine,
            "voice": self.voice,
            "language": self.language,
            "instructions": self.instructions,
            "speed": min(max(self.speed * pace, LEAST_SPEED), MOST_SPEED),
            "extra_params": dict(self.options),
            "seed": seed,
            "duration_seconds": duration_seconds,
        }
        return read_body(fields, OWN_DIALECT)


class Casting:
    """What the lines of one script ask for. Made for one look at all of them: each voice is looked for once.

    Raises OSError and LexiconFull where the dictionaries cannot be read.
    """

    def __init__(self, script: Script, studio: SayingStudio):
        self._script, self._studio = script, studio
        self._names = frozenset(member.name for member in script.cast)
        self._lexicon: Lexicon = studio.readings.behind(script.dictionary).entries()
        self._voices: dict[tuple[str | None, str | None], str | None] = {}
        self._sources: dict[tuple[str | None, str], tuple[str, str]] = {}

    @property
    def dictionary(self) -> tuple[LexiconEntry, ...]:
        """The script's own."""
        return self._script.dictionary

    @property
    def state(self) -> object:
        """Other where something beside the script has changed that keys are made of: voices, engines, the workspace's dictionary."""
        default, members = self._studio.default, (*self._script.cast, cast_member((), NARRATOR))
        voices = [self._voice(member) for member in members]
        engines = [member.model or default.id for member in members] + [default.usual]
        infos = [self._info(engine) for engine in engines]
        sources = [self._source(voice, info) for voice in voices for info in infos]
        builds = [(info.id, info.hub_id, info.extractor_revision) for info in infos if info]
        return default.id, self._studio.readings.lexicon.read().entries, tuple(sources), tuple(builds)

    def member(self, who: str) -> CastMember:
        """Who says what that name says."""
        return cast_member(self._script.cast, who)

    def is_cast(self, who: str) -> bool:
        return who == NARRATOR or who in self._names

    def asked(self, written: LineText) -> AskedLine:
        """Raises nothing of its own: what is wrong with voice or engine is told when it is said."""
        member = self.member(written.who)
        language = member.language or self._script.head.language
        voice = self._voice(member)
        engine = self._engine(member, voice, written.text, language)
        instructions = member.instructions if written.instructions is None else written.instructions
        speed = member.speed if written.speed is None else written.speed
        slot = written.slot
        slot_seconds = None if slot is None else round(max(0.0, slot.end - slot.start), 2)
        asked = AskedLine(
            text=written.text,
            engine=engine,
            voice=voice,
            language=language,
            instructions=instructions or None,
            speed=speed,
            options=member.options,
            slot_seconds=slot_seconds,
            key="",
            said_for="" if self.is_cast(written.who) else written.who,
        )
        info = self._info(engine)
        kind, whose = self._source(voice, info)
        return replace(asked, key=self._key(asked, info), generation_id=whose if kind == RECORDING else "")

    def line_key(self, written: LineText) -> str:
        """Of all that shapes the sound of a line. Not of it: gain, pause, place, title."""
        return self.asked(written).key

    # --- what makes a key

    def _key(self, asked: AskedLine, info: EngineInfo | None) -> str:
        build = (info.id, info.hub_id, info.extractor_revision) if info else (asked.engine,)
        told = [_FORM, asked.text, self._source(asked.voice, info), build, (asked.language or "").casefold(), asked.instructions]
        told += [asked.speed, dict(asked.options), asked.slot_seconds, self._words(asked, info)]
        return hashlib.sha256(json.dumps(told, sort_keys=True, default=str).encode("utf-8", "surrogatepass")).hexdigest()

    def _voice(self, member: CastMember) -> str | None:
        """Its name, where the cast has an alias what that stands for."""
        if not (member.voice or "").strip():
            return None
        place = member.voice, member.model
        if place not in self._voices:
            try:
                meant = self._studio.as_meant(SpeechFields.model_validate({"voice": member.voice, "model": member.model})).voice
            except EngineError:
                meant = member.voice
            self._voices[place] = meant
        return self._voices[place]

    def _engine(self, member: CastMember, voice: str | None, text: str, language: str | None) -> str:
        """By id. Of a member that names none it is the default's, by what is said alone: how many listen changes no voice of a script."""
        if not member.model:
            return self._studio.default.meant_by(text, language, voice)
        try:
            return self._studio.engine_id(member.model)
        except EngineError:
            return member.model

    def _info(self, engine: str) -> EngineInfo | None:
        try:
            return self._studio.engine_info(engine)
        except EngineError:
            return None

    def _source(self, voice: str | None, info: EngineInfo | None) -> tuple[str, str]:
        """Whose sound it is, as (kind, which): a recording by its generation, a built-in voice by its name."""
        place = voice, info.id if info else ""
        if place not in self._sources:
            self._sources[place] = self._looked_for(voice, info)
        return self._sources[place]

    def _looked_for(self, voice: str | None, info: EngineInfo | None) -> tuple[str, str]:
        if voice is None or speaker_key(voice) == DEFAULT_SPEAKER:
            return "preset", (info.default_preset if info else None) or ""
        preset = None if info is None else preset_of(voice, info)
        if preset is not None:
            return "preset", preset
        try:
            return RECORDING, self._studio.speaker(voice).generation_id
        except EngineError:
            return "gone", speaker_key(voice)

    def _words(self, asked: AskedLine, info: EngineInfo | None) -> list[tuple[str, str]]:
        """What the dictionaries have said otherwise."""
        if info is None or not len(self._lexicon):
            return []
        try:
            language = asked_code(asked.language, info)
        except LanguageUnsupported:
            language = None
        language = language or likeliest_language(asked.text)
        found = self._lexicon.replacements(asked.text, language, takes_phones=info.takes_phones(language))
        return [(asked.text[start:end], said) for start, end, said in found]
