"""Arrival: how somebody comes to a test: by which link, with what, and what they say of themselves before the first sound.

Of the link's query are kept: the parameters of Prolific and of Mechanical Turk, and those that the plan names; nothing else.
Prolific: https://researcher-help.prolific.com, "Integrating with a study tool". MTurk: its ExternalQuestion.
"""

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import parse_qsl, urlsplit

from studio.listening.plan.panel import RECRUITING
from studio.listening.plan.plan import Plan

__all__ = ["TURK_HOSTS", "ListenerArrival", "is_preview", "kept_of", "participant_of", "turk_of", "turned_away_key"]

MOST_VALUE_CHARACTERS = 200
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"  # of MTurk, to whoever looks at a task before they take it
TURK = "turkSubmitTo"
TURK_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
WHO = {"PROLIFIC_PID": "prolific", "workerId": "mturk"}  # parameters that say who somebody is -> the service


@dataclass(frozen=True)
class ListenerArrival:
    """experimenter: whoever made the test and tries it. device: as results say it. browser: what tells one from another, "" for not known;
    nobody can read it from the file. query: of the link, as the browser has it. form: answers to the questions before the first sound, by
    their ids."""

    experimenter: bool = False
    device: str = ""
    browser: str = ""
    query: str = ""
    form: Mapping[str, object] = field(default_factory=dict)


def kept_of(query: str, plan: Plan) -> dict[str, str]:
    """Of a query what is kept, cut to 200 characters; the address that MTurk names only where it is one of Amazon's own."""
    names = (*RECRUITING, *plan.recruiting)
    given = {name: value.strip()[:MOST_VALUE_CHARACTERS] for name, value in parse_qsl(query.removeprefix("?"), max_num_fields=100)}
    kept = {name: given[name] for name in names if given.get(name)}
    if _origin(kept.get(TURK, "")) not in TURK_HOSTS:
        kept.pop(TURK, None)
    return kept


def participant_of(kept: Mapping[str, str], plan: Plan) -> str | None:
    """Who somebody is at their service, as "mturk/A1B2"; None where nothing says so. Of the plan's own parameters the first says it."""
    known = WHO | {name: name for name in plan.recruiting[:1]}
    return next((f"{service}/{kept[name]}" for name, service in known.items() if name in kept), None)


def is_preview(kept: Mapping[str, str]) -> bool:
    return kept.get("assignmentId") == PREVIEW


def turk_of(kept: Mapping[str, str]) -> tuple[str, str] | None:
    """(address to which a task is handed in, id of the assignment) of somebody who comes from MTurk."""
    if not kept.get(TURK) or not kept.get("assignmentId") or is_preview(kept):
        return None
    return f"{_origin(kept[TURK])}/mturk/externalSubmit", kept["assignmentId"]


def turned_away_key(participant: str, secret: bytes) -> str:
    """By which somebody is known again who was not asked; it does not tell who they are."""
    return hmac.new(secret, f"turned away/{participant}".encode(), hashlib.sha256).hexdigest()


def _origin(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}".lower()
