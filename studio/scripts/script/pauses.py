"""LinePauses: how long the silence between two lines is, wherever they are heard one after the other."""

from studio.scripts.script.line import LineText
from studio.scripts.script.script import ScriptHead

__all__ = ["LinePauses"]


class LinePauses:
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
