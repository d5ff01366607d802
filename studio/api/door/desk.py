"""Desk: what every route of this door works with. A route asks for it as a parameter of type DeskOf."""

import time
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection

from studio.api.door.meters import Meters
from studio.api.door.threads import Threads
from studio.service import Studio
from studio.web.access import workspace_of
from studio.workspace import EVERYBODY

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
    """With the studio as whoever asks sees it. A coroutine: FastAPI calls plain functions on a thread, and a first chunk would wait."""
    desk = connection.app.state.desk
    workspace = workspace_of(connection.scope)
    return desk if workspace == EVERYBODY else replace(desk, studio=desk.studio.within(workspace))


DeskOf = Annotated[Desk, Depends(_desk_of)]
