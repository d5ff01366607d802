"""Voices: the library. Verbs: find, hear, choose, teach, edit, replace, delete with undo, export, import.

An empty library offers a first voice at one press.
"""

import time
from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.speakers.consent import BLENDED, DESIGNED, REASONS, RECORDED
from studio.speakers.demo import demo_recording
from studio.speakers.speaker import Speaker
from studio.speakers.voiceprint import PRINT_DIGITS, print_digest
from studio.ui.cache.cache_tab import SHOWN
from studio.ui.clips.clip_intake import MOST_CLIP_BYTES
from studio.ui.clips.clip_report import judge_name
from studio.ui.clips.extracting import extract_voice
from studio.ui.create.creating import ADOPTED_LIMITS, adopt_tensor, kind_of, look_at_tensor
from studio.ui.engines.engine_state import PromptStanding, prompt_standings, voice_incompatibility_of
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, PRESSED, QUEUED, named, visited
from studio.ui.gradio.news import News, VerifiedDigests, changes, kept_by_the_window
from studio.ui.gradio.words import problem_words
from studio.ui.listening_tests.listening_acts import voice_tests
from studio.ui.speak.speaking import fill
from studio.ui.voices.aliases import build_aliases
from studio.ui.voices.voice_acts import act_on_voice, make_demo, voice_uses

__all__ = ["VoicesFields", "build_voices_fields", "show_voices", "speak_with", "voices_value", "wire_voices"]

Value = dict[str, object]
MADE = (DESIGNED, BLENDED)  # by an engine, and no person spoke
LIMITS = {"sent_bytes": MOST_CLIP_BYTES} | ADOPTED_LIMITS


@dataclass(frozen=True)
class VoicesFields:
    """The tab's components, for the page to wire. answer: what the last act came to, for the script; it shows nothing."""

    library: gr.HTML
    answer: gr.HTML


def build_voices_fields(studio: Studio) -> VoicesFields:
    """The tab's components in their order on the page; called inside of the tab."""
    library = gr.HTML(
        None,
        elem_id="voices",
        html_template=web.markup("voices/voices"),
        js_on_load=web.mount("voices", "act", "look", "speak", "create", calls=True),
        apply_default_css=False,
        server_functions=[
            named(handler, studio)
            for handler in (judge_name, extract_voice, make_demo, voice_tests, voice_uses, look_at_tensor, adopt_tensor)
        ],
    )
    build_aliases(studio)
    answer = gr.HTML(None, elem_id="voices-answer", html_template="", js_on_load=web.mount("voices-answer"), apply_default_css=False)
    return VoicesFields(library, answer)


