"""build_page: the page's frame and its wiring. Sections have their own files; the player stands outside of them and always works.

The rooms of the studio: the page's tabs, in their order. A room is shown once somebody builds it.
What a visitor has to know before a voice is made: that it vanishes. The owner: what would keep it, and how much each visitor may have.
"""

from collections.abc import Callable, Mapping
from typing import TypedDict, cast

import gradio as gr

from studio.audio.spoken_sounds import SpokenSounds
from studio.service import Studio
from studio.settings import Settings
from studio.speakers.clip_draft import ClipDrafts
from studio.ui.cache.cache_tab import CacheFields, build_cache_fields, wire_cache
from studio.ui.create.creating import CreateFields, build_create_fields, wire_create, wire_speak_now
from studio.ui.frame.masthead import TITLE, build_masthead, wire_masthead
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, named
from studio.ui.gradio.news import News
from studio.ui.gradio.sessions import bound_sessions
from studio.ui.gradio.uncounted import leave_uncounted
from studio.ui.listening_tests.tests_tab import ListeningTestsFields, build_tests_fields, wire_tests
from studio.ui.programs.api_tab import build_api_tab
from studio.ui.programs.compare_tab import build_compare_fields
from studio.ui.programs.endpoints import build_endpoints, close_other_endpoints
from studio.ui.scripts.scripts_tab import build_scripts_tab
from studio.ui.speak.history import HistoryFields, build_history_fields, wire_history
from studio.ui.speak.relay import Relays, build_relay, wire_relay
from studio.ui.speak.speaking import SpeakFields, build_speak_fields, wire_speak
from studio.ui.voices.voices import VoicesFields, build_voices_fields, wire_voices

__all__ = ["FIRST_ROOM", "ROOMS", "build_page", "build_rooms", "build_space_notes", "show_space_notes"]

Value = dict[str, object]

FIRST_ROOM = "speak"
# (room, the words on its tab); its elements are in `<room>-section`.
ROOMS = (
    ("speak", "@@frame.room_speak@@"),
    ("voices", "@@frame.room_voices@@"),
    ("create", "@@frame.room_create@@"),
    ("compare", "@@frame.room_compare@@"),
    ("scripts", "@@frame.room_scripts@@"),
    ("tests", "@@frame.room_tests@@"),
    ("cache", "@@frame.room_cache@@"),
    ("history", "@@frame.room_history@@"),
    ("api", "@@frame.room_api@@"),
)


def build_rooms(builders: Mapping[str, Callable[[], object]]) -> tuple[gr.Tabs, dict[str, gr.Tab], dict[str, object]]:
    """(the tabs, each room's own, what its builder made). builders: by room; one without one is not shown."""
    shown, made = {}, {}
    with gr.Tabs(selected=FIRST_ROOM, elem_id="tabs", overflow_behavior="wrap") as tabs:
        for room, words in [(room, words) for room, words in ROOMS if room in builders]:
            with gr.Tab(words, id=room, elem_id=f"{room}-section", elem_classes="section") as shown[room]:
                made[room] = builders[room]()
    return tabs, shown, made


# Gradio sweeps its upload folder: seconds between sweeps, and the age of what goes. Our own uploads are gone long before.
SWEEP = (600, 3600)
# An idle Gradio looks for queued events 1000 times a second, and for progress 100 times, for 5 % of a core. What is done to voices
# waits half of this, on average, and on a Space speech does: there it looks more often. No event tells of progress.
LOOK_SECONDS, SPACE_LOOK_SECONDS, PROGRESS_SECONDS = 0.02, 0.002, 1.0


