"""Listening: the bridge from the studio's blocking verbs and engine threads to the event loop.

Opening a speech may take as long as an extraction and runs on a thread of our own; its chunks then come without any thread per stream.
Whatever was opened is closed, also when the client hangs up while the thread is still inside the verb.
"""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Protocol, TypeVar

import numpy as np
from starlette.types import Receive

from studio.speech.speech import Speech

__all__ = ["Listener", "Threads", "unless_hung_up"]

MOST_THREADS = 256  # requests inside an extraction or a load at one time; anyio's 40 would make the 41st wait for nothing


class Closable(Protocol):
    def close(self) -> None: ...


T = TypeVar("T")
C = TypeVar("C", bound=Closable)


class Threads:
    """The threads on which the studio's verbs run. One object per app; usable from any event loop."""

    def __init__(self, most_threads: int = MOST_THREADS):
        self._executor = ThreadPoolExecutor(most_threads, thread_name_prefix="api")

    async def run(self, verb: Callable[[], T]) -> T:
        """The result of a verb. A caller who is cancelled leaves the verb to end by itself."""
        return await asyncio.wrap_future(self._executor.submit(verb))

    async def open(self, verb: Callable[[], C]) -> C:
        """Like `run`, for a verb whose result must be closed: when the caller is cancelled meanwhile, the result is closed on arrival."""
        future = self._executor.submit(verb)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            future.add_done_callback(_close_result)
            raise


class Listener:
    """The chunks of one Speech, awaited. One listener per speech."""

    def __init__(self, speech: Speech):
        self._speech = speech
        self._news = asyncio.Event()
        loop = asyncio.get_running_loop()

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed, nobody listens; the engine's thread must not suffer for it
                loop.call_soon_threadsafe(self._news.set)

        speech.notify(wake)

    async def chunk(self) -> np.ndarray | None:
        """The next chunk (T,) float32, or None at the end. Raises what the engine raised. May be cancelled without losing a chunk."""
        while True:
            self._news.clear()  # before the poll: news that comes after it wakes us
            chunk, over = self._speech.poll()
            if chunk is not None:
                return chunk
            if over:
                return None
            await self._news.wait()


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
        await asyncio.gather(working, hanging_up, return_exceptions=True)


async def _hung_up(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


def _close_result(future: "Future[Closable]") -> None:
    if not future.cancelled() and future.exception() is None:
        future.result().close()
