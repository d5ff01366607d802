"""StopFlags: one bit per piece of work, shared with all processes that are forked later. So this process can stop work there."""

import mmap
import threading

__all__ = ["StopFlags"]


class StopFlags:
    """At most `most` at a time. Memory that is shared and not copied by a fork; a byte is written and read whole, so it needs no lock."""

    def __init__(self, most: int = mmap.PAGESIZE):
        self._bytes = mmap.mmap(-1, most)
        self._free = list(range(most))
        self._lock = threading.Lock()

    def take(self) -> int:
        """A flag that is down."""
        with self._lock:
            flag = self._free.pop()
        self._bytes[flag] = 0
        return flag

    def give_back(self, flag: int) -> None:
        """To be called when nobody looks at it any more."""
        with self._lock:
            self._free.append(flag)

    def hoist(self, flag: int) -> None:
        """Say that the work is to be stopped."""
        self._bytes[flag] = 1

    def is_up(self, flag: int) -> bool:
        return self._bytes[flag] == 1
