"""build_page: the page's frame and its wiring. Sections have their own files; the player stands outside of them and always works."""

import gradio as gr

from studio.service import Studio
from studio.ui import choices, web
from studio.ui.cache_tab import build_cache_fields, wire_cache
from studio.ui.creating import SEND_CLIP, CreateFields, Draft, build_create_fields, create_voice
from studio.ui.events import LIGHT, named
from studio.ui.lines import stats_line
from studio.ui.speaking import ASK_FIRST, START, SpeakFields, build_speak_fields, delete_voice

__all__ = ["build_page", "show_choices", "show_created"]

TITLE = "Voice cloning studio"
# Gradio sweeps its upload folder: seconds between sweeps, and the age of what goes. Our own uploads are gone long before.
SWEEP = (600, 3600)
TICK_SECONDS = 2.0  # every window shows what happened in another one, or through the API, after this time


def build_page(studio: Studio) -> gr.Blocks:
    """The page, not yet mounted: `page_app` does that."""
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=SWEEP, fill_width=True) as page:
        gr.HTML(f"<h1>{TITLE}</h1><p>Record a few seconds of a voice, then hear your text in it.</p>", elem_id="masthead", js_on_load=None)
        with gr.Tabs(selected="speak", elem_id="tabs"):
            with gr.Tab("Create voice", id="create", elem_id="create-section", elem_classes="section"):
                create = build_create_fields()
            with gr.Tab("Speak", id="speak", elem_id="speak-section", elem_classes="section") as speak_tab:
                speak = build_speak_fields()
                gr.HTML(None, elem_id="runs", html_template=web.markup("runs"), js_on_load=web.mount("runs"), apply_default_css=False)
                stats = stats_line("cache-stats")
            with gr.Tab("Cache & models", id="cache", elem_id="cache-section", elem_classes="section") as cache_tab:
                cache = build_cache_fields()
        gr.HTML(None, elem_id="player", html_template=web.markup("player"), js_on_load=web.mount("player"), apply_default_css=False)
        _wire(studio, page, create, speak, stats=stats, speak_tab=speak_tab)
        wire_cache(studio, cache, cache_tab, gr.Timer(TICK_SECONDS))
    return page


def _wire(studio: Studio, page: gr.Blocks, create: CreateFields, speak: SpeakFields, *, stats: gr.HTML, speak_tab: gr.Tab) -> None:
    chosen = [speak.voice, speak.engine]
    shown = [*chosen, speak.options, speak.facts, stats, create.transcript, speak.delete]
    show = named(show_choices, studio)
    page.load(show, chosen, shown, **LIGHT)
    speak_tab.select(show, chosen, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    for choice in chosen:
        choice.input(show, chosen, shown, **LIGHT)
    speak.bar.speak(None, [*chosen, speak.text], None, js=START, **LIGHT)
    speak.bar.ran(show, chosen, shown, **LIGHT)
    speak.delete.click(named(delete_voice, studio), speak.voice, speak.message, js=ASK_FIRST, **LIGHT).then(show, chosen, shown, **LIGHT)
    cleared = [create.clip, create.name, create.transcript, create.language, create.consent, create.who]
    create.create.click(
        lambda *fields: create_voice(studio, Draft(*fields)),
        [*create.inputs, speak.engine],
        create.message,
        js=SEND_CLIP,
        concurrency_limit=None,
        show_progress="hidden",
        api_visibility="private",
    ).then(named(show_created, studio), [create.message, *chosen], [speak.voice, *cleared], **LIGHT).then(show, chosen, shown, **LIGHT)


def show_choices(studio: Studio, voice: str | None, engine: str | None) -> tuple:
    """Everything that depends on the choice, on what is stored and on the cache, for `shown` in `_wire`."""
    engine = choices.chosen_engine(studio, engine)
    voice = choices.chosen_voice(studio, voice, engine)
    info = studio.engine_info(engine)
    return (
        gr.update(choices=choices.voice_choices(studio, engine), value=voice),
        gr.update(choices=choices.engine_choices(studio), value=engine),
        choices.choice_value(studio, voice, engine),
        choices.choice_facts(studio, voice, engine),
        choices.cache_line(studio),
        gr.update(info=choices.transcript_hint(info)),
        gr.update(interactive=choices.stored_speaker(studio, voice) is not None),
    )


def show_created(studio: Studio, message: dict | None, voice: str | None, engine: str) -> tuple:
    """Choose the new voice and clear the fields; after a refusal leave everything as it is."""
    name = (message or {}).get("voice")
    if choices.stored_speaker(studio, name) is None:
        return (gr.skip(),) * 7
    choice = gr.update(choices=choices.voice_choices(studio, engine), value=name)
    return choice, message, "", "", "", None, ""
