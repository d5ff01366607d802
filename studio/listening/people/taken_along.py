"""What somebody takes along: code, address to go back to, and the form by which a task is handed in at Mechanical Turk."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import quote

from studio.listening.people.arrival import turk_of
from studio.listening.plan.panel import Ending

__all__ = ["TakenAlong", "taken_along"]


@dataclass(frozen=True)
class TakenAlong:
    """code, redirect: "" for none. submit_to: of MTurk, "" for anybody else; fields: of its form."""

    code: str = ""
    redirect: str = ""
    submit_to: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)


def taken_along(ending: Ending, kept: Mapping[str, str], code: str = "", *, hands_in: bool = False) -> TakenAlong:
    """kept: of the link's query. code: of this listener, where the ending has none of its own. hands_in: whether the work is done."""
    code = ending.code or code
    values = {name: quote(value, safe="") for name, value in (*kept.items(), ("code", code))}
    turk = turk_of(kept) if hands_in else None
    if turk is None:
        return TakenAlong(code, ending.filled(values))
    submit_to, assignment = turk
    return TakenAlong(code, ending.filled(values), submit_to, {"assignmentId": assignment, "code": code or "done"})
