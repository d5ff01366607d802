"""Cache & models: the engines' cards, and below them the matrix of voices and engines. It is live in every open window.

The matrix of voices and engines is told as keys and figures: how each prompt stands, what can be done about it, and the totals over all.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import gradio as gr

from engines.contract.contract import EngineInfo
from studio.prompts.matrix import MatrixRow
from studio.prompts.status import PromptState, PromptStatus
from studio.service import Studio
from studio.speakers.voiceprint import print_digest
from studio.timeline import TimeToFirstSound
from studio.ui.engines.engine_cards import act_on_engine, cards_value, standing_of
from studio.ui.engines.engine_state import reason_of, way_out
from studio.ui.gradio import web
from studio.ui.gradio.asked import number_in
from studio.ui.gradio.current_visit import LIGHT, PRESSED, named, visited
from studio.ui.gradio.message_line import message_line
from studio.ui.gradio.messages import Message, said_on_the_page
from studio.ui.gradio.news import News, VerifiedDigests, changes, kept_by_the_window
from studio.ui.gradio.words import words
from studio.ui.speak.speaking import fill

__all__ = ["SHOWN", "CacheFields", "act_on_prompt", "build_cache_fields", "matrix_value", "show_cache", "show_changes", "wire_cache"]


@dataclass(frozen=True)
class CacheFields:
    """The tab's components, for the page to wire. message: what came of a press on a card, answer: of one in the matrix. seen: see
    kept_by_the_window."""

    cards: gr.HTML
    message: gr.HTML
    find: gr.Textbox
    matrix: gr.HTML
    answer: gr.HTML
    seen: gr.Textbox


def build_cache_fields() -> CacheFields:
    """The tab's components in their order on the page; called inside of the tab. Engines are few and voices many, so these come last."""
    cards = _mounted("engine_cards", "engine-cards", "act")
    message = message_line("engines-message")
    with gr.Row(elem_id="cache-title"):
        gr.HTML(web.markup("engines/cache_title"), js_on_load=None, apply_default_css=False)
        find = gr.Textbox(label="@@cache.find@@", elem_id="cache-find", placeholder="@@cache.find@@", max_lines=1)
    matrix = _mounted("matrix", "cache-matrix", "act", "speak")
    answer = gr.HTML(None, elem_id="cache-answer", html_template="", js_on_load=web.mount("cache-answer"), apply_default_css=False)
    message_line("cache-message")
    return CacheFields(cards, message, find, matrix, answer, kept_by_the_window("cache"))


def _mounted(markup: str, elem_id: str, *events: str) -> gr.HTML:
    """A component that a script draws."""
    mount = web.mount(markup.replace("_", "-"), *events)
    return gr.HTML(None, elem_id=elem_id, html_template=web.markup(f"engines/{markup}"), js_on_load=mount, apply_default_css=False)


def wire_cache(studio: Studio, fields: CacheFields, tab: gr.Tab, news: News, speak: list) -> None:
    """news: brings what changed, in whatever window or through the API. speak: the Speak tab's composer, and the tabs."""
    shown = [fields.matrix, fields.cards, fields.seen]
    checked = VerifiedDigests()
    show = named(show_cache, studio, checked)

    def ask_of_prompt(asked: gr.EventData) -> dict[str, object]:
        return act_on_prompt(visited(studio), asked._data)

    def ask_of_engine(asked: gr.EventData) -> dict[str, object]:
        return act_on_engine(visited(studio), asked._data)

    def choose(asked: gr.EventData) -> tuple:
        return speak_with(asked._data["voice"], asked._data["engine"])

    tab.select(show, fields.find, shown, **LIGHT)  # what is in a tab that is not shown misses its updates
    fields.find.input(show, fields.find, shown, **LIGHT)
    news.bring(named(show_changes, studio, checked), [fields.find, fields.seen], shown)
    fields.matrix.act(ask_of_prompt, None, fields.answer, **PRESSED).then(show, fields.find, shown, **LIGHT)
    fields.matrix.speak(choose, None, speak, **PRESSED)
    fields.cards.act(ask_of_engine, None, fields.message, **PRESSED).then(show, fields.find, shown, **LIGHT)


def speak_with(voice: str, engine: str) -> tuple:
    """Choose both in the Speak tab and go there: (composer, tabs)."""
    return fill(voice, engine=engine), gr.update(selected="speak")


def show_cache(studio: Studio, checked: VerifiedDigests, find: str) -> tuple:
    """Matrix, cards, and the digest of both."""
    version = _version(studio, find)  # before the look, so that a change between the two is looked at again
    shown = matrix_value(studio, find), cards_value(studio)
    return *shown, checked.note(version, studio.workspace, shown)


