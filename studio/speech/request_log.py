"""RequestLog: records every speech when it is over, from any door: a line of the log, and metrics."""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import quote

from engines.contract.speech_end import EndReason
from engines.errors import EngineError
from studio.audio.formats import Format
from studio.speech.metrics import SpeechMetrics
from studio.speech.outcomes import Outcome, SpeechOutcomes
from studio.speech.refusal import refusal_of, tellable
from studio.speech.speech import Speech
from studio.speech.usage import Usage
from studio.timeline import Timeline
from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault
from studio.workspace import NOBODY

__all__ = ["HUNG_UP", "RequestEntry", "RequestLog"]

UNSEEN = {"batch": "batch", "websocket": "websocket", "gradio": "page", "wyoming": "wyoming"}  # deliveries that say nothing by HTTP
# By how a speech ended, None while it is under way; as chat completions say it, too.
FINISH_REASONS: dict[EndReason | None, str | None] = {
    None: None, "ended": "stop", "capped": "length", "no_room": "length", "looped": "length", "cancelled": "abort", "failed": "error",
}  # fmt: skip
STATUS_OF_END: dict[EndReason | None, str] = {
    None: "running", "ended": "complete", "capped": "cut", "no_room": "cut", "looped": "cut", "cancelled": "cancelled", "failed": "failed",
}  # fmt: skip
HUNG_UP = 499  # never sent: nginx's code for a client that closed the request

log = logging.getLogger("studio.request")


@dataclass
class RequestEntry:
    """How one speech goes. Filled in by its door, written once.

    delivery: whole, raw, sse, websocket, batch, gradio, wyoming or mcp. format: of the audio, "" where delivery says it. status: of HTTP.
    failure: a reason code, "" for none; message: the same as a sentence. workspace: of whoever asked. n_bytes: of audio that were sent.
    begun: seconds since 1970. is_over: it was written. is_fault: whether the failure is the studio's own, and no HTTP status tells so.
    speech: None until open.
    """

    request_id: str
    delivery: str
    timeline: Timeline
    format: Format | Literal[""] = ""
    status: int = 200
    failure: str = ""
    message: str = ""
    workspace: str = NOBODY
    n_bytes: int = 0
    begun: float = field(default_factory=time.time)
    is_over: bool = False
    is_fault: bool = False
    speech: Speech | None = None

    @property
    def opened(self) -> Speech:
        """The speech, for whoever has waited until it was open."""
        assert self.speech is not None
        return self.speech

    @property
    def file_format(self) -> Format:
        """Of an answer whose delivery does not say it."""
        assert self.format
        return self.format

    @property
    def end_reason(self) -> EndReason | None:
        """Why the speech ended, None where there was none. One that nobody has closed yet was not heard to its end."""
        if self.speech is None:
            return None
        if self.speech.end is not None:
            return self.speech.end.reason
        return "failed" if self.failure else "cancelled"

    def end(self, error: BaseException | None) -> None:
        """What ended it: an error, the listener (CancelledError, GeneratorExit), or None for neither. The first one counts."""
        if error is None or self.status != 200 or self.failure:
            return
        if not isinstance(error, Exception):
            self.status = HUNG_UP
            return
        known = tellable(error)
        refusal = refusal_of(known) if known else None
        self.status, self.message = (refusal.status, refusal.message) if refusal else (LEAST_FAULT, "Internal server error.")
        self.failure = known.code if known else INTERNAL_ERROR
        self.is_fault = self.status >= LEAST_FAULT and self.delivery in UNSEEN

    def break_off(self, error: EngineError) -> None:
        """It failed when its answer had begun, with status 200."""
        refusal = refusal_of(error)
        self.failure, self.message = error.code, refusal.message
        self.is_fault = refusal.status >= LEAST_FAULT

    def outcome(self) -> dict[str, object]:
        """How it went so far, in JSON types, for whoever asks about it afterwards."""
        speech = self.speech
        is_over = self.is_over or bool(self.failure) or (speech is not None and speech.end is not None)
        end = (self.end_reason or ("cancelled" if self.status == HUNG_UP else "failed")) if is_over else None
        facts: dict[str, object] = {
            "request_id": self.request_id,
            "status": STATUS_OF_END[end],
            "finish_reason": FINISH_REASONS[end],
            "end": end,
            "created": round(self.begun, 3),
            "delivery": self.delivery,
            "response_format": self.format,
            "bytes": self.n_bytes,
            "timing": self.timeline.summary(),
        }
        if self.failure:
            facts["error"] = {"code": self.failure, "message": self.message}
        if speech is None:
            return facts
        facts |= {"model": speech.engine.id, "voice": speech.speaker, "sample_rate": speech.sample_rate}
        facts |= {"seconds": round(speech.seconds, 4), "usage": Usage.of(speech).members()}
        return facts | ({"warning": speech.warning} if is_over and speech.warning else {}) | speech.told


