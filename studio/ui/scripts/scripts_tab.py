"""Scripts: a list, and an editor that reads like a screenplay. What is in the tab its script asks of /v1/studio/scripts, as any program does."""

import gradio as gr

from studio.ui.gradio import web

__all__ = ["build_scripts_tab"]


def build_scripts_tab() -> None:
    """The tab's component: its scripts, styles and words come when it is opened. Called inside of the tab."""
    gr.HTML(
        None,
        elem_id="scripts",
        html_template=web.markup("scripts/scripts"),
        js_on_load=web.mount("scripts-room"),
        apply_default_css=False,
    )
