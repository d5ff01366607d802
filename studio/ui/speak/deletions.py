"""Takes that a person deletes, and their way back, as assets/web/speak/deleting.js asks for both."""

from studio.service import Studio
from studio.storage.undo_window import KEPT_SECONDS
from studio.ui.gradio.messages import answered

__all__ = ["delete_takes", "restore_takes"]


@answered
def delete_takes(studio: Studio, asked: dict[str, object]) -> dict[str, object]:
    """asked: {entries}, of which those go that are there. Gives {undo, undo_seconds}."""
    entries = asked["entries"]
    if not isinstance(entries, list):
        raise TypeError("entries is no list")
    return {"undo": studio.history.delete({str(entry) for entry in entries}), "undo_seconds": KEPT_SECONDS}


@answered
def restore_takes(studio: Studio, asked: dict[str, object]) -> dict[str, object]:
    """asked: {undo}. Gives {n}, how many are back."""
    return {"n": studio.history.restore(str(asked["undo"]))}
