"""Pace: how often one address may do what nobody should do in a loop: begin a listening test, or try the codes of listeners.

The rule of beginning. A class behind one address begins at once: MOST_AT_ONCE, and then one more each RECOVERY_SECONDS. Who begins and
answers nothing is forgotten after two hours where a test is full (studio/listening/vote/sessions.py), and in that time an address begins
1,020 times at most, of the 3,000 who may have begun a test: no loop keeps others out. One that answers as well takes no more than
MOST_OF_A_TEST of the places of one test, for as long as the studio runs and remembers the address. A plan's quota counts who finished.
"""

import math
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from studio.listening.vote.sessions import MOST_SESSIONS

__all__ = ["MOST_ADDRESSES", "MOST_AT_ONCE", "MOST_OF_A_TEST", "MOST_TRIES", "RECOVERY_SECONDS", "Pace", "SessionPace", "TooOften"]

K = TypeVar("K")
V = TypeVar("V")

MOST_AT_ONCE = 300  # a class, or a lecture, behind one address that opens the link together
MOST_OF_A_TEST = MOST_SESSIONS // 2  # by one address
MOST_TRIES = 30  # of codes, by one address
RECOVERY_SECONDS = 10.0  # after which one time is forgotten
MOST_ADDRESSES = 4096  # remembered; those that were quiet the longest are forgotten


class TooOften(Exception):
    """That address may try again in `seconds`."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = math.ceil(seconds)


class Pace:
    """most: at once, of one address. clock: seconds, monotonic."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic):
        self._most = most
        self._clock = clock
        self._taken: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> how many are remembered, and when that was so

    def take(self, address: str) -> None:
        """Count one. Raises TooOften, and then it does not count."""
        now = self._clock()
        n, since = self._taken.get(address, (0.0, now))
        n = max(0.0, n - (now - since) / RECOVERY_SECONDS)
        if n > self._most - 1:
            raise TooOften((n - self._most + 1) * RECOVERY_SECONDS)
        self._taken[address] = n + 1, now
        _forget_oldest(self._taken, address)


class SessionPace:
    """Of beginning. clock: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._pace = Pace(MOST_AT_ONCE, clock)
        self._begun: OrderedDict[tuple[str, str], int] = OrderedDict()  # (address, test) -> how often

    def take(self, address: str, test: str) -> None:
        """Count one. Raises TooOften, and then it does not count."""
        n = self._begun.get((address, test), 0)
        if n >= MOST_OF_A_TEST:
            raise TooOften(60 * RECOVERY_SECONDS)
        self._pace.take(address)
        self._begun[address, test] = n + 1
        _forget_oldest(self._begun, (address, test))


def _forget_oldest(known: OrderedDict[K, V], newest: K) -> None:
    known.move_to_end(newest)
    while len(known) > MOST_ADDRESSES:
        known.popitem(last=False)
