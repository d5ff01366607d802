"""Desk: what every room of this door works with."""

from dataclasses import dataclass

from studio.api.journal import Journal
from studio.api.listening import Threads
from studio.api.meters import Meters
from studio.api.remote_audio import RemoteAudio
from studio.service import Studio

__all__ = ["Desk"]


@dataclass(frozen=True)
class Desk:
    """One per app."""

    studio: Studio
    threads: Threads
    meters: Meters
    journal: Journal
    remote_audio: RemoteAudio

    @classmethod
    def of(cls, studio: Studio, remote_audio: RemoteAudio | None = None) -> "Desk":
        meters = Meters(studio)
        return cls(studio, Threads(), meters, Journal(meters), remote_audio or RemoteAudio())
