"""FairSemaphore: lets in as many at a time as it has places, first the one that has waited longest. One that is stopped no longer waits."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["FairSemaphore"]

_PATIENCE_SECONDS = 0.1  # between two looks whether one that waits was stopped


class FairSemaphore:
    """Thread-safe. places: may change while some wait."""

    def __init__(self, places: int = 1) -> None:
        self._changed = threading.Condition()
        self.places = places
        self._waiting: list[object] = []  # the first ones have a turn

    @contextmanager
    def turn(self, is_stopped: Callable[[], bool]) -> Iterator[bool]:
        """Whether it is one's turn, which ends with the block, or one was stopped before."""
        me = object()
        with self._changed:
            self._waiting.append(me)
            while not (is_mine := self._waiting.index(me) < self.places) and not is_stopped():
                self._changed.wait(_PATIENCE_SECONDS)
        try:
            yield is_mine
        finally:
            with self._changed:
                self._waiting.remove(me)
                self._changed.notify_all()
