"""Takes: the last that was spoken, beside the composer. history.py says what there is; what is spoken now the script knows."""

import gradio as gr

from studio.ui.gradio import web

__all__ = ["build_takes"]


def build_takes() -> gr.HTML:
    """An empty list, which its script fills."""
    return gr.HTML(
        None,
        elem_id="takes",
        html_template=web.markup("speak/takes"),
        js_on_load=web.mount("takes", "act", "again"),
        apply_default_css=False,
    )
