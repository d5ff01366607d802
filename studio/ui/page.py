"""build_page: the page's frame and its wiring. Sections have their own files; the player stands outside of them and always works."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

import gradio as gr

from studio.service import Studio
from studio.ui import choices, web
from studio.ui.api_tab import build_api_tab
from studio.ui.cache_tab import build_cache_fields, wire_cache
from studio.ui.creating import CreateFields, build_create_fields, wire_create, wire_speak_now
from studio.ui.endpoints import build_endpoints, close_other_endpoints
from studio.ui.events import AS_SENT, LIGHT, named
from studio.ui.history import build_history_fields, wire_history
from studio.ui.lines import stats_line
from studio.ui.masthead import TITLE, build_masthead, wire_masthead
from studio.ui.relay import Relays, build_relay, wire_relay
from studio.ui.rooms import build_rooms
from studio.ui.segments import wire_segments
from studio.ui.space_notes import build_space_notes
from studio.ui.speaking import START, SpeakFields, build_speak_fields, wire_deletion
from studio.ui.spoken_sounds import SpokenSounds
from studio.ui.uncounted import leave_uncounted
from studio.ui.visit import draft_owner
from studio.ui.voices import build_voices_fields, wire_voices

__all__ = ["build_page", "show_changed_choices", "show_choices", "show_first_choices"]

Value = dict[str, object]

NOTHING = (gr.skip(),) * 6  # of what `_wire` has in `shown`

# Gradio sweeps its upload folder: seconds between sweeps, and the age of what goes. Our own uploads are gone long before.
SWEEP = (600, 3600)
# An idle Gradio looks for queued events 1000 times a second, and for progress 100 times, for 5 % of a core. What is done to voices
# waits half of this, on average, and on a Space speech does: there it looks more often. No event tells of progress.
LOOK_SECONDS, SPACE_LOOK_SECONDS, PROGRESS_SECONDS = 0.02, 0.002, 1.0
TICK_SECONDS = 1.5  # every window shows within 2 s what happened in another one, or through the API
# Before the first choices are asked for: those of the draft, if this browser has one (assets/web/draft.js), and whose that is.
WITH_DRAFT = """(voice, engine, facts) => {
  let draft = {};
  try {
    draft = JSON.parse(sessionStorage.getItem("studio-draft")) ?? {};
  } catch {}
  return [draft.speak?.voice ?? voice, draft.speak?.engine ?? engine, { ...facts, owner: draft.owner ?? "" }];
}"""
# With each look at what changed: whether somebody has one of the two lists open.
WITH_LISTS = """(voice, engine, facts) => {
  const open = Boolean(document.querySelector("#choice-row [aria-expanded=true]"));
  return [voice, engine, { ...facts, open }];
}"""


def build_page(studio: Studio, sounds: SpokenSounds) -> gr.Blocks:
    """The page, not yet mounted: `page_app` does that. sounds: that its endpoints let programs fetch."""
    relays = Relays()
    with gr.Blocks(title=TITLE, analytics_enabled=False, delete_cache=SWEEP, fill_width=True) as page:
        head = build_masthead(studio)
        tabs, tab, made = build_rooms(_builders(studio))
        gr.HTML(None, elem_id="player", html_template=web.markup("player"), js_on_load=web.mount("player"), apply_default_css=False)
        timer = gr.Timer(TICK_SECONDS)
        wire_masthead(studio, head, page, timer)
        speak, stats = made["speak"]
        _wire(studio, page, made["create"], speak, timer=timer, around=[stats, tab["speak"]])
        wire_speak_now(made["create"], tabs)
        wire_segments(studio, speak.segments)
        wire_relay(studio, build_relay(studio), page, relays)
        build_endpoints(studio, relays, sounds)
        wire_cache(studio, made["cache"], tab["cache"], timer, [speak.voice, speak.engine, tabs])
        wire_voices(studio, made["voices"], tab["voices"], timer, [speak.voice, speak.engine, tabs])
        wire_history(studio, made["history"], tab["history"], timer, [speak.voice, speak.engine, speak.text, tabs])
    close_other_endpoints(page)
    page._queue.sleep_when_free = SPACE_LOOK_SECONDS if studio.settings.space_id else LOOK_SECONDS
    page._queue.progress_update_sleep_when_free = PROGRESS_SECONDS
    if studio.settings.workspaces == "private":
        leave_uncounted(page)
    return page


def _builders(studio: Studio) -> dict[str, Callable[[], object]]:
    """What is in each room that there is, by the room's id; called inside of its tab."""
    settings = studio.settings
    return {
        "speak": lambda: (build_speak_fields(), stats_line("cache-stats")),
        "voices": lambda: (build_space_notes(settings), build_voices_fields(studio))[1],
        "create": lambda: (build_space_notes(settings, "create-"), build_create_fields(studio))[1],
        "cache": build_cache_fields,
        "history": build_history_fields,
        "api": build_api_tab,
    }


