"""API tab: the address, and code examples with the current choice filled in, for people who write programs."""

import gradio as gr

from studio.ui.gradio import web

__all__ = ["build_api_tab"]


def build_api_tab() -> gr.HTML:
    """Everything on it is the browser's to know: assets/web/frame/api.js takes the choice from the tab Speak."""
    return gr.HTML(None, elem_id="api", html_template=web.markup("frame/api"), js_on_load=web.mount("api"), apply_default_css=False)
