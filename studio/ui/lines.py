"""Lines of words on the page: what happened, what is chosen, how full the cache is. Values are escaped by the template or set as text."""

import gradio as gr

from studio.ui import web

__all__ = ["facts_line", "message_line", "stats_line"]


def message_line(elem_id: str) -> gr.HTML:
    """Empty until something is said; assets/web/notices.js writes Message values into it, and the scripts' own words."""
    return gr.HTML(None, elem_id=elem_id, html_template=web.markup("notice"), js_on_load=web.mount(elem_id), apply_default_css=False)


def facts_line(elem_id: str) -> gr.HTML:
    """Value: {state, engine, prompt}, and what studio/ui/page.py remembers in it. Double braces escape."""
    return gr.HTML(
        {"state": "", "engine": "", "prompt": ""},
        elem_id=elem_id,
        html_template='<p class="facts" data-state="{{value.state}}">{{value.engine}}</p><p class="facts">{{value.prompt}}</p>',
        js_on_load=None,
        apply_default_css=False,
    )


def stats_line(elem_id: str) -> gr.HTML:
    return gr.HTML("", elem_id=elem_id, html_template='<p class="stats">{{value}}</p>', js_on_load=None, apply_default_css=False)
