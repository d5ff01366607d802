"""The matrix of voices and engines: how each prompt stands in words, what can be done about it, and the totals over all."""

from engines.contract import EngineInfo
from studio.prompts.matrix import MatrixRow
from studio.prompts.stats import CacheStats
from studio.prompts.status import PromptState, PromptStatus
from studio.service import Studio
from studio.speakers.voiceprint import print_digest
from studio.ui.figures import size_words, time_words
from studio.ui.lacking import way_out
from studio.ui.messages import Message, said_on_the_page
from studio.ui.standing import reason_of

__all__ = ["act_on_prompt", "matrix_value"]

MOST_ROWS = 100  # a browser draws a hundred rows of eight cells in some 20 ms; any voice can be found by its name

STATE_WORDS: dict[PromptState, str] = {
    "none": "not extracted",
    "queued": "waiting to be extracted",
    "extracting": "being extracted",
    "memory": "in memory",
    "disk": "on disk",
    "stale": "out of date",
    "failed": "failed",
    "unsupported": "not supported",
    "unavailable": "engine not available",
}
EXTRACT, AGAIN = ("extract", "Extract"), ("extract-again", "Extract again")
FORGET, DELETE = ("forget", "Forget in memory"), ("delete-file", "Delete the file")
VERBS: dict[PromptState, tuple[tuple[str, str], ...]] = {
    "none": (EXTRACT,),
    "queued": (),
    "extracting": (),
    "memory": (AGAIN,),
    "disk": (("extract", "Load into memory"), AGAIN),
    "stale": (AGAIN,),
    "failed": (("extract", "Try again"),),
    "unsupported": (),
    "unavailable": (),
}

Value = dict[str, object]


def matrix_value(studio: Studio, find: str = "") -> Value:
    """What assets/web/matrix.js draws: totals, engines, a row of statuses per voice, and what there is to say about the rows."""
    shown = studio.matrix.rows(find or "", MOST_ROWS)
    titles = {info.id: info for info in shown.engines}
    ways = {status.info.id: way_out(studio, status, below=True) for status in studio.engines()}
    return {
        "totals": _totals(studio.stats()),
        "engines": [{"id": info.id, "title": info.title} for info in shown.engines],
        "rows": [_row(row, titles, ways, own=studio.shelf.owns(row.speaker)) for row in shown.rows],
        "note": _note(find or "", len(shown.rows), shown.n_found),
    }


