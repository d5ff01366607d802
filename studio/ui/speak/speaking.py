"""Speak: choose a voice and an engine, type or record, hear. Speech goes from the API to the player without passing through Gradio.

What is recorded to be said again comes as a draft, as in Create voice, and its speech by the relay.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.speakers.clip_draft import ClipDrafts
from studio.ui.clips.clip_intake import drop_clip, find_clip, region_sound, take_clip
from studio.ui.gradio import web
from studio.ui.gradio.lines import message_line
from studio.ui.gradio.messages import answered
from studio.ui.gradio.news import Checked, News
from studio.ui.gradio.visit import LIGHT, named
from studio.ui.speak.choices import name_languages, show_choice
from studio.ui.speak.segments import preview_text
from studio.ui.speak.takes import build_takes

__all__ = ["SpeakFields", "build_speak_fields", "fetch_weights", "fill", "wire_speak"]

Value = dict[str, object]


@dataclass(frozen=True)
class SpeakFields:
    """The section's components, for the page to wire. composer: its value is what `fill` gives; all else its script asks by itself.

    show_choice: what it asks about voices and engines.
    """

    composer: gr.HTML
    message: gr.HTML
    takes: gr.HTML
    show_choice: Callable[[Value], Value]


def build_speak_fields(studio: Studio, drafts: ClipDrafts) -> SpeakFields:
    """The section's components in their order on the page; called inside of the tab."""
    show_this_choice = named(show_choice, studio, Checked())
    asked_of_drafts = [named(one, drafts) for one in (take_clip, find_clip, region_sound, drop_clip)]
    asked = [show_this_choice, *(named(one, studio) for one in (preview_text, fetch_weights, name_languages))]
    with gr.Row(elem_classes="speak"):
        with gr.Column(elem_classes="speak-main"):
            composer = gr.HTML(
                None,
                elem_id="composer",
                html_template=web.markup("speak/composer"),
                js_on_load=web.mount("composer", calls=True),
                apply_default_css=False,
                server_functions=asked + asked_of_drafts,
            )
            message = message_line("speak-message")
            gr.HTML(
                None, elem_id="result", html_template=web.markup("speak/result"), js_on_load=web.mount("result"), apply_default_css=False
            )
        takes = build_takes()
    return SpeakFields(composer, message, takes, show_this_choice)


def wire_speak(fields: SpeakFields, tab: gr.Tab, news: News) -> None:
    """news: tells the composer what changed elsewhere. tab: shown again, it takes what it was filled with meanwhile."""
    news.tell("choice", fields.show_choice)
    tab.select(None, fields.composer, None, js="(filled) => studio.composer?.take(filled)", **LIGHT)


def fill(voice: str, **more: object) -> Value:
    """A value for the composer: what it is to hold from now on. A handler gives it together with the tabs, turned to Speak.

    more: engine, text, options, language; what is left out stays as it is, but options and language go to their defaults where either is
    given. speak: press Speak, too. The sound must have been unlocked inside of the click (`player.unlock()`).
    """
    return {"fill": {"voice": voice} | more, "at": time.time_ns()}


@answered
def fetch_weights(studio: Studio, asked: Value) -> Value:
    """Begin to get an engine's weights. asked: {engine}."""
    studio.weights.begin(str(asked["engine"]))
    return {}
