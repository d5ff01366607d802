"""TextFeed: a text that comes while it is spoken. Whoever has it adds pieces on one thread; the engine takes them on its own."""

import threading
from collections.abc import Callable

__all__ = ["TextFeed"]


class TextFeed:
    """Pieces add up to the text, blanks included. is_starved: the stream can do nothing before more comes, and need not be advanced."""

    def __init__(self):
        self._lock = threading.Lock()
        self._pieces: list[str] = []
        self._is_over = self._is_wanted = False
        self._notify: Callable[[], None] = lambda: None

    def add(self, text: str) -> None:
        """More of it. What comes behind the end is nobody's."""
        with self._lock:
            if not self._is_over:
                self._pieces.append(text)
        self._notify()

    def end(self) -> None:
        """Nothing more will come. Idempotent."""
        with self._lock:
            self._is_over = True
        self._notify()

    def notify(self, callback: Callable[[], None]) -> None:
        """Call back, from the thread that adds, whenever more has come."""
        self._notify = callback

    # --- the engine's side

    def take(self) -> tuple[str, bool]:
        """(what has come since the last time, whether it is the last)."""
        with self._lock:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._is_wanted = False
            return text, self._is_over

    def want(self) -> None:
        """The stream rests until more has come."""
        self._is_wanted = True

    @property
    def is_starved(self) -> bool:
        """The engine waits for more, and none is there."""
        with self._lock:
            return self._is_wanted and not self._pieces and not self._is_over
