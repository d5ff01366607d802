"""The current visit: who caused the event or call that Gradio just handed over, and what that visitor sees.

Events are wired private, light ones without a queue, and each within the workspace of whoever caused it (`named`, LIGHT, PRESSED, QUEUED).
"""

import hashlib
from collections.abc import Callable
from typing import TypeVar

import gradio as gr
from gradio.context import LocalContext
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import Scope

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.web.access import SESSION_COOKIE, is_owner, workspace_of
from studio.web.cookies import cookie_in
from studio.workspace import NOBODY, of_a_session

__all__ = ["LIGHT", "PRESSED", "QUEUED", "RELAY_SUFFIX", "draft_owner", "login_name", "named", "session_of", "visited"]

Whole = TypeVar("Whole", Studio, ClipDrafts)

RELAY_SUFFIX = ".relay"  # of the session in which a page speaks: the page's own, and this (assets/web/transport/gradio_transport.js)


def visited(whole: Whole) -> Whole:
    """What of it is in the workspace of whoever caused the event under way; all of it where visitors are not kept apart."""
    request = LocalContext.request.get(None)
    if request is None:  # not an event; so that a mistake shows nobody's voices to somebody else
        apart = isinstance(whole, Studio) and whole.settings.workspaces == "private"
        return whole.within(NOBODY) if apart else whole
    scope = _scope_of(request)
    workspace = workspace_of(scope)
    session = session_of() if workspace == NOBODY else ""
    workspace = of_a_session(session) if session else workspace
    if isinstance(whole, ClipDrafts):
        return whole.within(workspace)
    return whole.within(workspace, is_owner=is_owner(scope))


def draft_owner() -> str:
    """Whose drafts a browser may show again: another word for every workspace and for every time that somebody signs in.

    It opens nothing. A visitor of whom only the open page is known gets the word of all such: what a browser's tab keeps ends with it.
    """
    request = LocalContext.request.get(None)
    if request is None:
        return ""
    scope = _scope_of(request)
    signed_in = cookie_in(Headers(scope=scope).get("cookie", ""), SESSION_COOKIE)
    return hashlib.sha256(f"draft of {workspace_of(scope)} {signed_in}".encode("utf-8", "surrogatepass")).hexdigest()[:16]


def login_name() -> str | None:
    """Under which name the visitor has signed in at the Hub; None for who has not."""
    request = LocalContext.request.get(None)
    login = ((_scope_of(request).get("session") if request else None) or {}).get("oauth_info")
    return login["userinfo"]["preferred_username"] if login else None


def session_of() -> str:
    """What Gradio calls the page whose event is under way, "" where it does not say."""
    request = LocalContext.request.get(None)  # Gradio's own of an event, or the plain one of a call to a server function
    if request is None:
        return ""
    session = getattr(request, "session_hash", None)
    if session is None:  # Gradio has read the body
        session = getattr(request, "_json", {}).get("session_hash")
    return (session or "").removesuffix(RELAY_SUFFIX)


def _scope_of(request: gr.Request | Request) -> Scope:
    """request: Gradio's own of an event, which holds the plain one of a call to a server function."""
    return getattr(request, "request", request).scope


# --- events


# Without a word more, Gradio drops an event while one like it is under way.
# A look: what was asked for meanwhile is looked at once more. Gradio repeats what the *first* event brought along, so it is for events
# that bring nothing.
LIGHT = {"queue": False, "show_progress": "hidden", "api_visibility": "private", "trigger_mode": "always_last"}
PRESSED = LIGHT | {"trigger_mode": "multiple"}  # what somebody did, with what the script says of it: each counts
QUEUED = PRESSED | {"queue": True, "concurrency_limit": None}  # what takes its time, beside others of the same


def named(handler: Callable, *over: object) -> Callable:
    """The handler over this studio as the visitor sees it (or what else comes first), under its own name, by which Gradio lists it."""

    def call(*inputs: object) -> object:
        return handler(*map(_seen, over), *inputs)

    call.__name__ = handler.__name__
    return call


def _seen(first: object) -> object:
    if isinstance(first, Studio):
        return visited(first)
    return visited(first) if isinstance(first, ClipDrafts) else first