def wire_voices(studio: Studio, fields: VoicesFields, tab: gr.Tab, news: News, speak: list) -> None:
    """news: brings what changed elsewhere. speak: the Speak tab's composer, and the tabs."""
    _, tabs = speak
    checked, seen = VerifiedDigests(), kept_by_the_window("voices")
    shown = [fields.library, seen]
    show = named(show_voices, studio, checked)

    def ask(asked: gr.EventData) -> Value:
        return act_on_voice(visited(studio), asked._data)

    def choose(asked: gr.EventData) -> tuple:
        return speak_with(asked._data["voice"])

    tab.select(show, None, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    news.bring(named(show_changed_voices, studio, checked), [seen], shown)
    fields.library.act(ask, None, fields.answer, **QUEUED).then(show, None, shown, **LIGHT)
    fields.library.look(show, None, shown, **LIGHT)
    fields.library.create(lambda: gr.update(selected="create"), None, tabs, **LIGHT)
    fields.library.speak(choose, None, speak, **PRESSED)


def show_voices(studio: Studio, checked: VerifiedDigests) -> tuple[Value, str]:
    """The library, and the digest of it."""
    version = _version(studio)  # before the look, so that a change between the two is looked at again
    value = voices_value(studio)
    return value, checked.note(version, studio.workspace, value | {"at": None})


def show_changed_voices(studio: Studio, checked: VerifiedDigests, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, 1, lambda: show_voices(studio, checked), checked.is_true(seen, _version(studio)))


def speak_with(voice: str) -> tuple:
    """Choose a voice in the Speak tab and go there: (composer, tabs)."""
    return fill(voice), gr.update(selected="speak")


def voices_value(studio: Studio) -> Value:
    """What assets/web/voices/voices.js draws: keys and figures, which it says in the reader's language. Names of people are set as
    text there.

    demo: the print of the demo voice, and the rate at which it will sound; only where there is no voice.
    """
    voices = [_voice(studio, speaker, engines) for speaker, engines in prompt_standings(studio, studio.speakers())]
    return {
        "voices": voices,
        "reasons": list(REASONS),
        "languages": sorted({code for status in studio.engines() for code in status.info.languages}),
        "limits": LIMITS,
        "demo": None if voices else _demo(studio),
        "at": time.time_ns(),
    }


def _voice(studio: Studio, speaker: Speaker, engines: list[PromptStanding]) -> Value:
    """permission: the key of a reason, "stated" where only words were. permission_facts: those words, and when they were said.

    made_by: the engine that made the voice, "" where a person has it.
    consent: the recorded one, None without.
    """
    words, record = speaker.transcript, speaker.consent_record
    return {
        "id": speaker.generation_id,
        "name": speaker.name,
        "print": print_digest(speaker),
        "created_at": speaker.created_at,
        "description": speaker.description or "",
        "tags": list(speaker.tags),
        "transcript": words.text if words else "",
        "by_transcriber": words is not None and words.by_transcriber,
        "language": (words.language or "") if words else "",
        "seconds": speaker.seconds,
        "kind": kind_of(speaker.tensor),
        "permission": record.reason if record and record.reason in (*REASONS, *MADE) else "stated",
        "made_by": record.who if record and record.reason in MADE else "",
        "permission_facts": f"{_consent_words(speaker)}{f', {record.given_at}' if record else ''}",
        "consent": _recorded_consent(studio, speaker),
        "engines": [_standing(engine) for engine in engines],
        "obstacle": _incompatibility(studio, speaker, engines),
        "own": studio.workspace_speakers.owns(speaker),
    }


def _consent_words(speaker: Speaker) -> str:
    """What was stated; of a recorded consent its name, and what was heard in it; of a voice that an engine made what of, and its seed."""
    record = speaker.consent_record
    if record is not None and record.reason in MADE:
        return ", ".join(filter(None, (record.who, record.statement, record.seed)))
    if record is None or record.reason != RECORDED:
        return speaker.consent
    return ": ".join(filter(None, (record.who, record.statement)))


def _recorded_consent(studio: Studio, speaker: Speaker) -> Value | None:
    """Of a voice that rests on one: when it was recorded, and whether its words are "checked". id: "" where it cannot be heard here."""
    record = speaker.consent_record
    if record is None or record.reason != RECORDED:
        return None
    is_here = studio.workspace_speakers.owns(speaker) and any(kept.id == record.recording for kept in studio.consents.all())
    return {"id": record.recording if is_here else "", "at": record.given_at, "words": record.words}


def _incompatibility(studio: Studio, speaker: Speaker, engines: list[PromptStanding]) -> str:
    """Why nobody can speak with the voice, "" where somebody can, or may."""
    if shadow := studio.shadow_of(speaker):
        return " ".join(problem_words(shadow.code, shadow.values, (shadow.fact, shadow.hint)))
    obstacle = voice_incompatibility_of(engines)
    return obstacle.words if obstacle else ""


def _standing(engine: PromptStanding) -> Value:
    """state: one of the page's eight."""
    status = engine.status
    return {
        "engine": status.engine,
        "title": engine.title,
        "state": SHOWN.get(status.state, status.state),
        "code": status.code,
        "reason": engine.reason,
        "is_here": engine.is_here,
        "can_learn": status.can_learn,
    }


def _demo(studio: Studio) -> Value:
    sample_rate = studio.engine_info().sample_rate
    clip = demo_recording().clip
    assert clip is not None  # it is a sound
    return {"print": clip.digest[:PRINT_DIGITS], "sample_rate": sample_rate}


def _version(studio: Studio) -> str:
    speakers = [(speaker.generation_id, speaker.revision) for speaker in studio.speakers()]
    engines = [(status.state, studio.weights.status(status.info.id).state) for status in studio.engines()]
    return f"{studio.matrix.version()} {hash(tuple(speakers))} {engines}"