@said_on_the_page
def act_on_prompt(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {voice, engine, verb}; of `forget` and `delete-file` {sure} too, where it was asked about a pin."""
    name, engine, verb = asked["voice"], asked["engine"], asked["verb"]
    studio.engine_info(engine)  # an unknown one is refused by its name
    if verb in ("extract", "extract-again"):
        return _extract(studio, name, engine, again=verb == "extract-again")
    if verb in ("pin", "unpin"):
        return _pin(studio, name, engine, keep=verb == "pin")
    if verb not in ("forget", "delete-file"):
        raise ValueError(f"no verb {verb!r}")
    if _status(studio, name, engine).pinned and not asked.get("sure"):
        return Message("problem", f"{name} is pinned for {studio.engine_info(engine).title}, so it is kept.", "Unpin it first.")
    return _forget(studio, name, engine) if verb == "forget" else _delete_file(studio, name, engine)


def _extract(studio: Studio, name: str, engine: str, *, again: bool) -> Message:
    status = _status(studio, name, engine)
    if not status.can_learn:
        way = next(way_out(studio, one, below=True) for one in studio.engines() if one.info.id == engine)
        return Message("problem", reason_of(status, way))
    speaker = studio.prompts.extract(name, engine, force=again)
    return Message("note", f"{studio.engine_info(engine).title} learns {speaker.name} now.", "The cell shows how it goes.")


def _pin(studio: Studio, name: str, engine: str, *, keep: bool) -> Message:
    title = studio.engine_info(engine).title
    if not keep:
        studio.prompts.unpin(name, engine)
        return Message("done", f"{name} may be evicted again for {title}.")
    if studio.prompts.pin(name, engine):
        return Message("done", f"{name} stays in memory for {title}.", "It is not evicted until you unpin it.")
    return Message("problem", f"{name} is not in memory for {title}.", "Extract it first.")


def _forget(studio: Studio, name: str, engine: str) -> Message:
    studio.prompts.forget_in_memory(name, engine)
    next_run = "Its file stays; the next run reads it." if _status(studio, name, engine).disk_bytes else "The next run is cold."
    return Message("done", f"What {studio.engine_info(engine).title} learned of {name} is gone from memory.", next_run)


def _delete_file(studio: Studio, name: str, engine: str) -> Message:
    studio.prompts.delete_files(name, engine)
    in_memory = _status(studio, name, engine).memory_bytes
    after = "It stays in memory until the studio ends." if in_memory else "The next run is cold."
    return Message("done", f"The file of what {studio.engine_info(engine).title} learned of {name} is deleted.", after)


def _status(studio: Studio, name: str, engine: str) -> PromptStatus:
    """Raises SpeakerUnknown."""
    (statuses,) = studio.matrix.statuses([studio.speaker(name)])
    return next(status for status in statuses if status.engine == engine)


def _note(find: str, n_shown: int, n_found: int) -> str:
    if n_shown < n_found:
        return f"The newest {n_shown} of {n_found} voices. Type a part of a name to find others."
    if n_found:
        return ""
    if find:
        return f"No voice has “{find}” in its name."
    return "No voices yet. Create one, and what each engine learns of it shows up here."


def _row(row: MatrixRow, titles: dict[str, EngineInfo], ways: dict[str, str], *, own: bool) -> Value:
    """own: whether the visitor may change the speaker; of everybody's, an engine may be asked to learn it."""
    speaker = row.speaker
    about = f"{speaker.seconds:.1f} s clip" if speaker.seconds is not None else "speaker embedding"
    values = [_status_value(speaker.name, titles[status.engine].title, status, ways[status.engine]) for status in row.statuses]
    if not own:
        for value in values:
            value["verbs"] = [verb for verb in value["verbs"] if verb == EXTRACT]
    return {"id": speaker.generation_id, "voice": speaker.name, "print": print_digest(speaker), "about": about, "cells": values}


def _status_value(name: str, title: str, status: PromptStatus, way: str) -> Value:
    """What one cell of the table draws. size and pace: what stands in it below its state. facts: all that is known, for the card.

    way: what a person can do about an engine that cannot be opened.
    """
    n_bytes = status.memory_bytes or status.disk_bytes
    size = size_words(n_bytes) if n_bytes else ""
    is_counted = status.memory_bytes and status.n_hits is not None
    hits = f"{status.n_hits} {'hit' if status.n_hits == 1 else 'hits'}" if is_counted else ""
    last = status.last_speech
    pace = f"{time_words(last.ttfp_seconds)} {'warm' if last.cache == 'hit' else 'cold'}" if last else ""
    facts = {
        "Memory": size_words(status.memory_bytes) if status.memory_bytes else "",
        "Disk": size_words(status.disk_bytes) if status.disk_bytes else "",
        "Hits": str(status.n_hits) if is_counted else "",
        "Last TTFP": pace,
        "Key": status.key,
    }
    return {
        "engine": status.engine,
        "state": status.state,
        "pinned": status.pinned,
        "size": ", ".join(filter(None, (size, hits))),
        "pace": pace,
        "title": f"{name}, {title}",
        "words": STATE_WORDS[status.state],
        "reason": reason_of(status, way),
        "facts": [[label, words] for label, words in facts.items() if words],
        "verbs": _verbs(status),
    }


def _verbs(status: PromptStatus) -> list[tuple[str, str]]:
    pin = [("unpin", "Unpin") if status.pinned else ("pin", "Pin in memory")] if status.state == "memory" else []
    learn = VERBS[status.state] if status.can_learn else ()
    if status.state in ("queued", "extracting"):
        return []
    return [*learn, *pin, *([FORGET] if status.memory_bytes else []), *([DELETE] if status.disk_bytes else [])]


def _totals(totals: CacheStats) -> list[Value]:
    rate = "no lookups yet" if totals.hit_rate is None else f"{100 * totals.hit_rate:.0f} % of {totals.lookups} lookups"
    pinned = f"{totals.pinned}, {size_words(totals.pinned_bytes)}" if totals.pinned else "none"
    rows = (
        ("Memory", f"{size_words(totals.memory_bytes)} of {size_words(totals.max_bytes)}", "Size of all cached prompts, and its limit."),
        ("Entries", f"{totals.entries} of {totals.max_entries}", "Cached prompts, built-in voices and inline clips too, and their limit."),
        ("Pinned", pinned, "Prompts that are never evicted."),
        ("Hit rate", rate, "Lookups that found the prompt in memory, since the studio started."),
        ("Saved", time_words(totals.saved_seconds), "Hits times the mean time of an extraction by that engine."),
        ("Evictions", str(totals.evictions), "Prompts that had to leave memory to make room."),
    )
    return [{"label": label, "words": words, "about": about} for label, words, about in rows]
