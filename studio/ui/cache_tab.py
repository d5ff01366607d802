"""Cache & models: the matrix of voices and engines and the engines' cards, live in every open window."""

from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.ui import web
from studio.ui.engine_cards import act_on_engine, cards_value
from studio.ui.events import LIGHT, named
from studio.ui.lines import message_line
from studio.ui.matrix import act_on_prompt, matrix_value
from studio.ui.seen import changes, seen_of
from studio.ui.visit import visited

__all__ = ["CacheFields", "build_cache_fields", "show_cache", "show_changes", "wire_cache"]


@dataclass(frozen=True)
class CacheFields:
    """The tab's components, for the page to wire. seen: which version of everything this window shows."""

    find: gr.Textbox
    matrix: gr.HTML
    cards: gr.HTML
    message: gr.HTML
    seen: gr.State


def build_cache_fields() -> CacheFields:
    """The tab's components in their order on the page; called inside of the tab."""
    gr.HTML(web.markup("cache_title"), elem_id="cache-title", js_on_load=None, apply_default_css=False)
    find = gr.Textbox(label="Find a voice", elem_id="cache-find", placeholder="Part of a name", max_lines=1)
    matrix = gr.HTML(
        None, elem_id="cache-matrix", html_template=web.markup("matrix"), js_on_load=web.mount("matrix", "act"), apply_default_css=False
    )
    message = message_line("cache-message")
    gr.HTML("<h2>Models</h2>", elem_id="models-title", js_on_load=None)
    cards = gr.HTML(
        None,
        elem_id="engine-cards",
        html_template=web.markup("engine_cards"),
        js_on_load=web.mount("engine-cards", "act"),
        apply_default_css=False,
    )
    return CacheFields(find, matrix, cards, message, gr.State(""))


def wire_cache(studio: Studio, fields: CacheFields, tab: gr.Tab, timer: gr.Timer) -> None:
    """timer: its ticks bring what changed, in whatever window or through the API."""
    shown = [fields.matrix, fields.cards, fields.seen]
    show = named(show_cache, studio)

    def ask_of_prompt(asked: gr.EventData) -> dict[str, object]:
        return act_on_prompt(visited(studio), asked._data)

    def ask_of_engine(asked: gr.EventData) -> dict[str, object]:
        return act_on_engine(visited(studio), asked._data)

    tab.select(show, fields.find, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    fields.find.input(show, fields.find, shown, **LIGHT)
    timer.tick(named(show_changes, studio), [fields.find, fields.seen], shown, **LIGHT)
    fields.matrix.act(ask_of_prompt, None, fields.message, **LIGHT).then(show, fields.find, shown, **LIGHT)
    fields.cards.act(ask_of_engine, None, fields.message, **LIGHT).then(show, fields.find, shown, **LIGHT)


def show_cache(studio: Studio, find: str) -> tuple:
    """Matrix, cards, and which version they are."""
    version = _version(studio)  # before the look, so that a change between the two is looked at again
    shown = matrix_value(studio, find), cards_value(studio)
    return *shown, seen_of(version, shown)


def show_changes(studio: Studio, find: str, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, _version(studio), 2, lambda: show_cache(studio, find))


def _version(studio: Studio) -> str:
    return f"{studio.matrix.version()} {hash(studio.engines())} {[studio.weights.status(status.info.id) for status in studio.engines()]}"
