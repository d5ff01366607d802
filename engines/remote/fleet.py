"""ServerFleet: says which server speaks for whom, and which servers are left alone for a while."""

import asyncio
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from engines.contract.health import WELL, EngineHealth
from engines.remote.member import FleetMember, Unanswered

__all__ = ["Pauses", "ServerFleet"]

MOST_AHEAD, TIMES_AHEAD = 4, 2  # speeches: so many more, and so many times as many, and the second server is asked first

log = logging.getLogger("engines.remote")


@dataclass(frozen=True)
class Pauses:
    """Between tries at a server that does not answer: each is twice as long as the one before."""

    first_seconds: float = 1.0
    most_seconds: float = 60.0

    def nth(self, n: int) -> float:
        """n: 1 or more."""
        return min(self.most_seconds, self.first_seconds * 2 ** min(n - 1, 30))

    def after(self, seconds: float) -> float:
        return min(self.most_seconds, 2 * seconds)


class ServerFleet:
    """Lives on the loop of its members; `health` may be asked by any thread. notes: what a person should know besides.

    check(member): whether a server is still what it was taken for; raises Unanswered, with an error where nothing may be asked of it.
    """

    def __init__(self, members: Sequence[FleetMember], check: Callable[[FleetMember], Awaitable[None]], pauses: Pauses):
        self.members = tuple(members)
        self.notes: list[str] = []
        self.on_return: Callable[[FleetMember], None] = lambda member: None
        self._check = check
        self._pauses = pauses
        self._probes: set[asyncio.Task[None]] = set()

    def order(self, key: str) -> list[FleetMember]:
        """All of them, in the order in which they are asked: by rendezvous (Thaler and Ravishankar 1998), so that a speaker stays with a
        server while the fleet changes. Those that do not answer come last; the second comes first where it has much less to do.
        """
        ranked = sorted(self.members, key=lambda member: (member.is_open, _rank(member.address, key)))
        if len(ranked) > 1 and not ranked[1].is_open:
            first, second = (member.in_flight for member in ranked[:2])
            if first - second >= MOST_AHEAD and first >= TIMES_AHEAD * second:
                ranked[:2] = ranked[1::-1]
        return ranked

    def failed(self, member: FleetMember, reason: str, *, at_once: bool = False) -> None:
        """Count a failure; several in a row, or one that counts `at_once`, and the server is asked in the background until it answers."""
        log.warning("the speech server %s %s", member.address, reason)
        if member.failed(reason, at_once=at_once):
            probe = asyncio.get_running_loop().create_task(self._until_it_answers(member))
            self._probes.add(probe)
            probe.add_done_callback(self._probes.discard)

    def health(self) -> EngineHealth:
        away = [member for member in self.members if member.is_open]
        n, n_here = len(self.members), len(self.members) - len(away)
        if not away:
            return EngineHealth("degraded", " ".join(self.notes)) if self.notes else WELL
        reason = f"the last {away[-1].reason}" if n > 1 else away[-1].reason
        if not n_here:
            return EngineHealth("down", f"None of {n} servers answers: {reason}." if n > 1 else f"The server {reason}.")
        return EngineHealth("degraded", " ".join([f"{n_here} of {n} servers {'answers' if n_here == 1 else 'answer'}.", *self.notes]))

    async def admit(self, member: FleetMember) -> None:
        """A server that was left alone may be another by now: before it is asked for speech again, it is looked at. Raises Unanswered."""
        try:
            await self._check(member)
        except Unanswered as failure:
            member.reason = failure.reason
            raise
        member.admitted()

    async def _until_it_answers(self, member: FleetMember) -> None:
        pause = self._pauses.nth(member.n_left_alone)
        while member.is_open:
            await asyncio.sleep(pause)
            pause = self._pauses.after(pause)
            with suppress(Unanswered):
                await self.admit(member)
        log.info("the speech server %s answers again", member.address)
        self.on_return(member)


def _rank(address: str, key: str) -> bytes:
    return hashlib.blake2b(f"{address}\n{key}".encode(), digest_size=8).digest()
