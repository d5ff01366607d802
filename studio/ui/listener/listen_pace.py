"""BeginningPace: how often one address may begin a listening test, so that nobody fills the disk with listeners who are none."""

import math
import time
from collections import OrderedDict
from collections.abc import Callable

__all__ = ["BeginningPace", "BegunTooOften"]

MOST_AT_ONCE = 60  # a class behind one address that opens the link together
RECOVERY_SECONDS = 10.0  # after which one beginning is forgotten
MOST_ADDRESSES = 4096  # remembered; those that were quiet the longest are forgotten


class BegunTooOften(Exception):
    """That address may begin again in `seconds`."""

    def __init__(self, seconds: float):
        super().__init__()
        self.seconds = math.ceil(seconds)


class BeginningPace:
    """clock: seconds, monotonic."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._begun: OrderedDict[str, tuple[float, float]] = OrderedDict()  # address -> how many are remembered, and when that was so

    def take(self, address: str) -> None:
        """Count one. Raises BegunTooOften, and then it does not count."""
        now = self._clock()
        n, since = self._begun.get(address, (0.0, now))
        n = max(0.0, n - (now - since) / RECOVERY_SECONDS)
        if n > MOST_AT_ONCE - 1:
            raise BegunTooOften((n - MOST_AT_ONCE + 1) * RECOVERY_SECONDS)
        self._begun[address] = n + 1, now
        self._begun.move_to_end(address)
        while len(self._begun) > MOST_ADDRESSES:
            self._begun.popitem(last=False)
