"""EngineTurns: whose line an engine says next, of all scripts of this process: in turn, and as many at once as one step of it serves."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from studio.running.jobs.fair_semaphore import FairSemaphore
from studio.scripts.saying.saying_studio import SayingStudio

__all__ = ["EngineTurns", "width_of"]

MOST_WIDTH = 16  # lines of one script at once: each has a thread, and a Stop drops what all of them have made


class EngineTurns:
    """Thread-safe. Listeners come before all of them: lines are told to the engine as what nobody hears yet (Delivery.whole)."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._turns: dict[str, FairSemaphore] = {}

    @contextmanager
    def turn(self, engine: str, width: int, is_stopped: Callable[[], bool]) -> Iterator[bool]:
        """Whether it is one's turn, see FairSemaphore. width: see width_of."""
        with self._lock:
            turns = self._turns.setdefault(engine, FairSemaphore())
            turns.places = width
        with turns.turn(is_stopped) as is_mine:
            yield is_mine


def width_of(studio: SayingStudio, engine: str) -> int:
    """How many lines that engine says at once as fast as one; 1 while it is not open."""
    return min(MOST_WIDTH, next((max(1, status.width) for status in studio.engines() if status.info.id == engine), 1))
