"""ApiContext: what all routes of this door share. A route asks for it as a parameter of type DeskOf."""

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

__all__ = ["ApiContext", "DeskOf"]


@dataclass(frozen=True)
class ApiContext:
    """One per app, in its `state.context`. created: whole seconds since 1970 when the app was made."""

    studio: Studio
    threads: Threads
    meters: Meters
    created: int

    @classmethod
    def of(cls, studio: Studio) -> "ApiContext":
        return cls(studio, Threads(), Meters(studio), int(time.time()))


async def _desk_of(connection: HTTPConnection) -> ApiContext:
    """With the studio as whoever asks sees it. A coroutine: FastAPI calls plain functions on a thread, and a first chunk would wait."""
    context = connection.app.state.context
    workspace = workspace_of(connection.scope)
    return context if workspace == EVERYBODY else replace(context, studio=context.studio.within(workspace))


DeskOf = Annotated[ApiContext, Depends(_desk_of)]
