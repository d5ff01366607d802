"""Turns: a lock for long work that is done in steps. Whoever has had the least of it goes next, so that short work never waits for long."""

import heapq
import threading
import time
from itertools import count
from types import TracebackType

__all__ = ["FairLock", "Turn"]


class FairLock:
    """One holder at a time; of those who wait, the one that has held it for the shortest time so far, the longest waiting of equals.

    clock: seconds that only rise.
    """

    def __init__(self, clock=time.perf_counter):
        self.clock = clock
        self._guard = threading.Lock()
        self._waiting: list[tuple[float, int, threading.Event]] = []
        self._numbers = count()
        self._is_held = False

    def locked(self) -> bool:
        return self._is_held

    def acquire(self, held_seconds: float = 0.0) -> None:
        """held_seconds: for which the caller has held it before, for the same work."""
        with self._guard:
            if not self._is_held:
                self._is_held = True
                return
            handed_over = threading.Event()
            heapq.heappush(self._waiting, (held_seconds, next(self._numbers), handed_over))
        handed_over.wait()

    def release(self) -> None:
        with self._guard:
            if self._waiting:
                heapq.heappop(self._waiting)[2].set()  # it stays held, by another
            else:
                self._is_held = False


class Turn:
    """The lock for the time of a `with`, left and taken between its steps. No lock: nobody waits for anybody."""

    def __init__(self, lock: FairLock | None):
        self._lock = lock
        self._held_seconds = self._taken_at = 0.0

    def take(self) -> None:
        if self._lock:
            self._lock.acquire(self._held_seconds)
            self._taken_at = self._lock.clock()

    def leave(self) -> None:
        if self._lock:
            self._held_seconds += self._lock.clock() - self._taken_at
            self._lock.release()

    def __enter__(self) -> "Turn":
        self.take()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None) -> None:
        self.leave()
