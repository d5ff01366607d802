"""States of lines: new, waiting, saying, said, stale, failed; and which takes are stale."""

from collections.abc import Collection, Iterable, Sequence

from studio.scripts.saying.asked_line import Casting
from studio.scripts.script.line import LineState, ScriptLine

__all__ = ["line_states", "stale_takes"]


def line_states(lines: Iterable[ScriptLine], casting: Casting, waiting: Collection[str], saying: Collection[str]) -> tuple[LineState, ...]:
    """waiting, saying: ids of lines."""
    return tuple(_state(line, casting, waiting, saying) for line in lines)


def stale_takes(lines: Sequence[ScriptLine], casting: Casting) -> frozenset[str]:
    """Ids of those whose key is not that of their line by now."""
    spoken = (line for line in lines if line.takes)
    return frozenset(take.id for line in spoken for key in (casting.key(line.written),) for take in line.takes if take.key != key)


def _state(line: ScriptLine, casting: Casting, waiting: Collection[str], saying: Collection[str]) -> LineState:
    if line.id in saying:
        return "saying"
    if line.id in waiting:
        return "waiting"
    if line.failure is not None:
        return "failed"
    chosen = line.chosen_take
    if chosen is None:
        return "new"
    return "said" if chosen.key == casting.key(line.written) else "stale"
