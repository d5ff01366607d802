"""SentAhead: how much of a speech may be on its way to a listener who has not taken it."""

import asyncio

__all__ = ["TOLD_EVERY_SECONDS", "SentAhead"]

TOLD_EVERY_SECONDS = 5.0  # of audio: how often who takes it says so


class SentAhead:
    """Between what a replica sends and what is taken where it is heard. Used on one event loop.

    most_seconds: of audio, sent and not taken. One piece may go beyond it.
    """

    def __init__(self, most_seconds: float):
        self.seconds = 0.0  # sent
        self._taken_seconds = 0.0
        self._most_seconds = most_seconds
        self._has_room = asyncio.Event()
        self._has_room.set()

    def sent(self, seconds: float) -> None:
        """So much more is on its way."""
        self.seconds += seconds
        self._settle()

    def took(self, seconds: float) -> None:
        """So much of it was taken, all together; less than was said before says nothing."""
        self._taken_seconds = max(self._taken_seconds, seconds)
        self._settle()

    async def room(self) -> None:
        """Wait until something may be sent."""
        await self._has_room.wait()

    def _settle(self) -> None:
        if self.seconds - self._taken_seconds < self._most_seconds:
            self._has_room.set()
        else:
            self._has_room.clear()
