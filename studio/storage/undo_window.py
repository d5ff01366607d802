"""UndoWindow: what was deleted and can be brought back for a while, after which it is gone for good."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from studio.errors import UndoTooLate

__all__ = ["KEPT_SECONDS", "UndoWindow", "call_later", "too_late"]

KEPT_SECONDS = 30.0  # long enough to read what was deleted and to regret it

Kept = TypeVar("Kept")


def call_later(seconds: float, call: Callable[[], None]) -> Callable[[], None]:
    """Call once, from another thread; returns what calls it off."""
    timer = threading.Timer(seconds, call)
    timer.daemon = True
    timer.start()
    return timer.cancel


def too_late() -> UndoTooLate:
    """What is told whose deletion cannot be undone, or is not theirs."""
    return UndoTooLate(seconds=KEPT_SECONDS)


class UndoWindow(Generic[Kept]):
    """Things by a key, each for KEPT_SECONDS. Thread-safe.

    on_over(thing): told, from any thread, once it can no longer be taken. later(seconds, call) -> cancel: the clock.
    """

    def __init__(self, on_over: Callable[[Kept], None], later: Callable[[float, Callable[[], None]], Callable[[], None]] = call_later):
        self._on_over = on_over
        self._later = later
        self._lock = threading.Lock()
        self._waiting: dict[str, tuple[Kept, Callable[[], None]]] = {}  # each with what calls its end off

    def keep(self, key: str, kept: Kept) -> None:
        """Begin to count."""
        with self._lock:
            self._waiting[key] = kept, self._later(KEPT_SECONDS, lambda: self.end(key))

    def take(self, key: str, is_own: Callable[[Kept], bool] = lambda kept: True) -> Kept:
        """What was kept, whose time no longer runs. Raises UndoTooLate.

        is_own: whether whoever asks may have it. To others it is as if it had never been there, and its time runs on.
        """
        with self._lock:
            is_there = key in self._waiting and is_own(self._waiting[key][0])
            waiting = self._waiting.pop(key) if is_there else None
        if waiting is None:
            raise too_late()
        kept, call_off = waiting
        call_off()
        return kept

    def end(self, key: str) -> None:
        """Now, of what nobody took."""
        with self._lock:
            kept, _ = self._waiting.pop(key, (None, None))
        if kept is not None:
            self._on_over(kept)

    def close(self) -> None:
        """All that is left ends."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for kept, call_off in waiting.values():
            call_off()
            self._on_over(kept)