def show_changes(studio: Studio, checked: VerifiedDigests, find: str, seen: str) -> tuple:
    """The same where something changed since `seen`; else nothing is shown anew."""
    return changes(seen, 2, lambda: show_cache(studio, checked, find), checked.is_true(seen, _version(studio, find)))


def _version(studio: Studio, find: str) -> str:
    engines = studio.engines()
    weights = [studio.weights.status(status.info.id) for status in engines]
    return f"{studio.matrix.version()} {hash(engines)} {weights} {find}"


# --- the matrix


MOST_ROWS = 100  # what a browser draws at once; any voice can be found by its name
MISSING = ("absent", "paused", "broken", "unavailable", "closed")  # standings of engines that nobody can teach anything now

# The page has eight states; an engine that is not there says so at the head of its column.
SHOWN: Mapping[PromptState, str] = {"queued": "learning", "extracting": "learning", "unavailable": "none"}

# What about a voice an engine cannot use, by the code of the refusal; else it is its length.
LIMITS = {"transcript_required": "words", "clips_unsupported": "built_in", "embedding_unusable": "numbers"}

# (what a press asks for, in which words), by what is shown.
SPEAK, TEACH = ("speak", "speak"), ("extract", "teach")
AGAIN, FORGET, DELETE = ("extract-again", "extract_again"), ("forget", "forget"), ("delete-file", "delete_file")
PIN, UNPIN = ("pin", "pin"), ("unpin", "unpin")
VERBS: Mapping[PromptState, tuple[tuple[str, str], ...]] = {
    "none": (TEACH, SPEAK),
    "queued": (SPEAK,),
    "extracting": (SPEAK,),
    "memory": (SPEAK, PIN, AGAIN),
    "refining": (SPEAK, PIN, AGAIN),
    "disk": (SPEAK, ("extract", "make_ready"), AGAIN),
    "stale": (AGAIN, SPEAK),
    "failed": (("extract", "try_again"),),
    "unsupported": (),
    "unavailable": (),
}

Value = dict[str, object]


@dataclass(frozen=True)
class _Column:
    """An engine as the matrix shows it. way: what a person can do about one that cannot be opened."""

    info: EngineInfo
    standing: str
    way: str


def matrix_value(studio: Studio, find: str = "") -> Value:
    """What assets/web/engines/matrix.js draws. more: engines that are not there and know nobody. note: a sentence's key with its values."""
    shown = studio.matrix.rows(find or "", MOST_ROWS)
    columns = _columns(studio)
    known = {status.engine for row in shown.rows for status in row.statuses if _is_known(status)}
    there = [id for id, column in columns.items() if column.standing not in MISSING]
    listed = [*there, *(id for id in columns if id in known and id not in there)]
    rows = [_row(row, {id: columns[id] for id in listed}, own=studio.workspace_speakers.owns(row.speaker)) for row in shown.rows]
    return {
        "figures": _figures(studio),
        "engines": [{"id": id, "title": columns[id].info.title, "standing": columns[id].standing} for id in listed],
        "more": [{"id": id, "title": column.info.title} for id, column in columns.items() if id not in listed],
        "rows": rows,
        "note": _note(find or "", len(shown.rows), shown.n_found),
    }


