"""The masthead: what this is, and what a visitor of this very studio has to know before anything else."""

import gradio as gr

from studio.settings import Settings

__all__ = ["TITLE", "build_masthead"]

TITLE = "Voice cloning studio"
VANISHING = "Voices on this Space vanish when it restarts."
LASTING = "Export the voices you want to keep, or attach a Storage Bucket to the Space at {storage}."


def build_masthead(settings: Settings) -> None:
    """Title and one sentence; on a Space without storage, that nothing stays."""
    gr.HTML(f"<h1>{TITLE}</h1><p>Record a few seconds of a voice, then hear your text in it.</p>", elem_id="masthead", js_on_load=None)
    if not settings.is_lasting:
        gr.HTML(
            {"fact": VANISHING, "hint": LASTING.format(storage=settings.space_storage)},
            elem_id="storage",
            html_template='<p class="message" data-kind="note"><span class="fact">{{value.fact}}</span> {{value.hint}}</p>',
            js_on_load=None,
            apply_default_css=False,
        )
