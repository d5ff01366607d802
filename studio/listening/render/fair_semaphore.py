"""FairSemaphore: lets one in at a time, first the one that has waited longest. One that is stopped no longer waits."""

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["FairSemaphore"]

_PATIENCE_SECONDS = 0.1  # between two looks whether one that waits was stopped


class FairSemaphore:
    """Thread-safe."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waiting: deque[object] = deque()  # whoever is first has the turn

    @contextmanager
    def turn(self, is_stopped: Callable[[], bool]) -> Iterator[bool]:
        """Whether it is one's turn, which ends with the block, or one was stopped before."""
        me = object()
        with self._changed:
            self._waiting.append(me)
            while not (is_mine := self._waiting[0] is me) and not is_stopped():
                self._changed.wait(_PATIENCE_SECONDS)
        try:
            yield is_mine
        finally:
            with self._changed:
                self._waiting.remove(me)
                self._changed.notify_all()
