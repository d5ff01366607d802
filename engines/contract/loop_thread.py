"""LoopThread: the event loop for the connections of an engine that runs elsewhere. Plain code waits here for what arrives there."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Coroutine, Generator
from contextlib import aclosing
from queue import Empty, SimpleQueue
from typing import TypeVar

__all__ = ["LoopThread"]

T = TypeVar("T")

POLL_SECONDS = 0.05  # how long a listener who hung up is not noticed


class LoopThread:
    """Made and used by any thread; `close` ends what is under way."""

    def __init__(self, name: str):
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def result(self, work: Coroutine[object, object, T], timeout: float | None = None) -> T:
        """What the coroutine returns or raises, waiting for it. Raises TimeoutError after `timeout` seconds, and cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result(timeout)
        except TimeoutError:
            future.cancel()
            raise

    def pieces(self, source: Callable[[], AsyncGenerator[T, None]], *, most_ahead: int = 8) -> Generator[T | None, None, None]:
        """What the source yields, piece by piece, and None every POLL_SECONDS while nothing comes. Raises what it raises.

        Nothing begins before the first `next`. most_ahead: pieces that are held for a reader who is slower than the source; then the
        source rests. Closing this closes the source, on the loop, without waiting for it.
        """
        arrived: SimpleQueue[tuple[tuple[T, ...], BaseException | None]] = SimpleQueue()
        room = asyncio.Semaphore(most_ahead)

        async def pump() -> None:
            try:
                async with aclosing(source()) as opened:
                    async for piece in opened:
                        await room.acquire()
                        arrived.put(((piece,), None))
                arrived.put(((), None))
            except BaseException as error:
                arrived.put(((), error))
                if not isinstance(error, Exception):
                    raise

        task = asyncio.run_coroutine_threadsafe(pump(), self.loop)
        try:
            while True:
                try:
                    pieces, error = arrived.get(timeout=POLL_SECONDS)
                except Empty:
                    yield None
                    continue
                if error is not None:
                    raise error
                if not pieces:
                    return
                self.loop.call_soon_threadsafe(room.release)
                yield from pieces
        finally:
            task.cancel()

    def close(self) -> None:
        """Cancel everything on the loop, wait until it is over, end the thread. Idempotent."""
        if self.loop.is_closed():
            return
        asyncio.run_coroutine_threadsafe(_cancel_all(), self.loop).result()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_all() -> None:
    others = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)
