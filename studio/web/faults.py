"""Faults: failures on the studio's side. Each has its reason code, in the log and in the metrics of this process.

A fault is what HTTP answers with 500 or more, whichever door it happened behind.
"""

import logging

from prometheus_client import Counter

__all__ = ["FAULTS", "INTERNAL_ERROR", "LEAST_FAULT", "report_fault"]

LEAST_FAULT = 500  # the status
INTERNAL_ERROR = "internal_error"  # the code of a defect
# Of the process, not of a studio: some of its doors, such as connections that are refused unheard, belong to none.
FAULTS = Counter("studio_errors", "Answers of 500 and more, and what failed otherwise, by reason code.", ("door", "code"), registry=None)

log = logging.getLogger("studio.faults")


def report_fault(door: str, code: str, *, request_id: str = "", about: str = "", error: BaseException | None = None) -> None:
    """door: api, batch, websocket, wyoming, mcp, page or connection. code: stable. about: the route or handler, never what a client sent.

    error: what was raised, where it is one that the code does not explain; the log gets its trace then.
    """
    FAULTS.labels(door, code).inc()
    facts = {"id": request_id, "door": door, "code": code, "about": about}
    line = " ".join(f"{name}={value}" for name, value in facts.items() if value)
    if isinstance(error, OSError) and error.strerror:
        line += f" errno={error.errno} ({error.strerror})"
    if code == INTERNAL_ERROR:
        log.error(line, exc_info=error)
    else:
        log.warning(line)
