"""ApiContext: what all routes of this door share. A route asks for it as a parameter of type DeskOf."""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.types import Receive

from studio.api.door.meters import Meters
from studio.cast_tests import CastTests
from studio.running.ended_tasks import all_ended
from studio.running.threads import Threads
from studio.service import Studio
from studio.web.access import is_owner, workspace_of

__all__ = ["ApiContext", "DeskOf", "unless_hung_up"]


async def unless_hung_up(receive: Receive, work: Coroutine[None, None, None]) -> bool:
    """Do the work; cancel it when the client disconnects. Returns whether the client stayed to the end. Raises what the work raises."""
    working = asyncio.ensure_future(work)
    hanging_up = asyncio.ensure_future(_hung_up(receive))
    try:
        await asyncio.wait((working, hanging_up), return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
            return True
        return False
    finally:
        hanging_up.cancel()
        working.cancel()  # does nothing to work that is done
        await all_ended(working, hanging_up)


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@dataclass(frozen=True)
class ApiContext:
    """One per app, in its `state.context`. created: whole seconds since 1970 when the app was made."""

    studio: Studio
    threads: Threads
    meters: Meters
    created: int
    cast_tests: CastTests

    @classmethod
    def of(cls, studio: Studio) -> "ApiContext":
        return cls(studio, Threads(), Meters(studio), int(time.time()), CastTests())


async def _desk_of(connection: HTTPConnection) -> ApiContext:
    """With the studio as whoever asks sees it. A coroutine: FastAPI calls plain functions on a thread, and a first chunk would wait."""
    context, scope = connection.app.state.context, connection.scope
    studio = context.studio.within(workspace_of(scope), is_owner=is_owner(scope))
    return context if studio is context.studio else replace(context, studio=studio)


DeskOf = Annotated[ApiContext, Depends(_desk_of)]
