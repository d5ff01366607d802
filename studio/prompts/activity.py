"""PromptActivity: notes on each speaker with each engine: requests, failures, and the speed of the last speech.

Bound: MOST_NOTES of each kind, the oldest go first. Keyed by generation, so a new recording begins without notes.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from engines.errors import EngineError, EngineUnreachable
from studio.errors import EngineBusy, SpeechCancelled
from studio.speakers.speaker import Generation
from studio.timeline import Start, Timeline, TimeToFirstSound

__all__ = ["Failure", "LastSpeech", "PromptActivity", "failure_of"]

MOST_NOTES = 4096  # a thousand speakers, the default limit, for four engines
DEFECT = "The extraction failed by a mistake of the studio; its log names it."


@dataclass(frozen=True)
class Failure:
    """Why the last extraction failed, as its error says. parameter: what of the speaker would mend it, "" where nothing of it would."""

    fact: str
    hint: str
    parameter: str = ""
    code: str = ""
    values: Mapping[str, object] = field(default_factory=dict, hash=False)


def failure_of(error: Exception) -> Failure:
    """How it is told; of a defect without its words."""
    if isinstance(error, EngineError):
        return Failure(error.fact, error.hint, error.parameter or "", error.code, error.values)
    return Failure(DEFECT, "Try again.", code="defect")


@dataclass(frozen=True)
class LastSpeech:
    """When it was, in seconds since 1970, and the time to first sound of the last warm and the last cold one; None before."""

    at: float
    warm: TimeToFirstSound | None = None
    cold: TimeToFirstSound | None = None


class PromptActivity:
    """Thread-safe. A speaker is named by its generation's id, which renaming leaves as it is."""

    def __init__(self, clock: Callable[[], float] = time.time):
        self._clock = clock
        self._lock = threading.Lock()
        self._asked: set[tuple[str, str]] = set()
        self._failures: OrderedDict[tuple[str, str], Failure] = OrderedDict()
        self._last_speeches: OrderedDict[tuple[str, str], LastSpeech] = OrderedDict()
        self._version = 0

    @property
    def version(self) -> int:
        """Moves with every change, also with those that `touch` tells of."""
        return self._version

    def touch(self) -> None:
        """Something else changed that is shown beside the notes, such as a file."""
        with self._lock:
            self._version += 1

    # --- asked for

    def ask(self, generation_id: str, engine: str) -> bool:
        """Note that an extraction was asked for; whether it was not already."""
        with self._lock:
            self._version += 1
            was_asked = (generation_id, engine) in self._asked
            self._asked.add((generation_id, engine))
            return not was_asked

    def answered(self, generation_id: str, engine: str) -> None:
        """It is over, however it ended."""
        with self._lock:
            self._version += 1
            self._asked.discard((generation_id, engine))

    def asked(self, generation_id: str, engine: str) -> bool:
        return (generation_id, engine) in self._asked

    # --- failed

    @contextmanager
    def attempt(self, owner: Generation | None, engine: str) -> Iterator[None]:
        """Around an extraction: the former failure is forgotten, a new one is kept. Inline audio, without an owner, leaves no note.

        An engine that was busy or could not be reached, or a studio that closes, is no failure of the speaker's.
        """
        if owner is None:
            yield
            return
        self._set(self._failures, (owner.id, engine), None)
        try:
            yield
        except (EngineBusy, EngineUnreachable, SpeechCancelled):
            raise
        except Exception as error:
            self.failed(owner.id, engine, error)
            raise

    def failed(self, generation_id: str, engine: str, error: Exception) -> None:
        self._set(self._failures, (generation_id, engine), failure_of(error))

    def failure(self, generation_id: str, engine: str) -> Failure | None:
        return self._failures.get((generation_id, engine))

    # --- spoken

    def record_speech(self, owner: Generation | None, engine: str, timeline: Timeline) -> None:
        """A stream ended. One without a stored speaker, or without sound, leaves no note."""
        if owner is not None and timeline.ttfp_seconds is not None:
            last = self.last_speech(owner.id, engine) or LastSpeech(0.0)
            measured = {} if timeline.start == "disk" else {timeline.start: TimeToFirstSound(timeline.ttfp_seconds)}
            self._set(self._last_speeches, (owner.id, engine), replace(last, at=self._clock(), **measured))

    def record_heard(self, generation_id: str, engine: str, start: Start | None, heard: TimeToFirstSound) -> None:
        """A page told when it was heard; of an earlier speech than the last of its kind it changes nothing."""
        last = self.last_speech(generation_id, engine)
        if last is None or start not in ("warm", "cold"):
            return
        known: TimeToFirstSound | None = getattr(last, start)
        if known is not None and known.server_seconds == heard.server_seconds:
            self._set(self._last_speeches, (generation_id, engine), replace(last, **{start: heard}))

    def last_speech(self, generation_id: str, engine: str) -> LastSpeech | None:
        return self._last_speeches.get((generation_id, engine))

    def _set(self, activity: OrderedDict, key: tuple[str, str], note: object | None) -> None:
        with self._lock:
            self._version += 1
            activity.pop(key, None)
            if note is not None:
                activity[key] = note
            while len(activity) > MOST_NOTES:
                activity.popitem(last=False)
