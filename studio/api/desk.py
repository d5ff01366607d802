"""Desk: what every route of this door works with. A route asks for it as a parameter of type DeskOf."""

import time
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from studio.api.listening import Threads
from studio.api.meters import Meters
from studio.service import Studio

__all__ = ["Desk", "DeskOf"]


@dataclass(frozen=True)
class Desk:
    """One per app, in its `state.desk`. created: whole seconds since 1970 when the app was made."""

    studio: Studio
    threads: Threads
    meters: Meters
    created: int

    @classmethod
    def of(cls, studio: Studio) -> "Desk":
        return cls(studio, Threads(), Meters(studio), int(time.time()))


async def _desk_of(connection: HTTPConnection) -> Desk:
    """A coroutine, since FastAPI calls plain functions on a thread, for which a first chunk would wait."""
    return connection.app.state.desk


DeskOf = Annotated[Desk, Depends(_desk_of)]
