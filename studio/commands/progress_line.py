"""ProgressLine: how far a long command is, on one line of a terminal; elsewhere a line for each tenth."""

from collections.abc import Callable, Mapping
from typing import TextIO

__all__ = ["ProgressLine"]

TENTHS = 10


class ProgressLine:
    """out: where it is shown. say: sentences by key."""

    def __init__(self, out: TextIO, say: Callable[[str, Mapping[str, object]], str]):
        self._out = out
        self._say = say
        self._is_terminal = out.isatty()
        self._shown = ""
        self._tenth = -1

    def show(self, done: int, total: int, seconds_left: float | None) -> None:
        """seconds_left: None where that is not known yet."""
        if not total:
            return
        values = {"done": done, "total": total, "share": 100 * done // total}
        key = "command_progress" if seconds_left is None else "command_progress_left"
        told = self._say(key, values if seconds_left is None else values | {"n": max(1, round(seconds_left / 60))})
        if self._is_terminal:
            self._overwrite(told)
        elif (tenth := TENTHS * done // total) > self._tenth:
            self._tenth = tenth
            self._write(f"{told}\n")

    def end(self, done: int, total: int) -> None:
        """What was shown last stays."""
        self.show(done, total, None)
        if self._is_terminal and self._shown:
            self._write("\n")

    def _overwrite(self, told: str) -> None:
        if told != self._shown:
            self._write("\r" + told.ljust(len(self._shown)))
            self._shown = told

    def _write(self, text: str) -> None:
        self._out.write(text)
        self._out.flush()
