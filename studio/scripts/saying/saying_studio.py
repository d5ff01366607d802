"""SayingStudio: what scripts need of the studio that speaks their lines."""

from typing import Protocol

from engines.contract.contract import EngineInfo
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.reading.lexicon.entry import LexiconEntry
from studio.running.delivery import Delivery
from studio.running.jobs.stop_signal import StopSignal
from studio.running.lifecycle import EngineStatus
from studio.running.pool import DefaultEngine
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speech.body import Inline, SpeechBody
from studio.speech.editing.edit_request import EditRequest
from studio.speech.editing.edited_sound import EditedSound
from studio.speech.speech import Speech
from studio.speech.utterance import Readings
from studio.speech.voice_of import Fields
from studio.timeline import Timeline

__all__ = ["SayingStudio"]


class SayingStudio(Protocol):
    """studio.service.Studio, as one workspace sees it."""

    workspace: str
    settings: Settings
    default: DefaultEngine
    transcriber: Transcriber
    estimators: Estimators

    @property
    def readings(self) -> Readings: ...

    def say(
        self, body: SpeechBody, timeline: Timeline, *, dictionary: tuple[LexiconEntry, ...] = (), delivery: Delivery = Delivery()
    ) -> Speech: ...

    def as_meant(self, fields: Fields) -> Fields: ...

    def speaker(self, name: str) -> Speaker: ...

    def engines(self) -> tuple[EngineStatus, ...]: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...

    def edit(self, request: EditRequest, timeline: Timeline | None = None, *, stop: StopSignal | None = None) -> EditedSound: ...

    def editor(self, engine: str | None = None, speaker: str | None = None, inline: Inline = "recording") -> EngineInfo: ...

    def engine_id(self, engine: str | None = None) -> str: ...
