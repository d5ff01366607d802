"""What a visitor of a Space has to know before a voice is made: what is kept, how much of it, and for how long."""

import gradio as gr

from studio.settings import Settings

__all__ = ["APART", "build_space_notes"]

VANISHING = "Voices on this Space vanish when it restarts."
APART = "Your voices and your history are yours alone: no other visitor sees them."
LASTING = "Export the voices you want to keep, or attach a Storage Bucket to the Space at {storage}."
TEMPLATE = '<div class="notice" data-kind="care"><p><span class="fact">{{value.fact}}</span> {{value.hint}}</p></div>'


def build_space_notes(settings: Settings, prefix: str = "") -> None:
    """At the top of a room, where there is something to know. prefix: of their ids, so that two rooms can have them."""
    if not settings.is_lasting:
        _note(f"{prefix}storage", VANISHING, LASTING.format(storage=settings.space_storage))
    if settings.workspaces == "private":
        _note(f"{prefix}workspace", APART, _bounds(settings))


def _note(elem_id: str, fact: str, hint: str) -> None:
    gr.HTML({"fact": fact, "hint": hint}, elem_id=elem_id, html_template=TEMPLATE, js_on_load=None, apply_default_css=False)


def _bounds(settings: Settings) -> str:
    kept = f", each for {settings.workspace_hours:g} hours" if settings.workspace_hours else ""
    return f"You can keep {settings.most_workspace_speakers} voices and {settings.most_history_entries} speeches{kept}."
