"""Timeline: named marks of one request on one monotonic clock. Server-Timing, metrics, page and benchmark have no other source."""

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

__all__ = ["CacheOutcome", "Start", "TimeToFirstSound", "Timeline"]

CacheOutcome = Literal["hit", "miss", "joined", "disk", "bypass"]
Start = Literal["warm", "disk", "cold"]  # as `kindOf` in assets/web/sound/stages.js tells it of a run

MOST_HEARD_SECONDS = 3600.0  # nobody waits longer for a first sound

MARKS = ("received", "resolved", "prompt", "submitted", "started", "first_audio", "packet", "last_audio", "done")
SPANS = ("decode", "load", "extract", "far")


@dataclass(frozen=True)
class TimeToFirstSound:
    """The time to first sound of one speech: from the press to the first sample at the listener's device, as the page measured it.

    server_seconds: the server's share of it, from the request's arrival to the first audio ready to send (TTFP). heard_seconds: the
    whole; None where no page told it. Then the server's is all that is known, and is called so.
    """

    server_seconds: float
    heard_seconds: float | None = None

    def heard(self, seconds: float) -> "TimeToFirstSound | None":
        """With what a page measured; None for what cannot be, as the whole is never less than the server's share."""
        can_be = math.isfinite(seconds) and self.server_seconds <= seconds <= MOST_HEARD_SECONDS
        return replace(self, heard_seconds=seconds) if can_be else None


class Timeline:
    """Marks (points) and spans (durations) of one request, in seconds of `clock`.

    received: the request arrived, before its body was parsed. resolved: text, speaker and engine are known.
    prompt: the speaker prompt is at hand. submitted, started: the stream waits for, and gets, the engine's thread.
    first_audio: the first non-empty PCM block is ready to send. packet: the first bytes in the asked format go to the socket.
    last_audio: the engine is done. done: the last byte was handed over.
    Spans: decode (inline audio was fetched and decoded), load (the engine was opened for this request), extract (the prompt was computed
    for this request), far (an engine that runs elsewhere sent the text there and got the first audio back).
    A mark keeps its first time. Written by the request's thread and by the engine's, each its own marks.
    """

    def __init__(self, received: float | None = None, *, clock: Callable[[], float] = time.perf_counter):
        self._clock = clock
        self._marks: dict[str, float] = {"received": clock() if received is None else received}
        self._spans: dict[str, float] = {}
        self.cache: CacheOutcome | None = None
        self.compute_seconds = 0.0  # the engine's thread at work on this stream
        self.audio_seconds = 0.0
        self.part_seconds: list[float] = []  # of sound before each part that the engine has begun (speech/in_turn.py)
        self.first_audible_seconds: float | None = (
            None  # from received to the first audible sample, had the listener started at first_audio
        )
        self.underrun_seconds = 0.0  # silence that a player started at first_audio would have suffered

    def now(self) -> float:
        return self._clock()

    def elapsed(self, at: float) -> float:
        """Seconds from `received` to a time of the same clock."""
        return at - self._marks["received"]

    def mark(self, name: str) -> None:
        if name not in MARKS:
            raise ValueError(f"no mark {name!r}; marks are {', '.join(MARKS)}")
        self._marks.setdefault(name, self._clock())

    def span(self, name: str, seconds: float) -> None:
        if name not in SPANS:
            raise ValueError(f"no span {name!r}; spans are {', '.join(SPANS)}")
        self._spans[name] = seconds

    def span_seconds(self, name: str) -> float | None:
        """Duration of a span; None where it did not happen."""
        return self._spans.get(name)

    def since_received(self, name: str) -> float | None:
        """Seconds from `received` to a mark; None while it is not set."""
        return self._between("received", name)

    @property
    def ttfp_seconds(self) -> float | None:
        """Time to first packet: from the request's arrival to the first audio ready to send."""
        return self.since_received("first_audio")

    @property
    def start(self) -> Start:
        """Warm where the prompt was in memory and the engine was open, disk where the prompt was read from there; else cold."""
        if "load" in self._spans:
            return "cold"
        starts: Mapping[str | None, Start] = {"hit": "warm", "disk": "disk"}
        return starts.get(self.cache, "cold")

    @property
    def rtf(self) -> float | None:
        """Real-time factor: engine time per second of audio."""
        return self.compute_seconds / self.audio_seconds if self.audio_seconds else None

    def stages(self) -> dict[str, float]:
        """Seconds per stage, in order, only those that happened.

        resolve + prompt + queue + first_chunk = first_audio (the TTFP). `decode` and `load` lie inside `resolve`, `extract` inside
        `prompt`, and `far` inside `first_chunk`. `packet` counts from the arrival, too; what lies between is this door's.
        """
        spans = self._spans
        found = {
            "resolve": self._between("received", "resolved"),
            "decode": spans.get("decode"),
            "load": spans.get("load"),
            "prompt": self._between("resolved", "prompt"),
            "extract": spans.get("extract"),
            "queue": self._between("prompt", "started"),
            "first_chunk": self._between("started", "first_audio"),
            "far": spans.get("far"),
            "first_audio": self.ttfp_seconds,
            "packet": self.since_received("packet"),
            "total": self._between("received", "done") or self.elapsed(self._clock()),
        }
        return {name: seconds for name, seconds in found.items() if seconds is not None}

    def server_timing(self) -> str:
        """The stages as a `Server-Timing` header, milliseconds; `prompt` carries hit, miss, joined or disk as its description."""
        entries = []
        for name, seconds in self.stages().items():
            description = f';desc="{self.cache}"' if name == "prompt" and self.cache else ""
            entries.append(f"{name};dur={seconds * 1000:.2f}{description}")
        return ", ".join(entries)

    def summary(self) -> dict[str, object]:
        """Everything measured, in milliseconds and JSON types: for the page, the log line and the benchmark."""
        numbers: dict[str, object] = {f"{name}_ms": round(seconds * 1000, 3) for name, seconds in self.stages().items()}
        audible = self.first_audible_seconds
        return numbers | {
            "cache": self.cache,
            "rtf": None if self.rtf is None else round(self.rtf, 5),
            "audio_seconds": round(self.audio_seconds, 4),
            "compute_ms": round(self.compute_seconds * 1000, 3),
            "first_audible_ms": None if audible is None else round(audible * 1000, 3),
            "underrun_ms": round(self.underrun_seconds * 1000, 3),
        }

    def _between(self, earlier: str, later: str) -> float | None:
        if earlier not in self._marks or later not in self._marks:
            return None
        return self._marks[later] - self._marks[earlier]
