"""ApiContext: what all routes of this door share. A route asks for it as a parameter of type DeskOf.

Its threads are the bridge from the studio's blocking verbs to the event loop. Whatever was opened is closed, also when the client hangs up
while the thread is still inside the verb.
"""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Annotated, Protocol, TypeVar

from fastapi import Depends
from starlette.requests import HTTPConnection
from starlette.types import Receive

from studio.api.door.ended_tasks import all_ended
from studio.api.door.meters import Meters
from studio.service import Studio
from studio.web.access import workspace_of
from studio.workspace import EVERYBODY

__all__ = ["ApiContext", "DeskOf", "Threads", "close_result", "unless_hung_up"]

MOST_THREADS = 256  # requests inside an extraction or a load at one time; anyio's 40 would make the 41st wait for nothing


class Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T")
C = TypeVar("C", bound=Closable)


class Threads:
    """The threads on which the studio's verbs run. One object per app; usable from any event loop."""

    def __init__(self, most_threads: int = MOST_THREADS):
        self._executor = ThreadPoolExecutor(most_threads, thread_name_prefix="api")

    def submit(self, verb: Callable[[], T]) -> "Future[T]":
        """Begin a verb."""
        return self._executor.submit(verb)

    async def run(self, verb: Callable[[], T]) -> T:
        """The result of a verb. A caller who is cancelled leaves the verb to end by itself."""
        return await asyncio.wrap_future(self.submit(verb))

    async def open(self, verb: Callable[[], C]) -> C:
        """Like `run`, for a verb whose result must be closed: when the caller is cancelled meanwhile, the result is closed on arrival."""
        future = self.submit(verb)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            close_result(future)
            raise


def close_result(future: "Future[Closable]") -> None:
    """Close what a verb gives, now or on arrival; one that still waits for a thread is not begun."""
    future.cancel()
    future.add_done_callback(lambda done: done.cancelled() or done.exception() or done.result().close())


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

    @classmethod
    def of(cls, studio: Studio) -> "ApiContext":
        return cls(studio, Threads(), Meters(studio), int(time.time()))


async def _desk_of(connection: HTTPConnection) -> ApiContext:
    """With the studio as whoever asks sees it. A coroutine: FastAPI calls plain functions on a thread, and a first chunk would wait."""
    context = connection.app.state.context
    workspace = workspace_of(connection.scope)
    return context if workspace == EVERYBODY else replace(context, studio=context.studio.within(workspace))


DeskOf = Annotated[ApiContext, Depends(_desk_of)]