def build_page(studio: Studio, sounds: SpokenSounds, news: News) -> gr.Blocks:
    """The page, not yet mounted: `page_app` does that. sounds: that its endpoints let programs fetch. news: new; it is filled."""
    relays, drafts, notes = Relays(), ClipDrafts(), []
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=SWEEP, fill_width=True) as page:
        head = build_masthead(studio)
        tabs, tab, built = build_rooms(_builders(studio, drafts, notes))
        made = cast(_Made, built)
        gr.HTML(None, elem_id="player", html_template=web.markup("sound/player"), js_on_load=web.mount("player"), apply_default_css=False)
        wire_masthead(studio, head, page, news)
        if notes:
            page.load(named(show_space_notes, studio), None, notes, **LIGHT)
        speak = made["speak"]
        wire_speak(speak, tab["speak"], news)
        wire_create(studio, made["create"], speak.composer)
        wire_speak_now(made["create"], tabs)
        wire_relay(studio, build_relay(studio), page, relays, drafts)
        build_endpoints(studio, page, relays, sounds)
        wire_cache(studio, made["cache"], tab["cache"], news, [speak.composer, tabs])
        wire_voices(studio, made["voices"], tab["voices"], news, [speak.composer, tabs])
        wire_tests(studio, made["tests"], tab["tests"], news)
        wire_history(studio, made["history"], speak, tab, news=news, tabs=tabs)
        news.wire()
    close_other_endpoints(page)
    bound_sessions(page)
    page._queue.sleep_when_free = SPACE_LOOK_SECONDS if studio.settings.space_id else LOOK_SECONDS
    page._queue.progress_update_sleep_when_free = PROGRESS_SECONDS
    if studio.settings.workspaces == "private":
        leave_uncounted(page)
    return page


class _Made(TypedDict):
    """What the builders of `_builders` make, of rooms that others are wired to."""

    speak: SpeakFields
    voices: VoicesFields
    create: CreateFields
    tests: ListeningTestsFields
    cache: CacheFields
    history: HistoryFields


def _builders(studio: Studio, drafts: ClipDrafts, notes: list[gr.HTML]) -> dict[str, Callable[[], object]]:
    """What is in each room that there is, by the room's id; called inside of its tab. notes: takes those of build_space_notes."""
    settings = studio.settings
    return {
        "speak": lambda: build_speak_fields(studio, drafts),
        "voices": lambda: (notes.extend(build_space_notes(settings)), build_voices_fields(studio))[1],
        "create": lambda: (notes.extend(build_space_notes(settings, "create-")), build_create_fields(studio, drafts))[1],
        "compare": lambda: build_compare_fields(studio),
        "scripts": lambda: build_scripts_tab(studio),
        "tests": lambda: build_tests_fields(studio),
        "cache": build_cache_fields,
        "history": lambda: build_history_fields(studio),
        "api": build_api_tab,
    }


# --- what there is to know before a voice is made


def build_space_notes(settings: Settings, prefix: str = "") -> list[gr.HTML]:
    """At the top of a room, as a visitor sees them. prefix: of their ids, so that two rooms can have them."""
    if not settings.has_visitors:
        return []
    names = (f"{prefix}storage", f"{prefix}workspace")
    return [_note(elem_id, value) for elem_id, value in zip(names, (_vanishing(settings), None), strict=True)]


def show_space_notes(studio: Studio) -> tuple[Value | None, ...]:
    """The notes of both rooms for whoever comes: the owner is told what would keep voices, and how many each visitor may have."""
    settings = studio.settings
    owners = (_unkept(settings), _apart(settings))
    return (owners if studio.is_owner else (_vanishing(settings), None)) * 2


def _note(elem_id: str, value: Value | None) -> gr.HTML:
    """value: {kind, icon} of the notice and {fact, hint, values}, as keys of the section "frame", which assets/web/frame/space_note.js
    says; None: it is hidden.
    """
    return gr.HTML(
        value, elem_id=elem_id, html_template=web.markup("frame/space_note"), js_on_load=web.mount("space-note"), apply_default_css=False
    )


def _vanishing(settings: Settings) -> Value | None:
    """What a visitor loses, and when; None where nothing is lost."""
    hours = {"hours": settings.workspace_hours} if settings.workspace_hours and settings.workspaces == "private" else {}
    if settings.is_lasting and not hours:
        return None
    fact, hint = ("vanishing_hours", "vanishing_keep") if settings.is_lasting else ("vanishing", f"vanishing_keep{'_hours' * bool(hours)}")
    return {"kind": "care", "icon": "warning", "fact": fact, "hint": hint, "values": hours}


def _unkept(settings: Settings) -> Value | None:
    if settings.is_lasting:
        return None
    values = {"storage": str(settings.space_storage)}
    return {"kind": "care", "icon": "warning", "fact": "vanishing", "hint": "vanishing_hint", "values": values}


def _apart(settings: Settings) -> Value | None:
    if settings.workspaces != "private":
        return None
    values = {"voices": settings.most_workspace_speakers, "takes": settings.most_history_entries, "hours": settings.workspace_hours}
    hint = "apart_hours_hint" if settings.workspace_hours else "apart_hint"
    return {"kind": "note", "icon": "info", "fact": "apart", "hint": hint, "values": values}