def _wire(studio: Studio, page: gr.Blocks, create: CreateFields, speak: SpeakFields, *, timer: gr.Timer, around: list) -> None:
    """timer: its ticks bring what changed elsewhere. around: the line of the cache's figures, and the Speak tab."""
    stats, speak_tab = around
    chosen = [speak.voice, speak.engine]
    known = [*chosen, speak.facts]
    shown = [*chosen, speak.options, speak.facts, stats, speak.delete]
    show = named(show_choices, studio)
    first = page.load(named(show_first_choices, studio), known, shown, js=WITH_DRAFT, **AS_SENT)
    first.then(
        None, None, None, js="() => studio.openFirstRoom()", **LIGHT
    )  # not before: what is in a tab that is not shown misses updates
    timer.tick(named(show_changed_choices, studio), known, shown, js=WITH_LISTS, **AS_SENT)
    speak_tab.select(show, known, shown, **AS_SENT)  # the tab may be shown for the first time
    for choice in chosen:
        choice.input(show, known, shown, **AS_SENT)
    speak.text.change(None, None, None, js="() => studio.countText?.()", **LIGHT)  # by whomever; a key press is counted at once
    speak.bar.speak(None, [*chosen, speak.text], None, js=START, **AS_SENT)
    speak.bar.ran(show, known, shown, **AS_SENT)
    for changing in wire_deletion(studio, speak):
        changing.then(show, known, shown, **AS_SENT)
    wire_create(studio, create, chosen).then(show, known, shown, **AS_SENT)


def show_first_choices(studio: Studio, voice: str | None, engine: str | None, facts: Value) -> tuple:
    """For somebody who comes, also again. voice, engine: of the draft in this browser, which facts["owner"] says whose it is."""
    if facts.get("owner") != draft_owner():
        voice = engine = None
    engine = choices.chosen_engine(studio, engine)
    return _shown(studio, voice or choices.first_voice(studio, engine), engine, {})


def show_choices(studio: Studio, voice: str | None, engine: str | None, facts: Value) -> tuple:
    """Everything that depends on the choice, on what is stored and on the cache, for `shown` in `_wire`. facts: as it is shown now.

    A voice that is gone is named, and none is chosen in its place. Nothing is sent to who waits for `show_first_choices`, or that nobody
    has chosen yet would be taken for a choice.
    """
    return _shown(studio, voice, engine, facts) if "seen" in facts else NOTHING


def _shown(studio: Studio, voice: str | None, engine: str | None, facts: Value) -> tuple:
    """`seen` in the facts is which version of all this it is."""
    engine = choices.chosen_engine(studio, engine)
    known = choices.chosen_voice(studio, voice, engine)
    gone = "" if known else str(voice or facts.get("gone") or "")
    seen = _version(studio, known, engine, gone)  # before the look, so that a change between the two is looked at again
    return (
        gr.update(choices=choices.voice_choices(studio, engine), value=known, interactive=True),
        gr.update(choices=choices.engine_choices(studio), value=engine, interactive=True),
        choices.choice_value(studio, known, engine, gone) | {"owner": draft_owner(), "is_empty": not studio.speakers()},
        choices.choice_facts(studio, known, engine, gone) | {"seen": seen},
        choices.cache_line(studio),
        gr.update(interactive=choices.is_own(studio, known)),
    )


def show_changed_choices(studio: Studio, voice: str | None, engine: str | None, facts: Value) -> tuple:
    """The same where it is not what facts["seen"] stands for; else nothing is sent. What somebody chooses meanwhile stays chosen.

    A list that is open (facts["open"]) is left alone until it is closed, since Gradio's own raises where an open one shrinks.
    """
    if "seen" not in facts:
        return NOTHING
    but = " but the lists" if facts.get("open") else ""
    if _version(studio, voice, engine, facts.get("gone")) + but == facts["seen"]:
        return NOTHING
    voices, engines, choice, now, *rest = _shown(studio, voice, engine, facts)
    if but:
        return gr.skip(), gr.skip(), choice, now | {"seen": _version(studio, voice, engine, now["gone"]) + but}, *rest
    return _without_value(voices, voice), _without_value(engines, engine), choice, now, *rest


def _version(studio: Studio, voice: str | None, *chosen: object) -> str:
    """Of all that is shown with that choice, and of nothing else: it must not move by what other visitors do."""
    speaker = choices.stored_speaker(studio, voice)
    places = studio.prompts.places(speaker) if speaker else None
    speakers = [(speaker.name, speaker.generation_id) for speaker in studio.speakers()]
    idle = [replace(status, streaming=0, waiting=0) for status in studio.engines()]  # how busy they are is not shown here
    engines = [(status, studio.weights.status(status.info.id).state) for status in idle]
    seen = repr((speakers, engines, places, studio.stats(), voice, chosen))
    return hashlib.sha256(seen.encode("utf-8", "surrogatepass")).hexdigest()


def _without_value(update: Value, value: str | None) -> Value:
    """A list's update that leaves the choice to the page where it is what it was."""
    return {name: part for name, part in update.items() if name != "value" or part != value}
