"""Takes: what was spoken on this page, beside the composer. Drawn by assets/web/takes.js from the list in runs.js."""

import gradio as gr

from studio.ui import web

__all__ = ["build_takes"]


def build_takes() -> gr.HTML:
    return gr.HTML(None, elem_id="takes", html_template=web.markup("takes"), js_on_load=web.mount("takes"), apply_default_css=False)
