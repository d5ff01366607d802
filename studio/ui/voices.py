"""Voices: the library. Find, hear, choose, edit, replace, delete with a way back, take away, bring in."""

import time
from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.speakers.consent import REASONS
from studio.speakers.speaker import Speaker
from studio.speakers.voiceprint import print_digest
from studio.ui import web
from studio.ui.events import LIGHT, named
from studio.ui.lines import message_line
from studio.ui.matrix import SHOWN
from studio.ui.naming import judge_name
from studio.ui.seen import changes, seen_of
from studio.ui.speaking import fill
from studio.ui.standing import EngineStanding, obstacle_of, standings
from studio.ui.visit import visited
from studio.ui.voice_acts import act_on_voice
from studio.ui.words import words

__all__ = ["VoicesFields", "build_voices_fields", "show_voices", "speak_with", "voices_value", "wire_voices"]

Value = dict[str, object]


@dataclass(frozen=True)
class VoicesFields:
    """The tab's components, for the page to wire. answer: what the last act came to, for the script; it shows nothing."""

    table: gr.HTML
    answer: gr.HTML
    message: gr.HTML


def build_voices_fields(studio: Studio) -> VoicesFields:
    """The tab's components in their order on the page; called inside of the tab."""
    gr.HTML("<h2>Voices</h2>", elem_id="voices-title", js_on_load=None)
    message = message_line("voices-message")
    table = gr.HTML(
        None,
        elem_id="voices",
        html_template=web.markup("voices"),
        js_on_load=web.mount("voices", "act", "speak", "create", calls=True),
        apply_default_css=False,
        server_functions=[named(judge_name, studio)],
    )
    answer = gr.HTML(None, elem_id="voices-answer", html_template="", js_on_load=web.mount("voices-answer"), apply_default_css=False)
    return VoicesFields(table, answer, message)


def wire_voices(studio: Studio, fields: VoicesFields, tab: gr.Tab, timer: gr.Timer, speak: list) -> None:
    """timer: its ticks bring what changed elsewhere. speak: the Speak tab's composer, and the tabs."""
    _, tabs = speak
    seen = gr.State("")
    shown = [fields.table, seen]
    show = named(show_voices, studio)

    def ask(asked: gr.EventData) -> tuple[Value, Value]:
        return act_on_voice(visited(studio), asked._data)

    def choose(asked: gr.EventData) -> tuple:
        return speak_with(asked._data["voice"], speak=bool(asked._data.get("speak")))

    tab.select(show, None, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    timer.tick(named(show_changed_voices, studio), seen, shown, **LIGHT)
    acting = {"show_progress": "hidden", "concurrency_limit": None, "api_visibility": "private"}
    fields.table.act(ask, None, [fields.answer, fields.message], **acting).then(show, None, shown, **LIGHT)
    fields.table.create(lambda: gr.update(selected="create"), None, tabs, **LIGHT)
    fields.table.speak(choose, None, speak, **LIGHT)


def show_voices(studio: Studio) -> tuple[Value, str]:
    """The library, and which version it is."""
    version = _version(studio)  # before the look, so that a change between the two is looked at again
    value = voices_value(studio)
    return value, seen_of(version, value | {"at": None})


def show_changed_voices(studio: Studio, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, _version(studio), 1, lambda: show_voices(studio))


def speak_with(voice: str, *, speak: bool = False) -> tuple:
    """Choose a voice in the Speak tab and go there, and perhaps speak what stands there: (composer, tabs)."""
    plainly = {"options": {}, "language": "", "speak": True} if speak else {}
    return fill(voice, **plainly), gr.update(selected="speak")


def voices_value(studio: Studio) -> Value:
    """What assets/web/voices.js draws. Names and words of people are set as text there."""
    return {
        "voices": [_row(studio, speaker, engines) for speaker, engines in standings(studio, studio.speakers())],
        "reasons": [[key, reason.label, reason.statement] for key, reason in REASONS.items()],
        "at": time.time_ns(),
    }


def _row(studio: Studio, speaker: Speaker, engines: list[EngineStanding]) -> Value:
    words, record, obstacle = speaker.transcript, speaker.consent_record, obstacle_of(engines)
    return {
        "name": speaker.name,
        "print": print_digest(speaker),
        "created_at": speaker.created_at,
        "description": speaker.description or "",
        "tags": list(speaker.tags),
        "transcript": words.text if words else "",
        "language": (words.language or "") if words else "",
        "seconds": speaker.seconds,
        "consent": REASONS[record.reason].label if record and record.reason in REASONS else "stated",
        "consent_facts": f"{speaker.consent}{f', {record.given_at}' if record else ''}",
        "engines": [_chip(engine) for engine in engines],
        "obstacle": f"No engine can speak with it. {obstacle.words}" if obstacle else "",
        "own": studio.shelf.owns(speaker),
    }


def _chip(engine: EngineStanding) -> Value:
    """place: the state that the matrix has."""
    state = engine.status.state
    return {"title": engine.title, "place": state, "words": words(f"cache.state_{SHOWN.get(state, state)}"), "reason": engine.reason}


def _version(studio: Studio) -> str:
    speakers = [(speaker.generation_id, speaker.revision) for speaker in studio.speakers()]
    engines = [(status.state, studio.weights.status(status.info.id).state) for status in studio.engines()]
    return f"{studio.matrix.version()} {hash(tuple(speakers))} {engines}"
