"""The masthead: what this is, and what a visitor of this very studio has to know before anything else."""

import gradio as gr

from studio.settings import Settings

__all__ = ["TITLE", "build_masthead"]

TITLE = "Voice cloning studio"
VANISHING = "Voices on this Space vanish when it restarts."
APART = "Your voices and your history are yours alone: no other visitor sees them."
SIGN_IN, SIGN_OUT = "Sign in with Hugging Face, to find your voices in any browser", "Sign out ({})"
LASTING = "Export the voices you want to keep, or attach a Storage Bucket to the Space at {storage}."


def build_masthead(settings: Settings) -> None:
    """Title and one sentence; where visitors are kept apart, what each may keep; on a Space without storage, that nothing stays."""
    gr.HTML(f"<h1>{TITLE}</h1><p>Record a few seconds of a voice, then hear your text in it.</p>", elem_id="masthead", js_on_load=None)
    if settings.workspaces == "private":
        _note("workspace", APART, _bounds(settings))
    if settings.has_login:
        gr.LoginButton(SIGN_IN, logout_value=SIGN_OUT, elem_id="login", size="sm")
    if not settings.is_lasting:
        _note("storage", VANISHING, LASTING.format(storage=settings.space_storage))


def _note(elem_id: str, fact: str, hint: str) -> None:
    gr.HTML(
        {"fact": fact, "hint": hint},
        elem_id=elem_id,
        html_template='<p class="message" data-kind="note"><span class="fact">{{value.fact}}</span> {{value.hint}}</p>',
        js_on_load=None,
        apply_default_css=False,
    )


def _bounds(settings: Settings) -> str:
    kept = f", each for {settings.workspace_hours:g} hours" if settings.workspace_hours else ""
    return f"You can keep {settings.most_workspace_speakers} voices and {settings.most_history_entries} speeches{kept}."
