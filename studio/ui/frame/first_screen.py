"""The first screen: Speak as plain markup in the page's document, so that somebody can write and speak before Gradio has come.

assets/web/frame/first_screen.js runs it, and hands each part over to Gradio's component of the same name once that is there.
"""

import html
import json
import re

import gradio as gr

from studio.ui.gradio import web

__all__ = ["first_screen"]

# Of the template: the place of a component, and of what else is put in.
PART = re.compile(r"<!-- part ([\w-]+) -->")
TABS, TRANSPORT = "<!-- tabs -->", "TRANSPORT"
RELAY = "relay"  # the component whose value says which transport the page uses


def first_screen(page: gr.Blocks, first_room: str) -> str:
    """Markup with marks of words; "" where a part has no component of that name any more. page: as it is served."""
    named = {block.elem_id: block for block in page.blocks.values() if getattr(block, "elem_id", None)}
    shell = web.markup("frame/first_screen")
    parts = {name: part for name in [*PART.findall(shell), RELAY] if isinstance(part := named.get(name), gr.HTML)}
    if not all(name in parts for name in [*PART.findall(shell), RELAY]):
        return ""
    tabs = [_tab(block, first_room) for block in page.blocks.values() if isinstance(block, gr.Tab)]
    shell = shell.replace(TRANSPORT, parts[RELAY].value["transport"]).replace(TABS, "".join(tabs))
    return PART.sub(lambda found: _part(found[1], parts[found[1]]), shell)


def _part(name: str, component: gr.HTML) -> str:
    """A component's markup, with what a script needs to call its functions."""
    functions = html.escape(json.dumps([call.__name__ for call in component.server_fns or []]))
    known = f'data-mount="{name}" data-component="{component._id}" data-functions="{functions}"'
    return f'<div class="first-block first-{name}"><div {known}>{component.html_template}</div></div>'


def _tab(tab: gr.Tab, first_room: str) -> str:
    chosen = str(tab.id == first_room).lower()
    return f'<button type="button" data-room="{tab.id}" aria-pressed="{chosen}">{tab.label}</button>'
