"""History: the speeches of this page. A person can hear, repeat (with the same seed), star and delete them. Speak shows the last ones."""

import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict

import gradio as gr

from engines.text.text_splitter import split_text
from studio.service import Studio
from studio.speakers.speaker import Speaker
from studio.speakers.voiceprint import print_digest
from studio.speech.kept.entry import HistoryEntry
from studio.ui.gradio import web
from studio.ui.gradio.current_visit import LIGHT, PRESSED, named, visited
from studio.ui.gradio.message_line import message_line
from studio.ui.gradio.messages import Message, PageProblem, problem_of, said_on_the_page
from studio.ui.gradio.news import News, changes, digest_of, kept_by_the_window
from studio.ui.gradio.words import words
from studio.ui.speak.deletions import delete_takes, restore_takes
from studio.ui.speak.speaking import SpeakFields, fill

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

MOST_COUNTED = 1000  # texts whose sentences are counted once
MOST_TAKES = 5  # beside the composer (assets/web/speak/takes.js)
SEED, MOST_SEED = "seed", 1 << 31  # the option that makes a variation; what engines take at least


@dataclass(frozen=True)
class HistoryFields:
    """The tab's components, for the page to wire. table: the list."""

    table: gr.HTML
    message: gr.HTML


def build_history_fields(studio: Studio) -> HistoryFields:
    """The tab's components in their order on the page; called inside of the tab."""
    table = gr.HTML(
        None,
        elem_id="history",
        html_template=web.markup("history/history"),
        js_on_load=web.mount("history", "act", "again", "look", calls=True),
        apply_default_css=False,
        server_functions=[named(handler, studio) for handler in (delete_takes, restore_takes)],
    )
    return HistoryFields(table, message_line("history-message"))


def wire_history(
    studio: Studio, fields: HistoryFields, speak: SpeakFields, tab: Mapping[str, gr.Tab], *, news: News, tabs: gr.Tabs
) -> None:
    """speak: has the last takes, and what is filled to speak again. tab: each room's own, by its id. news: brings what was
    spoken meanwhile."""
    seen = kept_by_the_window("history")
    shown = [fields.table, speak.takes, seen]
    show = named(show_history, studio)

    def ask(asked: gr.EventData) -> Value:
        return act_on_entry(visited(studio), asked._data)

    def again(asked: gr.EventData) -> tuple:
        return run_again(visited(studio), asked._data["entry"], is_other=bool(asked._data.get("other")))

    for room in ("speak", "history"):
        tab[room].select(show, None, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    news.bring(named(show_changed_history, studio), [seen], shown)
    for component, message in ((fields.table, fields.message), (speak.takes, speak.message)):
        component.act(ask, None, message, **PRESSED).then(show, None, shown, **LIGHT)
        component.look(show, None, shown, **LIGHT)
        component.again(again, None, [speak.composer, tabs, message], **PRESSED)


class HistoryValue(TypedDict):
    """not_kept: why nothing is kept by now."""

    entries: list[Value]
    n_bytes: int
    most_entries: int
    keeps_any: bool
    not_kept: PageProblem | None
    at: int


def show_history(studio: Studio) -> tuple[HistoryValue, Value, str]:
    """The entries, the last of them for Speak, and the digest of what may change."""
    version = _version(studio)  # before the look, so that a change between the two is looked at again
    whole = history_value(studio)
    entries = whole["entries"]
    return whole, {"entries": entries[:MOST_TAKES], "total": len(entries), "keeps_any": whole["keeps_any"], "at": whole["at"]}, version


def show_changed_history(studio: Studio, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is sent."""
    return changes(seen, 2, lambda: show_history(studio), _version(studio) == seen)


@said_on_the_page
def act_on_entry(studio: Studio, asked: Value) -> Message:
    """asked: {act: star; entry; starred}."""
    if asked["act"] != "star":
        raise ValueError(f"no act {asked['act']!r}")
    kept = studio.history.star(str(asked["entry"]), bool(asked["starred"]))
    return Message("done", words("history.starred_now" if kept.starred else "history.unstarred_now"))


def run_again(studio: Studio, entry_id: str, *, is_other: bool = False) -> tuple:
    """Fill the Speak tab with an entry and speak it, its own variation too, unless another one is asked for: (composer, tabs, message)."""
    try:
        entry = studio.history.entry(entry_id)
        engine = studio.engine_info(entry.engine).id
    except Exception as error:  # gone meanwhile, or an engine that is not on offer any more
        return gr.skip(), gr.skip(), said_on_the_page(_raise)(error)
    options = _options_of(entry)
    if is_other and SEED in options:
        options[SEED] = secrets.randbelow(MOST_SEED)
    about = {"options": options, "language": entry.options.get("language") or ""}
    composer = fill(_name_of(entry, _speakers_now(studio)), engine=engine, text=entry.text, speak=True, **about)
    return composer, gr.update(selected="speak"), Message("note", "").as_value()


def history_value(studio: Studio) -> HistoryValue:
    """What assets/web/history/history.js draws. Names and texts are set as text there."""
    entries, history = studio.history.entries(), studio.history
    titles, speakers = {status.info.id: status.info.title for status in studio.engines()}, _speakers_now(studio)
    return {
        "entries": [_row(entry, titles, speakers) for entry in entries],
        "n_bytes": sum(entry.n_bytes for entry in entries),
        "most_entries": history.most_entries,
        "keeps_any": history.most_entries > 0,
        "not_kept": None if history.refusal is None else problem_of(history.refusal),
        "at": time.time_ns(),
    }


def _row(entry: HistoryEntry, titles: dict[str, str], speakers: dict[str, Speaker]) -> Value:
    return {
        "id": entry.id,
        "at": entry.at,
        "text": entry.text,
        "source_seconds": entry.source_seconds,
        "voice": _name_of(entry, speakers),
        "print": _print_of(entry, speakers),
        "engine": titles.get(entry.engine, entry.engine),
        "options": _options_of(entry),
        "language": entry.options.get("language") or "",
        "server_ms": None if entry.ttfp_seconds is None else entry.ttfp_seconds * 1000,
        "heard_ms": None if entry.heard_seconds is None else entry.heard_seconds * 1000,
        "start": entry.start or ("warm" if entry.cache == "hit" else "cold"),  # an earlier version kept the cache's outcome alone
        "seconds": entry.seconds,
        "n_parts": 0 if entry.source_seconds is not None else _n_sentences(entry.text),
        "ended": entry.ended,
        "warning": entry.warning,
        "starred": entry.starred,
    }


def _options_of(entry: HistoryEntry) -> Value:
    return {name: value for name, value in entry.options.items() if name != "language" and value is not None}


def _speakers_now(studio: Studio) -> dict[str, Speaker]:
    """By the id of its generation: a voice may have another name than when it spoke."""
    return {speaker.generation_id: speaker for speaker in studio.workspace_speakers.speakers()}


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
    entries = tuple((*_changing(entry), _name_of(entry, speakers)) for entry in studio.history.entries())
    return digest_of(entries, getattr(studio.history.refusal, "code", ""))


def _changing(entry: HistoryEntry) -> tuple:
    """What of it may be another at the next look; seconds and text where its parts are."""
    return entry.id, entry.starred, entry.heard_seconds, entry.seconds, entry.text, entry.ended, entry.n_bytes


@lru_cache(MOST_COUNTED)
def _n_sentences(text: str) -> int:
    return sum(len(split_text(line, "sentence")) for line in text.splitlines())


def _raise(error: Exception) -> Message:
    raise error
