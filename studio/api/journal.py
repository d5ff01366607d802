"""Journal: one line of the log per speech, from whichever route it came, written from its Timeline."""

import logging
from dataclasses import dataclass

from studio.api.intake import Utterance
from studio.timeline import Timeline

__all__ = ["HUNG_UP", "Entry", "Journal"]

HUNG_UP = 499  # never sent: nginx's code for a client that closed the request

log = logging.getLogger("studio.request")


@dataclass(frozen=True)
class Entry:
    """How one speech went. format: as in the request, "sse", "raw" and "websocket" ones too. failure: a reason code, "" for none."""

    request_id: str
    format: str
    status: int = 200
    failure: str = ""


class Journal:
    """Every speech is written down once, when it is over."""

    def write(self, entry: Entry, timeline: Timeline, utterance: Utterance | None) -> None:
        """utterance: None where the request failed before there was one."""
        facts: dict[str, object] = {"id": entry.request_id, "status": entry.status, "format": entry.format}
        if utterance is not None:
            facts |= {"engine": utterance.speech.engine.id, "characters": len(utterance.order.request.text)}
        if entry.failure:
            facts["failure"] = entry.failure
        log.info(" ".join(f"{name}={value}" for name, value in (facts | timeline.summary()).items()))
