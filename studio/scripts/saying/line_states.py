"""States of lines: new, waiting, saying, said, stale, failed; which takes are stale, and how many lines of a script."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Sequence

from studio.scripts.saying.asked_line import Casting
from studio.scripts.script.line import LineState, ScriptLine
from studio.scripts.script.script import Script

__all__ = ["StaleCounts", "line_states", "stale_takes"]

MOST_KNOWN = 512  # scripts of which is known how many of their lines are stale


def line_states(lines: Iterable[ScriptLine], casting: Casting, waiting: Collection[str], saying: Collection[str]) -> tuple[LineState, ...]:
    """waiting, saying: ids of lines."""
    return tuple(_state(line, casting, waiting, saying) for line in lines)


def stale_takes(lines: Sequence[ScriptLine], casting: Casting) -> frozenset[str]:
    """Ids of those whose key is not that of their line by now."""
    spoken = (line for line in lines if line.takes)
    return frozenset(take.id for line in spoken for key in (casting.line_key(line.written),) for take in line.takes if take.key != key)


class StaleCounts:
    """Of the scripts that were asked for last, MOST_KNOWN of them; by script, with all that makes its lines stale. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, tuple[object, int]] = OrderedDict()

    def of(self, script: Script, casting: Casting, lines: Callable[[], Iterable[ScriptLine]]) -> int:
        """Lines whose chosen take is stale. lines(): of the script; asked where something has changed."""
        state = script.token, casting.state
        with self._lock:
            known = self._known.get(script.id)
        if known is None or known[0] != state:
            spoken = ((line, line.chosen_take) for line in lines())
            n_stale = sum(take is not None and take.key != casting.line_key(line.written) for line, take in spoken)
            known = state, n_stale
            with self._lock:
                self._known[script.id] = known
                self._known.move_to_end(script.id)
                if len(self._known) > MOST_KNOWN:
                    self._known.popitem(last=False)
        return known[1]


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
    return "said" if chosen.key == casting.line_key(line.written) else "stale"
