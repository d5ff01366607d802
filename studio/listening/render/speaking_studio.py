"""SpeakingStudio: what a listening test needs from the studio that speaks its sentences."""

from typing import Protocol

from studio.listening.pairs.pairs import PairStudio
from studio.settings import Settings
from studio.speakers.speaker import Speaker
from studio.speech.body import SpeechBody
from studio.speech.speech import Speech
from studio.timeline import Timeline

__all__ = ["SpeakingStudio"]


class SpeakingStudio(PairStudio, Protocol):
    """studio.service.Studio, as one workspace sees it."""

    settings: Settings

    def say(self, body: SpeechBody, timeline: Timeline, **how: object) -> Speech: ...

    def speaker(self, name: str) -> Speaker: ...

    def evict(self, name: str, engine: str | None = None) -> Speaker: ...

    def engines(self) -> tuple: ...
