"""StopSignal: tells whoever says something to stop, also while it waits for an engine."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

from studio.errors import StudioError

__all__ = ["StopSignal"]


class _Closable(Protocol):
    def close(self) -> None: ...


Closable = TypeVar("Closable", bound=_Closable)
Made = TypeVar("Made")


class StopSignal:
    """Thread-safe; it is given once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given = threading.Event()
        self._closed_by_it: list[_Closable] = []

    def is_given(self) -> bool:
        return self._given.is_set()

    def give(self) -> None:
        """What is under way is closed at once."""
        with self._lock:
            self._given.set()
            closing = tuple(self._closed_by_it)
        for one in closing:
            one.close()

    def wait(self, seconds: float) -> bool:
        """Whether it is given by then."""
        return self._given.wait(seconds)

    def patiently(self, attempt: Callable[[], Made]) -> Made | None:
        """What comes of the attempt, which is made again where an engine that others keep busy asks for it; None where this was given."""
        while not self.is_given():
            try:
                return attempt()
            except StudioError as error:
                if self.is_given():
                    return None
                if error.retry_after_seconds is None:
                    raise
                self.wait(error.retry_after_seconds)
        return None

    @contextmanager
    def closing(self, one: Closable) -> Iterator[Closable]:
        """Within the block it is closed where the signal is given; behind it in any case."""
        with self._lock:
            self._closed_by_it.append(one)
        try:
            if self._given.is_set():
                one.close()
            yield one
        finally:
            with self._lock:
                self._closed_by_it.remove(one)
            one.close()
