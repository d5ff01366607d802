"""Shared: what browser tests use one after the other; each thing is opened by whoever needs it first."""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack

__all__ = ["Shared"]


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
