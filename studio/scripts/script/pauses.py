"""Pauses: how long it is silent before each line that is heard. One rule for who plays a script and for who exports it."""

from collections.abc import Iterable, Iterator

from studio.scripts.script.line import LineText
from studio.scripts.script.script import ScriptHead

__all__ = ["silences"]


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
