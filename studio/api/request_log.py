"""RequestLog: what is written down of every speech when it is over: a line of the log and its share of the metrics, from its Timeline."""

import logging
from dataclasses import dataclass

from studio.api.intake import Utterance
from studio.api.meters import Meters
from studio.timeline import Timeline

__all__ = ["HUNG_UP", "Entry", "RequestLog"]

HUNG_UP = 499  # never sent: nginx's code for a client that closed the request

log = logging.getLogger("studio.request")


@dataclass(frozen=True)
class Entry:
    """How one speech went. delivery: whole, raw, sse, websocket or batch. failure: a reason code, "" for none. format: of the audio."""

    request_id: str
    delivery: str
    status: int = 200
    failure: str = ""
    format: str = ""


class RequestLog:
    """Every speech is written down once, from whichever route it came."""

    def __init__(self, meters: Meters):
        self._meters = meters

    def write(self, entry: Entry, timeline: Timeline, utterance: Utterance | None) -> None:
        """utterance: None where the request failed before there was one."""
        self._measure(entry, timeline, utterance)
        facts: dict[str, object] = {"id": entry.request_id, "status": entry.status, "delivery": entry.delivery, "format": entry.format}
        if utterance is not None:
            facts |= {"engine": utterance.speech.engine.id, "characters": len(utterance.order.request.text)} | _levels(utterance)
        if entry.failure:
            facts["failure"] = entry.failure
        log.info(" ".join(f"{name}={value}" for name, value in (facts | timeline.summary()).items() if value not in ("", None)))

    def _measure(self, entry: Entry, timeline: Timeline, utterance: Utterance | None) -> None:
        decoded = timeline.span_seconds("decode")
        if decoded is not None:
            self._meters.decoded("request", decoded)
        reason = "closed" if entry.status == HUNG_UP else entry.failure
        if utterance is None:
            if reason:
                self._meters.refused(reason)
            return
        speech = utterance.speech
        if reason:
            self._meters.broke_off(speech.engine.id, speech.sample_rate, entry.delivery, timeline, reason)
        else:
            self._meters.spoke(speech.engine.id, speech.sample_rate, entry.delivery, timeline)


def _levels(utterance: Utterance) -> dict[str, object]:
    """How loud the answer was, and the reference clip where the engine has measured it."""
    level, reference = utterance.level.dbfs, utterance.speech.prompt_facts.get("level_dbfs")
    return {"level_dbfs": None if level is None else round(level, 1), "reference_level_dbfs": reference}
