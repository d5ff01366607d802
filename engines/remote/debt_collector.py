"""DebtCollector: brings owed deletions to servers, in the background, for as long as it takes."""

import asyncio
import logging
from collections.abc import Callable, Collection
from contextlib import suppress

from engines.remote.fleet import Pauses
from engines.remote.member import FleetMember, Unanswered
from engines.remote.registered_speakers import RegisteredSpeakers

__all__ = ["DebtCollector"]

FIRST_TRY_SECONDS = 5.0  # for which whoever deletes waits

log = logging.getLogger("engines.remote")


class DebtCollector:
    """A task for each server that is owed something; it ends when nothing is. Lives on the loop of the members.

    member_at: base address -> the server there, one of the fleet or one that was in it.
    """

    def __init__(self, speakers: RegisteredSpeakers, member_at: Callable[[str], FleetMember], pauses: Pauses):
        self._speakers, self._member_at, self._pauses = speakers, member_at, pauses
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._nudges: dict[str, asyncio.Event] = {}

    def collect(self, address: str) -> None:
        """Something is owed there."""
        if address not in self._tasks:
            self._nudges[address] = asyncio.Event()
            self._tasks[address] = asyncio.get_running_loop().create_task(self._until_settled(address))

    def nudge(self, address: str) -> None:
        """It answers again: try now."""
        if address in self._nudges:
            self._nudges[address].set()

    async def first_tries(self, addresses: Collection[str]) -> None:
        """Try each once, for FIRST_TRY_SECONDS at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FIRST_TRY_SECONDS):
                await asyncio.gather(*(self._try(self._member_at(address)) for address in addresses))

    async def _until_settled(self, address: str) -> None:
        pause, member, nudge = self._pauses.first_seconds, self._member_at(address), self._nudges[address]
        try:
            while self._speakers.owes(address):
                nudge.clear()
                await self._try(member)
                if self._speakers.owes(address):
                    await _wait(nudge, pause)
                    pause = self._pauses.after(pause)
        finally:
            del self._tasks[address], self._nudges[address]

    async def _try(self, member: FleetMember) -> None:
        try:
            await self._speakers.settle(member)
        except Unanswered as failure:
            log.info("a deletion is still owed to the speech server %s, which %s", member.address, failure.reason)
        except OSError:
            log.exception("what is owed to the speech server %s cannot be written down", member.address)


async def _wait(event: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()
