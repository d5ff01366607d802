"""ServedFigures: how long listeners of a replica waited lately."""

import time
from collections import deque
from collections.abc import Callable

import numpy as np

__all__ = ["ServedFigures"]

LATELY_SECONDS = 30.0
MOST_FIGURES = 1000
PERCENTILE = 95


class ServedFigures:
    """clock: seconds. Used by one thread."""

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._heard: deque[tuple[float, float]] = deque(maxlen=MOST_FIGURES)  # when, and what was waited for it

    def heard(self, ttfp_seconds: float) -> None:
        """A listener hears something, after so long."""
        self._heard.append((self._clock(), ttfp_seconds))

    def ttfp_seconds(self) -> float:
        """The 95th percentile of the last 30 s; 0 where nobody began to hear anything in them."""
        since = self._clock() - LATELY_SECONDS
        while self._heard and self._heard[0][0] < since:
            self._heard.popleft()
        waited = [seconds for _, seconds in self._heard]
        return float(np.percentile(waited, PERCENTILE)) if waited else 0.0