class RequestLog:
    """One per studio."""

    def __init__(self):
        self.metrics = SpeechMetrics()
        self.outcomes = SpeechOutcomes()

    def begin(self, entry: RequestEntry) -> None:
        """It is under way; whoever asks about it finds it from now on."""
        self.outcomes.begin(entry)

    @contextmanager
    def writing(self, entry: RequestEntry) -> Iterator[None]:
        """Write the entry when the block is over, however it ends."""
        try:
            yield
        except BaseException as error:
            entry.end(error)
            raise
        finally:
            self.write(entry)

    def write(self, entry: RequestEntry) -> None:
        """For when it is over."""
        entry.is_over = True
        self.outcomes.end(entry)
        self._measure(entry)
        facts: dict[str, object] = {"id": entry.request_id, "status": entry.status, "delivery": entry.delivery, "format": entry.format}
        if entry.speech is not None:
            facts |= {"engine": entry.speech.engine.id, "characters": entry.speech.request.n_characters, "end": entry.end_reason}
            source_seconds = entry.speech.request.source_seconds
            facts |= {"voice_alias": quote(entry.speech.request.alias)}  # not whose voice it is
            facts |= {"source_seconds": None if source_seconds is None else round(source_seconds, 4)} | _levels(entry.speech)
        if entry.failure:
            facts["failure"] = entry.failure
        if entry.is_fault:
            report_fault(UNSEEN.get(entry.delivery, "api"), entry.failure, request_id=entry.request_id)
        facts |= entry.timeline.summary()
        log.info(" ".join(f"{name}={value}" for name, value in facts.items() if value not in ("", None)))

    def outcome(self, workspace: str, request_id: str) -> Outcome | None:
        """None for one that is not known, or not any more."""
        return self.outcomes.get(workspace, request_id)

    def decoded(self, source: str, seconds: float) -> None:
        """That a recording was, see SpeechMetrics."""
        self.metrics.decoded(source, seconds)

    def _measure(self, entry: RequestEntry) -> None:
        decoded = entry.timeline.span_seconds("decode")
        if decoded is not None:
            self.metrics.decoded("request", decoded)
        reason = "closed" if entry.status == HUNG_UP else entry.failure
        end = entry.end_reason
        if entry.speech is None or end is None:
            if reason:
                self.metrics.refused(reason)
            return
        self.metrics.ended(entry.speech, end)
        if reason:
            self.metrics.broke_off(entry.speech, entry.delivery, reason)
        else:
            self.metrics.spoke(entry.speech, entry.delivery)


def _levels(speech: Speech) -> dict[str, object]:
    """How loud the answer was, and the reference clip where the engine has measured it."""
    level, reference = speech.level.dbfs, speech.prompt_facts.get("level_dbfs")
    return {"level_dbfs": None if level is None else round(level, 1), "reference_level_dbfs": reference}
