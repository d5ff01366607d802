"""SpeechOutcomes: how the last speeches ended, by the id of their request, for whoever asked for them and could not be told.

A raw stream has its headers before its sound, and no place for more behind it.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Protocol

from studio.workspace import NOBODY

__all__ = ["Outcome", "SpeechOutcomes"]

MOST_OF_A_WORKSPACE = 256
MOST_WORKSPACES = 64  # the one that was spoken in least recently goes first
KEPT_SECONDS = 3600.0

Outcome = Mapping[str, object]


class _ToldEntry(Protocol):
    request_id: str
    workspace: str

    def outcome(self) -> Outcome: ...


class SpeechOutcomes:
    """By workspace and id; of requests with the same id the last one. Bounded in number, and each is forgotten KEPT_SECONDS after its end.

    What nobody in particular has asked for is not kept: nobody may see another's.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, OrderedDict[str, _ToldEntry | tuple[float, Outcome]]] = OrderedDict()

    def begin(self, entry: _ToldEntry) -> None:
        """It is under way: until its end it is asked how it goes."""
        self._put(entry, entry)

    def end(self, entry: _ToldEntry) -> None:
        """Its outcome is what it is now; the entry is let go of."""
        self._put(entry, (self._clock(), entry.outcome()))

    def get(self, workspace: str, request_id: str) -> Outcome | None:
        """None for one that is not known, or not any more."""
        with self._lock:
            found = self._kept.get(workspace, {}).get(request_id)
        if isinstance(found, tuple):
            ended, outcome = found
            return outcome if self._clock() - ended < KEPT_SECONDS else None
        return None if found is None else found.outcome()

    def _put(self, entry: _ToldEntry, kept: "_ToldEntry | tuple[float, Outcome]") -> None:
        if entry.workspace == NOBODY:
            return
        with self._lock:
            own = self._kept.setdefault(entry.workspace, OrderedDict())
            self._kept.move_to_end(entry.workspace)
            own[entry.request_id] = kept
            own.move_to_end(entry.request_id)
            if len(own) > MOST_OF_A_WORKSPACE:
                own.popitem(last=False)
            if len(self._kept) > MOST_WORKSPACES:
                self._kept.popitem(last=False)
