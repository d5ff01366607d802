"""EvaluatingStudio: what evaluations need of the studio that speaks for them."""

from contextlib import AbstractContextManager
from typing import Protocol, Unpack

from engines.contract.contract import EngineInfo
from studio.analysis.estimators import Estimators
from studio.analysis.transcriber import Transcriber
from studio.prompts.prompts import HowToWarm, WarmResult
from studio.running.delivery import Delivery
from studio.running.lifecycle import EngineStatus
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speakers.workspace_speakers import WorkspaceSpeakers
from studio.speech.body import SpeechBody
from studio.speech.speech import Speech
from studio.timeline import Timeline

__all__ = ["EvaluatingStudio"]


class EvaluatingStudio(Protocol):
    """studio.service.Studio, as one workspace sees it."""

    workspace: str
    settings: Settings
    transcriber: Transcriber
    estimators: Estimators
    workspace_speakers: WorkspaceSpeakers

    def within(self, workspace: str) -> "EvaluatingStudio": ...

    def check_owner(self, of: str = "") -> None: ...

    def say(self, body: SpeechBody, timeline: Timeline, *, delivery: Delivery = Delivery()) -> Speech: ...

    def speaker(self, name: str) -> Speaker: ...

    def forget(self, name: str) -> Speaker: ...

    def warm(self, name: str, engine: str | None = None, **how: Unpack[HowToWarm]) -> WarmResult: ...

    def unrefined(self) -> AbstractContextManager[None]: ...

    def engines(self) -> tuple[EngineStatus, ...]: ...

    def engine_info(self, engine: str | None = None) -> EngineInfo: ...

    def engine_id(self, engine: str | None = None) -> str: ...

    def load(self, engine: str | None = None) -> EngineStatus: ...

    def unload(self, engine: str) -> EngineStatus: ...
