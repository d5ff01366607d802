"""How the page's events are wired: private, and light ones without a queue."""

from collections.abc import Callable
from functools import partial

__all__ = ["LIGHT", "named"]

LIGHT = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}


def named(handler: Callable, *over: object) -> Callable:
    """The handler over this studio (or what else comes first), under its own name: Gradio lists by name, and a partial has none."""
    bound = partial(handler, *over)
    bound.__name__ = handler.__name__
    return bound
