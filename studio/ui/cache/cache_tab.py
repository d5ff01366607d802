"""Cache & models: the matrix of voices and engines and the engines' cards, live in every open window."""

from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.ui.cache.matrix import act_on_prompt, matrix_value
from studio.ui.engines.engine_cards import act_on_engine, cards_value
from studio.ui.gradio import web
from studio.ui.gradio.lines import message_line
from studio.ui.gradio.news import Checked, News, changes, kept_by_the_window
from studio.ui.gradio.visit import LIGHT, named, visited
from studio.ui.speak.speaking import fill

__all__ = ["CacheFields", "build_cache_fields", "show_cache", "show_changes", "wire_cache"]


@dataclass(frozen=True)
class CacheFields:
    """The tab's components, for the page to wire. answer: what came of a press in the matrix. seen: see kept_by_the_window."""

    find: gr.Textbox
    matrix: gr.HTML
    answer: gr.HTML
    cards: gr.HTML
    message: gr.HTML
    seen: gr.Textbox


def build_cache_fields() -> CacheFields:
    """The tab's components in their order on the page; called inside of the tab."""
    with gr.Row(elem_id="cache-title"):
        gr.HTML(web.markup("engines/cache_title"), js_on_load=None, apply_default_css=False)
        find = gr.Textbox(label="@@cache.find@@", elem_id="cache-find", placeholder="@@cache.find@@", max_lines=1)
    matrix = _mounted("matrix", "cache-matrix", "act", "speak")
    answer = gr.HTML(None, elem_id="cache-answer", html_template="", js_on_load=web.mount("cache-answer"), apply_default_css=False)
    message_line("cache-message")
    cards = _mounted("engine_cards", "engine-cards", "act")
    return CacheFields(find, matrix, answer, cards, message_line("engines-message"), kept_by_the_window("cache"))


def _mounted(markup: str, elem_id: str, *events: str) -> gr.HTML:
    """A component that a script draws."""
    mount = web.mount(markup.replace("_", "-"), *events)
    return gr.HTML(None, elem_id=elem_id, html_template=web.markup(f"engines/{markup}"), js_on_load=mount, apply_default_css=False)


def wire_cache(studio: Studio, fields: CacheFields, tab: gr.Tab, news: News, speak: list) -> None:
    """news: brings what changed, in whatever window or through the API. speak: the Speak tab's composer, and the tabs."""
    shown = [fields.matrix, fields.cards, fields.seen]
    checked = Checked()
    show = named(show_cache, studio, checked)

    def ask_of_prompt(asked: gr.EventData) -> dict[str, object]:
        return act_on_prompt(visited(studio), asked._data)

    def ask_of_engine(asked: gr.EventData) -> dict[str, object]:
        return act_on_engine(visited(studio), asked._data)

    def choose(asked: gr.EventData) -> tuple:
        return speak_with(asked._data["voice"], asked._data["engine"])

    tab.select(show, fields.find, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    fields.find.input(show, fields.find, shown, **LIGHT)
    news.bring(named(show_changes, studio, checked), [fields.find, fields.seen], shown)
    fields.matrix.act(ask_of_prompt, None, fields.answer, **LIGHT).then(show, fields.find, shown, **LIGHT)
    fields.matrix.speak(choose, None, speak, **LIGHT)
    fields.cards.act(ask_of_engine, None, fields.message, **LIGHT).then(show, fields.find, shown, **LIGHT)


def speak_with(voice: str, engine: str) -> tuple:
    """Choose both in the Speak tab and go there: (composer, tabs)."""
    return fill(voice, engine=engine), gr.update(selected="speak")


def show_cache(studio: Studio, checked: Checked, find: str) -> tuple:
    """Matrix, cards, and the digest of both."""
    version = _version(studio, find)  # before the look, so that a change between the two is looked at again
    shown = matrix_value(studio, find), cards_value(studio)
    return *shown, checked.note(version, studio.workspace, shown)


def show_changes(studio: Studio, checked: Checked, find: str, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, 2, lambda: show_cache(studio, checked, find), checked.is_true(seen, _version(studio, find)))


def _version(studio: Studio, find: str) -> str:
    engines = studio.engines()
    weights = [studio.weights.status(status.info.id) for status in engines]
    return f"{studio.matrix.version()} {hash(engines)} {weights} {find}"
