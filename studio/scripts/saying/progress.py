"""SayingProgress: how far the saying of a script is. ProgressMeter counts it, by the characters that were said and wait."""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from engines.errors import EngineError

__all__ = ["NOT_BEGUN", "ProgressMeter", "SayingProgress"]


@dataclass(frozen=True)
class SayingProgress:
    """n_done, n_total: lines, of those that were asked for since it last had nothing to say. seconds_left: None before anything was said.

    line_id: of the line that is being said, the first of several; None for none. failure: why it ended where it did not end well.
    """

    is_running: bool = False
    n_done: int = 0
    n_total: int = 0
    seconds_left: float | None = None
    line_id: str | None = None
    failure: EngineError | None = None


NOT_BEGUN = SayingProgress()


class ProgressMeter:
    """Thread-safe. clock: seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, threading.Lock()
        self._began: float | None = None
        self._n_done = self._done_characters = 0
        self._waiting: dict[str, int] = {}
        self._under_way: list[str] = []

    def told(self, waiting: Mapping[str, int]) -> None:
        """What waits by now. waiting: line -> characters of all takes that are to be said of it."""
        with self._lock:
            self._began = self._clock() if self._began is None else self._began
            self._waiting = dict(waiting)

    def begin(self, line_id: str) -> None:
        with self._lock:
            self._under_way.append(line_id)

    def leave(self, line_id: str) -> None:
        """It is no longer said, whether it is done or not."""
        with self._lock:
            self._under_way.remove(line_id)

    def said(self, n_characters: int) -> None:
        """One take."""
        with self._lock:
            self._done_characters += n_characters

    def done(self, line_id: str) -> None:
        """A line waits no longer."""
        with self._lock:
            self._n_done += 1
            self._waiting.pop(line_id, None)

    def lines(self) -> frozenset[str]:
        """That are being said."""
        with self._lock:
            return frozenset(self._under_way)

    def progress(self, *, is_running: bool = True, failure: EngineError | None = None) -> SayingProgress:
        with self._lock:
            left: float | None = None
            if is_running and self._began is not None and self._done_characters:
                left = (self._clock() - self._began) / self._done_characters * sum(self._waiting.values())
            now = self._under_way[0] if self._under_way and is_running else None
            return SayingProgress(is_running, self._n_done, self._n_done + len(self._waiting), left, now, failure)
