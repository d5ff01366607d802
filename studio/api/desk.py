"""Desk: what every route of this door works with. A route asks for it as a parameter of type DeskOf."""

import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from studio.api.listening import Threads
from studio.api.meters import Meters
from studio.api.reference.remote_audio import RemoteAudio
from studio.api.request_log import RequestLog
from studio.service import Studio

__all__ = ["Desk", "DeskOf"]


@dataclass(frozen=True)
class Desk:
    """One per app, in its `state.desk`. created: whole seconds since 1970 when the app was made."""

    studio: Studio
    threads: Threads
    meters: Meters
    journal: RequestLog
    remote_audio: RemoteAudio
    created: int

    @classmethod
    def of(cls, studio: Studio, remote_audio: RemoteAudio | None = None) -> "Desk":
        meters = Meters(studio)
        return cls(studio, Threads(), meters, RequestLog(meters), remote_audio or RemoteAudio(), int(time.time()))


def _desk_of(connection: HTTPConnection) -> Desk:
    return connection.app.state.desk


DeskOf = Annotated[Desk, Depends(_desk_of)]
