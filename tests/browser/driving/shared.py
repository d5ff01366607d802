"""Shared: what browser tests use one after the other; each thing is opened by whoever needs it first."""

import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager

from playwright.sync_api import Playwright, sync_playwright

__all__ = ["Shared", "driven"]

PATIENCE_SECONDS = 20.0  # for a driver to end by itself


@contextmanager
def driven() -> Iterator[Playwright]:
    """Playwright with its driver, which is killed where it does not end by itself: it was seen to wait for ever."""
    manager = sync_playwright()
    yield manager.__enter__()
    end = ("pkill", "-KILL", "-P", str(os.getpid()), "-f", "run-driver")
    rescue = threading.Timer(PATIENCE_SECONDS, lambda: subprocess.run(end, check=False))
    rescue.start()
    try:
        manager.__exit__()
    finally:
        rescue.cancel()
        rescue.join()


class Shared:
    """Things by name. `close` ends them all, the last first; whoever asks after that opens anew."""

    def __init__(self):
        self._stack = ExitStack()
        self._things: dict[str, object] = {}

    def get(self, name: str, opening: Callable[[], AbstractContextManager]):
        """The thing of that name; `opening` makes it, and ends it later, where there is none yet."""
        if name not in self._things:
            self._things[name] = self._stack.enter_context(opening())
        return self._things[name]

    def close(self) -> None:
        """End everything. Playwright must not outlive the browser tests: while it lives its event loop counts as running."""
        self._things.clear()
        self._stack.close()
