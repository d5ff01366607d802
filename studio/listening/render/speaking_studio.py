"""SpeakingStudio: what a listening test needs from the studio that speaks its sentences."""

from typing import Protocol

from engines.contract.contract import EngineInfo
from studio.analysis.transcriber import Transcriber
from studio.running.delivery import Delivery
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speech.body import SpeechBody
from studio.speech.history import History
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.workspace import EVERYBODY

__all__ = ["SpeakingStudio"]


class SpeakingStudio(Protocol):
    """studio.service.Studio, as one workspace sees it. history, speakers, check_owner: for blind pairs, see PairStudio.

    transcriber: listens to what was made.
    """

    workspace: str
    settings: Settings
    history: History
    transcriber: Transcriber

    def say(self, body: SpeechBody, timeline: Timeline, *, delivery: Delivery = Delivery()) -> Speech: ...

    def speakers(self) -> tuple[Speaker, ...]: ...

    def check_owner(self, of: str = EVERYBODY) -> None: ...

    def speaker(self, name: str) -> Speaker: ...

    def evict(self, name: str, engine: str | None = None) -> Speaker: ...

    def engines(self) -> tuple: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...
