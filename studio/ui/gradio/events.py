"""How the page's events are wired: private, light ones without a queue, and each within the workspace of whoever caused it."""

from collections.abc import Callable

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.ui.gradio.visit import visited

__all__ = ["LIGHT", "named"]

LIGHT = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


def named(handler: Callable, *over: object) -> Callable:
    """The handler over this studio as the visitor sees it (or what else comes first), under its own name, by which Gradio lists it."""

    def call(*inputs: object) -> object:
        return handler(*(visited(first) if isinstance(first, Studio | ClipDrafts) else first for first in over), *inputs)

    call.__name__ = handler.__name__
    return call
