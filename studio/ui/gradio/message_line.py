"""Message lines of the page: they say what happened. Values are set as text."""

import gradio as gr

from studio.ui.gradio import web

__all__ = ["message_line"]


def message_line(elem_id: str) -> gr.HTML:
    """Empty until something is said; assets/web/kit/notices.js writes Message values into it, and the scripts' own words."""
    return gr.HTML(None, elem_id=elem_id, html_template=web.markup("kit/notice"), js_on_load=web.mount(elem_id), apply_default_css=False)
