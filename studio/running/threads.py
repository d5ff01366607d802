"""Threads: the bridge from the studio's blocking verbs to an event loop.

Whatever was opened is closed, also when the client hangs up while the thread is still inside the verb.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Protocol, TypeVar

__all__ = ["Threads", "close_result"]

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
        """Begin a verb, in the context of who calls: whose GPU time it is, where that is lent, stands there."""
        return self._executor.submit(copy_context().run, verb)

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


def close_result(future: "Future[C]") -> None:
    """Close what a verb gives, now or on arrival; one that still waits for a thread is not begun."""
    future.cancel()
    future.add_done_callback(lambda done: done.cancelled() or done.exception() or done.result().close())
