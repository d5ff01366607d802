"""PlayedSounds: what is played of a script, from the thread that makes it to the one that hands it on; it runs ahead by so much alone."""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engines.errors import EngineError

__all__ = ["PlayedSound", "PlayedSounds"]

PATIENCE_SECONDS = 0.25  # between two looks whether it is time to go on


@dataclass(frozen=True, eq=False)
class PlayedSound:
    """A stretch of sound of one line, and of the silence before it. samples: (T,) int16, T may be 0 where only something is told.

    start_seconds: where the line begins, from the first sample that was played. seconds: of the line; None while it is made. ttfp_seconds:
    to its first sound, None of a take that was kept and before it is known. take_id: of the take that is heard, None while it is made.
    failure: why the line is not heard, as errors are told.
    """

    line_id: str
    samples: np.ndarray
    start_seconds: float
    seconds: float | None = None
    ttfp_seconds: float | None = None
    take_id: str | None = None
    failure: dict | None = None


class PlayedSounds:
    """Thread-safe: one thread puts, one takes. most_ahead_seconds: made and not taken yet; and made and not heard yet, by a listener who
    heard the first sound at once and went on without a pause. clock: of time.perf_counter.
    """

    def __init__(self, sample_rate: int, most_ahead_seconds: float, clock: Callable[[], float] = time.perf_counter):
        self.sample_rate = sample_rate
        self.n_samples = 0  # put so far
        self.dry_at: float | None = None  # by the clock: when that listener runs dry
        self._most_ahead_seconds, self._clock = most_ahead_seconds, clock
        self._changed = threading.Condition()
        self._waiting: deque[PlayedSound] = deque()
        self._is_over = False
        self._error: EngineError | None = None

    # --- who makes them

    def put(self, sound: PlayedSound) -> None:
        with self._changed:
            if self._is_over:  # the listener has left
                return
            now = self._clock()
            self.dry_at = max(now, self.dry_at or now) + len(sound.samples) / self.sample_rate
            self.n_samples += len(sound.samples)
            self._waiting.append(sound)
            self._changed.notify_all()

    def is_far_ahead(self) -> bool:
        with self._changed:
            waiting = sum(len(sound.samples) for sound in self._waiting) / self.sample_rate
            heard_in = 0.0 if self.dry_at is None else self.dry_at - self._clock()
            return max(waiting, heard_in) > self._most_ahead_seconds

    def end(self, error: EngineError | None = None) -> None:
        """Nothing comes any more. error: why, where it was not the end of the script."""
        with self._changed:
            self._is_over, self._error = True, self._error or error
            self._changed.notify_all()

    # --- who hands them on

    def wait(self) -> None:
        """For the first, or the end. Raises the error that it ended by before anything was there."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if not self._waiting and self._error is not None:
                raise self._error

    def take(self) -> PlayedSound | None:
        """Waits for the next; None at the end. Raises what it ended by."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            if self._waiting:
                return self._waiting.popleft()
            if self._error is not None:
                raise self._error
            return None

    def drop(self) -> None:
        """Nobody takes what waits."""
        with self._changed:
            self._waiting.clear()
            self._is_over, self._error = True, None
            self._changed.notify_all()
