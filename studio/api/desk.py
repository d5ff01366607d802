"""Desk: what every route of this door works with."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from studio.api.listening import Threads
from studio.api.meters import Meters
from studio.service import Studio

__all__ = ["Desk", "DeskOf", "desk_of"]


@dataclass(frozen=True)
class Desk:
    """One per app."""

    studio: Studio
    threads: Threads
    meters: Meters

    @classmethod
    def of(cls, studio: Studio) -> "Desk":
        return cls(studio, Threads(), Meters(studio))


async def desk_of(connection: HTTPConnection) -> Desk:
    """For routes, as a parameter of type DeskOf. A coroutine, since FastAPI calls plain functions on a thread."""
    return connection.app.state.desk


DeskOf = Annotated[Desk, Depends(desk_of)]
