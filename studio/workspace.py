"""Workspace: to whom voices, history and drafts belong. It is a word that no visitor chooses, made here from known facts about one."""

import hashlib
import re
from dataclasses import dataclass

__all__ = [
    "EVALUATIONS",
    "EVERYBODY",
    "NOBODY",
    "OWNER_KEYS",
    "Workspace",
    "evaluation_of",
    "is_of_a_session",
    "is_of_an_evaluation",
    "named_key",
    "of_a_cookie",
    "of_a_key",
    "of_a_login",
    "of_a_session",
    "of_an_evaluation",
]

EVERYBODY = ""  # the workspace whose speakers all may hear, and the only one of a studio that does not keep its visitors apart
NOBODY = "-"  # of a request that does not say whose it is, where visitors are kept apart: it sees everybody's, and keeps nothing

OWNER_KEYS = ("", "owner")  # names of keys, one of which whoever runs the studio has

_SESSION = "session:"
EVALUATIONS = "evaluation:"  # how the workspaces begin in which evaluations have copies of voices


@dataclass(frozen=True)
class Workspace:
    """What a studio is seen from. is_owner: whether who asks runs the studio."""

    name: str
    is_owner: bool


# A name, a colon and a key; what has no name before its first colon is a key as a whole.
_NAMED = re.compile(r"(?P<name>[A-Za-z0-9][A-Za-z0-9_.-]{0,63}):(?P<key>.+)", re.DOTALL)


def named_key(written: str) -> tuple[str, str]:
    """(name, key) of one of STUDIO_API_KEYS; the name is "" where it has none."""
    named = _NAMED.fullmatch(written)
    return (named["name"], named["key"]) if named else ("", written)


def of_a_key(name: str) -> str:
    """name: of a key in STUDIO_API_KEYS; "" for one without a name, which is that of whoever runs the studio."""
    return f"key:{name}" if name else EVERYBODY


def of_a_login(subject: str) -> str:
    """subject: what the Hub calls a person, whatever name they go by."""
    return f"hub:{_digest(subject)}"


def of_a_cookie(visitor: str) -> str:
    """visitor: the random id in a signed cookie."""
    return f"visitor:{_digest(visitor)}"


def of_a_session(session_hash: str) -> str:
    """session_hash: what Gradio calls one open page, which nobody else knows. It is not written down: whoever knows it is that visitor."""
    return f"{_SESSION}{_digest(session_hash)}"


def is_of_a_session(workspace: str) -> bool:
    return workspace.startswith(_SESSION)


def of_an_evaluation(evaluation_id: str) -> str:
    """Where an evaluation has the recordings of its voices while they are spoken in. It is no visitor's, and nobody sees it."""
    return f"{EVALUATIONS}{evaluation_id}"


def is_of_an_evaluation(workspace: str) -> bool:
    return workspace.startswith(EVALUATIONS)


def evaluation_of(workspace: str) -> str:
    """Its id. workspace: one that is_of_an_evaluation."""
    return workspace.removeprefix(EVALUATIONS)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()[:32]
