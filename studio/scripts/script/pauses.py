"""Pauses: how long the silence between two lines is, wherever they are heard one after the other."""

from collections.abc import Iterable, Iterator

from studio.scripts.script.line import LineText
from studio.scripts.script.script import ScriptHead

__all__ = ["Pauses", "silences"]


class Pauses:
    """Told of the lines of a script in their order. Before the first sound there is none."""

    def __init__(self, head: ScriptHead):
        self._head = head
        self._seconds, self._is_written = 0.0, True

    def before(self, written: LineText) -> float:
        """Seconds of silence before a line. A heading has at least its own usual one, unless that is written otherwise."""
        if written.kind == "heading" and not self._is_written:
            self._seconds = max(self._seconds, self._head.heading_pause_seconds)
        return self._seconds

    def unheard(self, written: LineText) -> None:
        """It is silent, or has no sound: what is written behind it is silence all the same."""
        self._seconds = self.before(written) + (written.pause_seconds or 0.0)

    def heard(self, written: LineText) -> None:
        usual = self._head.heading_pause_seconds if written.kind == "heading" else self._head.pause_seconds
        self._is_written = written.pause_seconds is not None
        self._seconds = usual if written.pause_seconds is None else written.pause_seconds


def silences(head: ScriptHead, lines: Iterable[tuple[LineText, bool]]) -> Iterator[float]:
    """Seconds of silence before each line, one for one; 0 before the first that is heard. Slots are not looked at.

    lines: in order, each with whether it is heard. What is not heard adds the pause that is written behind it, and no other. A heading has
    the pause of headings before it, unless the line before names its own.
    """
    pause_seconds, is_named = 0.0, True
    for written, is_heard in lines:
        if written.kind == "heading" and not is_named:
            pause_seconds = max(pause_seconds, head.heading_pause_seconds)
        yield pause_seconds
        if is_heard:
            usual = head.heading_pause_seconds if written.kind == "heading" else head.pause_seconds
            pause_seconds = usual if written.pause_seconds is None else written.pause_seconds
            is_named = written.pause_seconds is not None
        else:
            pause_seconds += written.pause_seconds or 0.0