@said_on_the_page
def act_on_prompt(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {voice, engine, verb}; of `forget` and `delete-file` {sure} too, where it was asked about a pin."""
    name, engine, verb = asked["voice"], asked["engine"], asked["verb"]
    said = {"voice": name, "engine": studio.engine_info(engine).title}  # an unknown one is refused by its name
    if verb in ("extract", "extract-again"):
        return _extract(studio, name, engine, again=verb == "extract-again")
    if verb in ("pin", "unpin"):
        return _pin(studio, name, engine, keep=verb == "pin")
    if verb not in ("forget", "delete-file"):
        raise ValueError(f"no verb {verb!r}")
    if _status(studio, name, engine).pinned and not asked.get("sure"):
        return Message("problem", words("cache.kept", **said), words("cache.kept_hint"))
    return Message("done", words(_forget(studio, name, engine) if verb == "forget" else _delete_file(studio, name, engine), **said))


def _extract(studio: Studio, name: str, engine: str, *, again: bool) -> Message:
    status = _status(studio, name, engine)
    if not status.can_learn:
        return Message("problem", reason_of(status, _columns(studio)[engine].way))
    speaker = studio.prompts.extract(name, engine, force=again)
    return Message("note", words("cache.said_learning", voice=speaker.name, engine=studio.engine_info(engine).title))


def _pin(studio: Studio, name: str, engine: str, *, keep: bool) -> Message:
    said = {"voice": name, "engine": studio.engine_info(engine).title}
    if not keep:
        studio.prompts.unpin(name, engine)
        return Message("done", words("cache.said_unpinned", voice=name))
    if studio.prompts.pin(name, engine):
        return Message("done", words("cache.said_pinned", **said))
    return Message("problem", words("cache.not_in_memory", **said), words("cache.not_in_memory_hint"))


def _forget(studio: Studio, name: str, engine: str) -> str:
    """The key of what is said of it."""
    studio.prompts.forget_in_memory(name, engine)
    return "cache.said_freed" if _status(studio, name, engine).disk_bytes else "cache.said_freed_all"


def _delete_file(studio: Studio, name: str, engine: str) -> str:
    """The key of what is said of it."""
    studio.prompts.delete_files(name, engine)
    return "cache.said_deleted" if _status(studio, name, engine).memory_bytes else "cache.said_forgotten"


def _status(studio: Studio, name: str, engine: str) -> PromptStatus:
    """Raises SpeakerUnknown."""
    (statuses,) = studio.matrix.statuses([studio.speaker(name)])
    return next(status for status in statuses if status.engine == engine)


def _columns(studio: Studio) -> dict[str, _Column]:
    """Of every engine, by its id."""
    return {
        status.info.id: _Column(
            status.info, standing_of(status, studio.weights.status(status.info.id)), way_out(studio, status, below=True)
        )
        for status in studio.engines()
    }


def _is_known(status: PromptStatus) -> bool:
    """Whether there is more to be seen than that an engine could learn it."""
    return bool(status.memory_bytes or status.disk_bytes) or status.state not in ("none", "unsupported", "unavailable")


def _note(find: str, n_shown: int, n_found: int) -> list[object] | None:
    """[the key of a sentence, its values]; None where there is nothing to say about the rows."""
    if n_shown < n_found:
        return ["cache.newest", {"n": n_shown, "all": n_found}]
    if n_found:
        return None
    return ["cache.not_found", {"find": find}] if find else ["cache.none", {}]


def _row(row: MatrixRow, columns: Mapping[str, _Column], *, own: bool) -> Value:
    """own: whether the visitor may change the speaker; of everybody's, an engine may be asked to learn it."""
    statuses = {status.engine: status for status in row.statuses}
    cells = [_cell(statuses[id], column, own=own) for id, column in columns.items()]
    return {"id": row.speaker.generation_id, "voice": row.speaker.name, "print": print_digest(row.speaker), "cells": cells}


def _cell(status: PromptStatus, column: _Column, *, own: bool) -> Value:
    """What a cell and its card draw. Beside engine, state and verbs only what there is."""
    last = status.last_speech
    known = {
        "limit": _limit(status),
        "reason": words("cache.queued") if status.state == "queued" else reason_of(status, column.way),
        "memory_bytes": status.memory_bytes,
        "disk_bytes": status.disk_bytes,
        "n_hits": status.memory_bytes and status.n_hits,
        "warm": last and _first_sound(last.warm),
        "cold": last and _first_sound(last.cold),
        "last_at": last and last.at,
        "pinned": status.pinned,
        "key": status.key,
    }
    verbs = [verb for verb in _verbs(status) if own or verb in (TEACH, SPEAK)]
    shown = {"engine": status.engine, "state": SHOWN.get(status.state, status.state), "verbs": verbs}
    return shown | {name: value for name, value in known.items() if value}


def _first_sound(known: TimeToFirstSound | None) -> Value | None:
    """As a row of the history tells it."""
    if known is None:
        return None
    heard = None if known.heard_seconds is None else known.heard_seconds * 1000
    return {"server_ms": known.server_seconds * 1000, "heard_ms": heard}


def _limit(status: PromptStatus) -> str:
    """Which limit of the engine's the voice is beyond; "" where that is not what is wrong."""
    if status.state != "unsupported":
        return ""
    if status.code in LIMITS:
        return LIMITS[status.code]
    return "short" if number_in(status.values, "seconds") < number_in(status.values, "least") else "long"


def _verbs(status: PromptStatus) -> list[tuple[str, str]]:
    verbs = [UNPIN if verb == PIN and status.pinned else verb for verb in VERBS[status.state] if status.can_learn or verb == PIN]
    if status.state in ("queued", "extracting"):
        return verbs
    return [*verbs, *([FORGET] if status.memory_bytes else []), *([DELETE] if status.disk_bytes else [])]


def _figures(studio: Studio) -> Value:
    """disk_bytes: of all that is saved of the visitor's voices."""
    totals = studio.stats()
    files = (file for speaker in studio.speakers() for file in studio.store.prompt_files(speaker.generation))
    known = {name: value for name, value in vars(totals).items() if name != "engines"}
    percent = None if totals.hit_rate is None else round(100 * totals.hit_rate)
    counted = {"hits_percent": percent, "lookups": totals.lookups, "saved_seconds": totals.saved_seconds}
    return {**known, **counted, "disk_bytes": sum(file.n_bytes for file in files)}
