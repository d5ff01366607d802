"""Desk: what every room of this door works with."""

from dataclasses import dataclass

from studio.api.listening import Threads
from studio.api.meters import Meters
from studio.api.reference.remote_audio import RemoteAudio
from studio.api.request_log import RequestLog
from studio.service import Studio

__all__ = ["Desk"]


@dataclass(frozen=True)
class Desk:
    """One per app."""

    studio: Studio
    threads: Threads
    meters: Meters
    journal: RequestLog
    remote_audio: RemoteAudio

    @classmethod
    def of(cls, studio: Studio, remote_audio: RemoteAudio | None = None) -> "Desk":
        meters = Meters(studio)
        return cls(studio, Threads(), meters, RequestLog(meters), remote_audio or RemoteAudio())
