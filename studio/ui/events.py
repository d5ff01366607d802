"""How the page's events are wired: private, and light ones without a queue."""

from collections.abc import Callable
from functools import partial

from studio.service import Studio

__all__ = ["LIGHT", "named"]

LIGHT = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


def named(handler: Callable, studio: Studio) -> Callable:
    """The handler over this studio, under its own name: Gradio lists events by name, and a partial has none."""
    bound = partial(handler, studio)
    bound.__name__ = handler.__name__
    return bound
