"""build_page: the page's frame and its wiring. Sections have their own files; the player stands outside of them and always works."""

import gradio as gr

from studio.service import Studio
from studio.ui import choices, web
from studio.ui.api_tab import build_api_tab
from studio.ui.cache_tab import build_cache_fields, wire_cache
from studio.ui.creating import CreateFields, build_create_fields, wire_create, wire_speak_now
from studio.ui.endpoints import build_endpoints, close_other_endpoints
from studio.ui.events import LIGHT, named
from studio.ui.history import build_history_fields, wire_history
from studio.ui.lines import stats_line
from studio.ui.masthead import TITLE, build_masthead
from studio.ui.relay import Relays, build_relay, wire_relay
from studio.ui.segments import wire_segments
from studio.ui.speaking import START, SpeakFields, build_speak_fields, wire_deletion
from studio.ui.spoken_sounds import SpokenSounds
from studio.ui.uncounted import leave_uncounted
from studio.ui.voices import build_voices_fields, wire_voices

__all__ = ["build_page", "show_choices"]

# Gradio sweeps its upload folder: seconds between sweeps, and the age of what goes. Our own uploads are gone long before.
SWEEP = (600, 3600)
# An idle Gradio looks for queued events 1000 times a second, and for the progress of one 100 times, for 5 % of a core. What waits in that
# queue is speech through Gradio and what is done to voices; it waits half of this, on average. No event tells of progress.
LOOK_SECONDS, PROGRESS_SECONDS = 0.02, 1.0
TICK_SECONDS = 1.5  # every window shows within 2 s what happened in another one, or through the API


def build_page(studio: Studio, sounds: SpokenSounds) -> gr.Blocks:
    """The page, not yet mounted: `page_app` does that. sounds: that its endpoints let programs fetch."""
    relays = Relays()
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=SWEEP, fill_width=True) as page:
        build_masthead(studio.settings)
        with gr.Tabs(selected="speak", elem_id="tabs", overflow_behavior="wrap") as tabs:
            with gr.Tab("Voices", id="voices", elem_id="voices-section", elem_classes="section") as voices_tab:
                voices = build_voices_fields()
            with gr.Tab("Create voice", id="create", elem_id="create-section", elem_classes="section"):
                create = build_create_fields(studio)
            with gr.Tab("Speak", id="speak", elem_id="speak-section", elem_classes="section") as speak_tab:
                speak = build_speak_fields()
                stats = stats_line("cache-stats")
            with gr.Tab("Cache & models", id="cache", elem_id="cache-section", elem_classes="section") as cache_tab:
                cache = build_cache_fields()
            with gr.Tab("History", id="history", elem_id="history-section", elem_classes="section") as history_tab:
                history = build_history_fields()
            with gr.Tab("API", id="api", elem_id="api-section", elem_classes="section"):
                build_api_tab()
        gr.HTML(None, elem_id="player", html_template=web.markup("player"), js_on_load=web.mount("player"), apply_default_css=False)
        _wire(studio, page, create, speak, stats=stats, speak_tab=speak_tab)
        wire_speak_now(create, tabs)
        wire_segments(studio, speak.segments)
        wire_relay(studio, build_relay(studio), page, relays)
        build_endpoints(studio, relays, sounds)
        timer = gr.Timer(TICK_SECONDS)
        wire_cache(studio, cache, cache_tab, timer)
        wire_voices(studio, voices, voices_tab, timer, [speak.voice, speak.engine, tabs])
        wire_history(studio, history, history_tab, timer, [speak.voice, speak.engine, speak.text, tabs])
    close_other_endpoints(page)
    page._queue.sleep_when_free, page._queue.progress_update_sleep_when_free = LOOK_SECONDS, PROGRESS_SECONDS
    if studio.settings.workspaces == "private":
        leave_uncounted(page)
    return page


def _wire(studio: Studio, page: gr.Blocks, create: CreateFields, speak: SpeakFields, *, stats: gr.HTML, speak_tab: gr.Tab) -> None:
    chosen = [speak.voice, speak.engine]
    shown = [*chosen, speak.options, speak.facts, stats, speak.delete]
    show = named(show_choices, studio)
    page.load(show, chosen, shown, **LIGHT)
    speak_tab.select(show, chosen, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    for choice in chosen:
        choice.input(show, chosen, shown, **LIGHT)
    speak.bar.speak(None, [*chosen, speak.text], None, js=START, **LIGHT)
    speak.bar.ran(show, chosen, shown, **LIGHT)
    for changing in wire_deletion(studio, speak):
        changing.then(show, chosen, shown, **LIGHT)
    wire_create(studio, create, chosen).then(show, chosen, shown, **LIGHT)


def show_choices(studio: Studio, voice: str | None, engine: str | None) -> tuple:
    """Everything that depends on the choice, on what is stored and on the cache, for `shown` in `_wire`."""
    engine = choices.chosen_engine(studio, engine)
    voice = choices.chosen_voice(studio, voice, engine)
    return (
        gr.update(choices=choices.voice_choices(studio, engine), value=voice),
        gr.update(choices=choices.engine_choices(studio), value=engine),
        choices.choice_value(studio, voice, engine),
        choices.choice_facts(studio, voice, engine),
        choices.cache_line(studio),
        gr.update(interactive=choices.is_own(studio, voice)),
    )
