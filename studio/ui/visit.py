"""The visit under way: whose the event or the call is that Gradio just handed over, and what that visitor sees."""

from typing import TypeVar

from gradio.context import LocalContext

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.web.visitors import workspace_of
from studio.workspace import NOBODY, of_a_session

__all__ = ["session_of", "visited"]

Whole = TypeVar("Whole", Studio, ClipDrafts)

RELAY_SUFFIX = ".relay"  # of the session in which a page speaks: the page's own, and this (assets/web/gradio_transport.js)


def visited(whole: Whole) -> Whole:
    """What of it is in the workspace of whoever caused the event under way; all of it where visitors are not kept apart."""
    request = LocalContext.request.get(None)
    if request is None:  # not an event; so that a mistake shows nobody's voices to somebody else
        apart = isinstance(whole, Studio) and whole.settings.workspaces == "private"
        return whole.within(NOBODY) if apart else whole
    workspace = workspace_of(getattr(request, "request", request).scope)
    session = session_of() if workspace == NOBODY else ""
    return whole.within(of_a_session(session) if session else workspace)


def session_of() -> str:
    """What Gradio calls the page whose event is under way, "" where it does not say."""
    request = LocalContext.request.get(None)  # Gradio's own of an event, or the plain one of a call to a server function
    if request is None:
        return ""
    if request.headers.get("x-gradio-user") == "mcp":  # all of Gradio's tools speak through one session of its own
        return ""
    session = getattr(request, "session_hash", None)
    if session is None:  # Gradio has read the body
        session = getattr(request, "_json", {}).get("session_hash")
    return (session or "").removesuffix(RELAY_SUFFIX)
