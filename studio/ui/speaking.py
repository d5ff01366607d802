"""Speak: choose a voice and an engine, type, hear. The sound itself goes from the API to the player without passing through Gradio."""

from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.ui import web
from studio.ui.lines import facts_line, message_line
from studio.ui.messages import Message, said_on_the_page
from studio.ui.segments import build_segments

__all__ = ["SpeakFields", "build_speak_fields", "delete_voice"]

START = "(voice, engine, text) => studio.speaking.start({ voice, engine, text, language: studio.options.language.value })"
ASK_FIRST = """async (voice) => [
  await studio.ask(`Delete the voice “${voice}” with its recording and everything learned from it?`, "Delete it") ? voice : null
]"""
SAMPLE_TEXT = "This is my voice. It was learned from a few seconds of speech."


@dataclass(frozen=True)
class SpeakFields:
    """The section's components, for the page to wire."""

    voice: gr.Dropdown
    delete: gr.Button
    engine: gr.Dropdown
    facts: gr.HTML
    text: gr.Textbox
    segments: gr.HTML
    options: gr.HTML
    bar: gr.HTML
    message: gr.HTML


def build_speak_fields() -> SpeakFields:
    """The section's components in their order on the page; called inside of a column."""
    gr.HTML("<h2>Speak</h2>", elem_id="speak-title", js_on_load=None)
    with gr.Row(elem_id="choice-row"):
        voice = gr.Dropdown([], label="Voice", elem_id="voice", scale=1, min_width=200)
        engine = gr.Dropdown([], label="Engine", elem_id="engine", scale=1, min_width=200)
    facts = facts_line("choice-facts")
    delete = gr.Button("Delete voice", elem_id="delete-button", size="sm", interactive=False)
    text = gr.Textbox(SAMPLE_TEXT, label="Text", elem_id="text", lines=4, max_lines=12)
    segments = build_segments()
    options = gr.HTML(
        None, elem_id="options", html_template=web.markup("options"), js_on_load=web.mount("options"), apply_default_css=False
    )
    bar = gr.HTML(
        None,
        elem_id="speak-bar",
        html_template=web.markup("speaking"),
        js_on_load=web.mount("speaking", "speak", "ran"),
        apply_default_css=False,
    )
    message = message_line("speak-message")
    gr.HTML(None, elem_id="timing", html_template=web.markup("timing"), js_on_load=web.mount("timing"), apply_default_css=False)
    gr.HTML(None, elem_id="runs", html_template=web.markup("runs"), js_on_load=web.mount("runs"), apply_default_css=False)
    return SpeakFields(voice, delete, engine, facts, text, segments, options, bar, message)


@said_on_the_page
def delete_voice(studio: Studio, voice: str | None) -> Message:
    """voice: None when the person thought better of it."""
    if not voice:
        return Message("note", "")
    speaker = studio.forget(voice)
    return Message("done", f"{speaker.name} is deleted.", "Its recording and everything learned from it are gone.", voice=speaker.name)
