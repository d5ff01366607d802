"""History: what was spoken on this page, to be heard again, made again with the same seed, starred and deleted."""

import time
from dataclasses import dataclass

import gradio as gr

from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.speakers.voiceprint import print_digest
from studio.speech.history import HistoryEntry
from studio.ui import web
from studio.ui.events import LIGHT, named
from studio.ui.figures import size_words
from studio.ui.lines import message_line
from studio.ui.messages import Message, said_on_the_page
from studio.ui.speaking import fill
from studio.ui.visit import visited

__all__ = [
    "HistoryFields",
    "act_on_entry",
    "build_history_fields",
    "history_value",
    "run_again",
    "show_changed_history",
    "show_history",
    "wire_history",
]

Value = dict[str, object]


@dataclass(frozen=True)
class HistoryFields:
    """The tab's components, for the page to wire."""

    table: gr.HTML
    message: gr.HTML


def build_history_fields() -> HistoryFields:
    """The tab's components in their order on the page; called inside of the tab."""
    gr.HTML("<h2>History</h2>", elem_id="history-title", js_on_load=None)
    message = message_line("history-message")
    mounted = web.mount("history", "act", "again")
    table = gr.HTML(None, elem_id="history", html_template=web.markup("history"), js_on_load=mounted, apply_default_css=False)
    return HistoryFields(table, message)


def wire_history(studio: Studio, fields: HistoryFields, tab: gr.Tab, timer: gr.Timer, speak: list) -> None:
    """timer: its ticks bring what was spoken meanwhile. speak: the Speak tab's composer, and the tabs."""
    seen = gr.State("")
    shown = [fields.table, seen]
    show = named(show_history, studio)

    def ask(asked: gr.EventData) -> Value:
        return act_on_entry(visited(studio), asked._data)

    def again(asked: gr.EventData) -> tuple:
        return run_again(visited(studio), asked._data["entry"])

    tab.select(show, None, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    timer.tick(named(show_changed_history, studio), seen, shown, **LIGHT)
    fields.table.act(ask, None, fields.message, **LIGHT).then(show, None, shown, **LIGHT)
    fields.table.again(again, None, [*speak, fields.message], **LIGHT)


def show_history(studio: Studio) -> tuple[Value, str]:
    """The entries, and which version they are."""
    return history_value(studio), _version(studio)


def show_changed_history(studio: Studio, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is sent."""
    return (gr.skip(), gr.skip()) if _version(studio) == seen else show_history(studio)


@said_on_the_page
def act_on_entry(studio: Studio, asked: Value) -> Message:
    """asked: {act: star, delete or clear; entry; starred}."""
    entry, act = str(asked.get("entry", "")), asked["act"]
    if act == "star":
        kept = studio.history.star(entry, bool(asked["starred"]))
        return Message("done", "Starred: it makes no room for newer ones." if kept.starred else "The star is gone.")
    if act == "delete":
        studio.history.delete(entry)
        return Message("done", "The entry is deleted.")
    if act != "clear":
        raise ValueError(f"no act {act!r}")
    return Message("done", f"The history is empty; entries deleted: {studio.history.clear()}.")


def run_again(studio: Studio, entry_id: str) -> tuple:
    """Fill the Speak tab with an entry and speak it, its own variation too: (composer, tabs, message)."""
    try:
        entry = studio.history.entry(entry_id)
        engine = studio.engine_info(entry.engine).id
    except Exception as error:  # gone meanwhile, or an engine that is not on offer any more
        return gr.skip(), gr.skip(), said_on_the_page(_raise)(error)
    about = {"options": _options_of(entry), "language": entry.options.get("language") or ""}
    composer = fill(_name_of(entry, _speakers_now(studio)), engine=engine, text=entry.text, speak=True, **about)
    return composer, gr.update(selected="speak"), Message("note", "").as_value()


def history_value(studio: Studio) -> Value:
    """What assets/web/history.js draws. Names and texts are set as text there."""
    entries, history = studio.history.entries(), studio.history
    n_bytes = sum(entry.n_bytes for entry in entries)
    used = f"{len(entries)} of {history.most_entries} entries, {size_words(n_bytes)} of {size_words(history.most_bytes)}"
    titles, speakers = {status.info.id: status.info.title for status in studio.engines()}, _speakers_now(studio)
    return {
        "entries": [_row(entry, titles, speakers) for entry in entries],
        "used": f"{used}. The oldest without a star make room; deleting a voice deletes what it said here.",
        "keeps_any": history.most_entries > 0,
        "at": time.time_ns(),
    }


def _row(entry: HistoryEntry, titles: dict[str, str], speakers: dict[str, Speaker]) -> Value:
    return {
        "id": entry.id,
        "at": entry.at,
        "text": entry.text,
        "voice": _name_of(entry, speakers),
        "print": _print_of(entry, speakers),
        "engine": titles.get(entry.engine, entry.engine),
        "options": _options_of(entry),
        "language": entry.options.get("language") or "",
        "ttfp_ms": None if entry.ttfp_seconds is None else entry.ttfp_seconds * 1000,
        "cache": entry.cache or "",
        "seconds": entry.seconds,
        "ended": entry.ended,
        "warning": entry.warning,
        "starred": entry.starred,
    }


def _options_of(entry: HistoryEntry) -> Value:
    return {name: value for name, value in entry.options.items() if name != "language" and value is not None}


def _speakers_now(studio: Studio) -> dict[str, Speaker]:
    """By the id of its generation: a voice may have another name than when it spoke."""
    return {speaker.generation_id: speaker for speaker in studio.shelf.speakers()}


def _name_of(entry: HistoryEntry, speakers: dict[str, Speaker]) -> str:
    speaker = speakers.get(entry.generation_id or "")
    return speaker.name if speaker else entry.speaker or ""


def _print_of(entry: HistoryEntry, speakers: dict[str, Speaker]) -> str:
    """ "" while its recording is not to be seen, as one that is about to be deleted."""
    if entry.generation_id is None:
        return print_digest(None, engine=entry.engine, preset=entry.speaker)
    speaker = speakers.get(entry.generation_id)
    return print_digest(speaker) if speaker else ""


def _version(studio: Studio) -> str:
    speakers = _speakers_now(studio)
    return str(hash(tuple((entry.id, entry.starred, _name_of(entry, speakers)) for entry in studio.history.entries())))


def _raise(error: Exception) -> Message:
    raise error
