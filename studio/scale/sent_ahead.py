"""SentAhead: bounds how much unread speech may be on its way to a listener."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

__all__ = ["TOLD_EVERY_SECONDS", "SentAhead"]

TOLD_EVERY_SECONDS = 5.0  # of audio, or of time, whatever is first: how often who takes a speech says how much of it was taken
SILENCE_SECONDS = 3 * TOLD_EVERY_SECONDS
LOOK_AGAIN_SECONDS = 1.0


class SentAhead:
    """Between what a replica sends and what is taken where it is heard. Used on one event loop.

    A replica that is to go is not told any more, since Serve's handles reach it no longer, and finishes its speeches. So where nothing was
    heard for SILENCE_SECONDS, a listener is believed to take a second of audio in a second.
    most_seconds: of audio, sent and not taken. One piece may go beyond it. clock: seconds.
    """

    def __init__(self, most_seconds: float, clock: Callable[[], float] = time.monotonic):
        self.seconds = 0.0  # sent
        self._taken_seconds = 0.0
        self._most_seconds = most_seconds
        self._clock = clock
        self._told = clock()
        self._news = asyncio.Event()

    @property
    def has_room(self) -> bool:
        """Whether something may be sent."""
        believed = max(0.0, self._clock() - self._told - SILENCE_SECONDS)
        return self.seconds - self._taken_seconds - believed < self._most_seconds

    def sent(self, seconds: float) -> None:
        """So much more is on its way."""
        self.seconds += seconds

    def took(self, seconds: float) -> None:
        """So much of it was taken, all together; less than was said before says nothing."""
        self._taken_seconds = max(self._taken_seconds, seconds)
        self._told = self._clock()
        self._news.set()

    async def room(self) -> None:
        """Wait until something may be sent."""
        while not self.has_room:
            self._news.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN_SECONDS):  # `wait_for` of Python 3.11 forgets a hang-up that comes with the news
                    await self._news.wait()
