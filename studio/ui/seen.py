"""Seen: what a window shows already. A tick sends nothing where nothing changed for whoever looks, whatever changed for others."""

from collections.abc import Callable

import gradio as gr

__all__ = ["changes", "seen_of"]


def seen_of(version: str, *shown: object) -> str:
    """version: of all that is shown, cheap to ask; it moves for other visitors, too. shown: the values themselves."""
    return f"{version}\n{hash(repr(shown))}"


def changes(seen: str, version: str, n_shown: int, show: Callable[[], tuple]) -> tuple:
    """(n_shown values, what is seen now): those of `show` where they are not what was seen, else none of them.

    What is seen is given every time, so that not even its absence tells a visitor that others did something.
    """
    before = seen.rpartition("\n")
    if before[0] == version:
        return *(gr.skip(),) * n_shown, seen
    *shown, now = show()
    same = now.rpartition("\n")[2] == before[2]
    return *((gr.skip(),) * n_shown if same else shown), now
