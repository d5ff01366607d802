"""Turns: large recordings are decoded one at a time. Threads that compute in Python share one processor's time: the event loop, which sends
to listeners, would wait for each of them in turn."""

import threading
from contextlib import AbstractContextManager, nullcontext

__all__ = ["turn_of"]

LARGE_BYTES = 1 << 20  # below it the work is over sooner than a turn of somebody else
_TURN = threading.Lock()


def turn_of(n_bytes: int) -> AbstractContextManager:
    """To be held while so many bytes are worked on. Waits. Not to be asked for twice by one thread."""
    return _TURN if n_bytes >= LARGE_BYTES else nullcontext()
