"""What a visitor of a Space has to know before a voice is made: what is kept, how much of it, and for how long."""

import gradio as gr

from studio.settings import Settings
from studio.ui.gradio import web

__all__ = ["build_space_notes"]


def build_space_notes(settings: Settings, prefix: str = "") -> None:
    """At the top of a room, where there is something to know. prefix: of their ids, so that two rooms can have them."""
    if not settings.is_lasting:
        _note(f"{prefix}storage", _vanishing(settings))
    if settings.workspaces == "private":
        _note(f"{prefix}workspace", _apart(settings))


def _note(elem_id: str, value: dict[str, object]) -> None:
    """value: {kind, icon} of the notice and {fact, hint, values}, as keys of "frame", which assets/web/frame/space_note.js says."""
    gr.HTML(
        value, elem_id=elem_id, html_template=web.markup("frame/space_note"), js_on_load=web.mount("space-note"), apply_default_css=False
    )


def _vanishing(settings: Settings) -> dict[str, object]:
    values = {"storage": str(settings.space_storage)}
    return {"kind": "care", "icon": "warning", "fact": "vanishing", "hint": "vanishing_hint", "values": values}


def _apart(settings: Settings) -> dict[str, object]:
    values = {"voices": settings.most_workspace_speakers, "takes": settings.most_history_entries, "hours": settings.workspace_hours}
    hint = "apart_hours_hint" if settings.workspace_hours else "apart_hint"
    return {"kind": "note", "icon": "info", "fact": "apart", "hint": hint, "values": values}
