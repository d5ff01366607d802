"""RequestLog: records every speech when it is over, from any door: a line of the log, and metrics."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from urllib.parse import quote

from engines.contract.contract import EndReason
from engines.errors import EngineError
from studio.speech.metrics import SpeechMetrics
from studio.speech.refusal import refusal_of, tellable
from studio.speech.speech import Speech
from studio.timeline import Timeline
from studio.web.faults import INTERNAL_ERROR, LEAST_FAULT, report_fault

__all__ = ["HUNG_UP", "RequestEntry", "RequestLog"]

UNSEEN = {"batch": "batch", "websocket": "websocket", "gradio": "page"}  # deliveries that say nothing by HTTP, and their doors
HUNG_UP = 499  # never sent: nginx's code for a client that closed the request

log = logging.getLogger("studio.request")


@dataclass
class RequestEntry:
    """How one speech goes. Filled in by its door, written once.

    delivery: whole, raw, sse, websocket, batch, gradio or mcp. format: of the audio, "" where the delivery says it. status: as HTTP has it.
    failure: a reason code, "" for none. is_fault: whether it is the studio's own, and no HTTP status tells so. speech: None until open.
    """

    request_id: str
    delivery: str
    timeline: Timeline
    format: str = ""
    status: int = 200
    failure: str = ""
    is_fault: bool = False
    speech: Speech | None = None

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
        self.status = refusal_of(known).status if known else LEAST_FAULT
        self.failure = known.code if known else INTERNAL_ERROR
        self.is_fault = self.status >= LEAST_FAULT and self.delivery in UNSEEN

    def break_off(self, error: EngineError) -> None:
        """It failed when its answer had begun, with status 200."""
        self.failure = error.code
        self.is_fault = refusal_of(error).status >= LEAST_FAULT


class RequestLog:
    """One per studio."""

    def __init__(self):
        self.metrics = SpeechMetrics()

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
        self._measure(entry)
        facts: dict[str, object] = {"id": entry.request_id, "status": entry.status, "delivery": entry.delivery, "format": entry.format}
        if entry.speech is not None:
            facts |= {"engine": entry.speech.engine.id, "characters": len(entry.speech.request.text), "end": entry.end_reason}
            source_seconds = entry.speech.request.source_seconds
            facts |= {"voice_alias": quote(entry.speech.request.alias)}  # not whose voice it is
            facts |= {"source_seconds": None if source_seconds is None else round(source_seconds, 4)} | _levels(entry.speech)
        if entry.failure:
            facts["failure"] = entry.failure
        if entry.is_fault:
            report_fault(UNSEEN.get(entry.delivery, "api"), entry.failure, request_id=entry.request_id)
        facts |= entry.timeline.summary()
        log.info(" ".join(f"{name}={value}" for name, value in facts.items() if value not in ("", None)))

    def _measure(self, entry: RequestEntry) -> None:
        decoded = entry.timeline.span_seconds("decode")
        if decoded is not None:
            self.metrics.decoded("request", decoded)
        reason = "closed" if entry.status == HUNG_UP else entry.failure
        if entry.speech is None:
            if reason:
                self.metrics.refused(reason)
            return
        self.metrics.ended(entry.speech, entry.end_reason)
        if reason:
            self.metrics.broke_off(entry.speech, entry.delivery, reason)
        else:
            self.metrics.spoke(entry.speech, entry.delivery)


def _levels(speech: Speech) -> dict[str, object]:
    """How loud the answer was, and the reference clip where the engine has measured it."""
    level, reference = speech.level.dbfs, speech.prompt_facts.get("level_dbfs")
    return {"level_dbfs": None if level is None else round(level, 1), "reference_level_dbfs": reference}
