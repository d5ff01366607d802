"""Speak: choose a voice and an engine, type, hear. The sound itself goes from the API to the player without passing through Gradio."""

from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.ui import choices, web
from studio.ui.events import AS_SENT, named
from studio.ui.lines import facts_line, message_line
from studio.ui.messages import Message
from studio.ui.segments import build_segments
from studio.ui.visit import visited
from studio.ui.voice_acts import act_on_voice

__all__ = ["START", "SpeakFields", "build_speak_fields", "restore_voice", "set_voice_aside", "wire_deletion"]

START = "(voice, engine, text) => studio.speaking.start({ voice, engine, text, language: studio.options.language.value })"
ASK_FIRST = """async (voice) => [
  await studio.ask(`Delete the voice “${voice}” with its recording and everything learned from it?`, "Delete it") ? voice : null
]"""
SAMPLE_TEXT = "This is my voice. It was learned from a few seconds of speech."


@dataclass(frozen=True)
class SpeakFields:
    """The section's components, for the page to wire. undo: the last deletion, for the script that offers to undo it."""

    voice: gr.Dropdown
    delete: gr.Button
    undo: gr.HTML
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
        voice = gr.Dropdown([], label="Voice", elem_id="voice", scale=1, min_width=200, interactive=False)  # until it has come
        engine = gr.Dropdown([], label="Engine", elem_id="engine", scale=1, min_width=200, interactive=False)
    facts = facts_line("choice-facts")
    delete = gr.Button("Delete voice", elem_id="delete-button", size="sm", interactive=False)
    undo = gr.HTML(None, elem_id="speak-undo", html_template="", js_on_load=web.mount("speak-undo", "undo"), apply_default_css=False)
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
    return SpeakFields(voice, delete, undo, engine, facts, text, segments, options, bar, message)


def wire_deletion(studio: Studio, fields: SpeakFields) -> tuple[gr.events.Dependency, gr.events.Dependency]:
    """Deleting, and undoing it. After either there are other voices to choose from, which is for the page to show."""

    def bring_back(engine: str, asked: gr.EventData) -> tuple:
        return restore_voice(visited(studio), engine, asked._data["undo"])

    deleting = fields.delete.click(named(set_voice_aside, studio), fields.voice, [fields.undo, fields.message], js=ASK_FIRST, **AS_SENT)
    return deleting, fields.undo.undo(bring_back, fields.engine, [fields.voice, fields.message], **AS_SENT)


def set_voice_aside(studio: Studio, voice: str | None) -> tuple:
    """(what can be undone, the message), as the library deletes. voice: None when the person thought better of it."""
    if not voice:
        return gr.skip(), Message("note", "").as_value()
    return act_on_voice(studio, {"act": "delete", "voice": voice})


def restore_voice(studio: Studio, engine: str | None, undo: str) -> tuple:
    """(the voice field with the voice chosen that came back, the message). undo: as `set_voice_aside` answered."""
    answer, message = act_on_voice(studio, {"act": "restore", "undo": undo})
    if not answer["done"]:
        return gr.skip(), message
    return gr.update(choices=choices.voice_choices(studio, choices.chosen_engine(studio, engine)), value=message["voice"]), message
