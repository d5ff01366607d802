"""The matrix of voices and engines: what each cell says, what can be done about it, and the totals over it."""

from engines.contract import EngineInfo
from studio.prompts.matrix import MatrixRow, MatrixTotals
from studio.prompts.status import PromptState, PromptStatus
from studio.service import Studio
from studio.ui.figures import size_words, time_words
from studio.ui.messages import Message, said_on_the_page

__all__ = ["act_on_cell", "matrix_value"]

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
}
EXTRACT, AGAIN, EVICT = ("extract", "Extract"), ("extract-again", "Extract again"), ("evict", "Evict")
VERBS: dict[PromptState, tuple[tuple[str, str], ...]] = {
    "none": (EXTRACT,),
    "queued": (),
    "extracting": (),
    "memory": (AGAIN,),
    "disk": (("extract", "Load into memory"), AGAIN),
    "stale": (AGAIN,),
    "failed": (("extract", "Try again"),),
    "unsupported": (),
}

Value = dict[str, object]


def matrix_value(studio: Studio, find: str = "") -> Value:
    """What assets/web/matrix.js draws: totals, engines, rows of cells, and a line where there is something to say about the rows."""
    shown = studio.matrix.rows(find or "", MOST_ROWS)
    titles = {info.id: info for info in shown.engines}
    return {
        "totals": _totals(studio.matrix.totals()),
        "engines": [{"id": info.id, "title": info.title} for info in shown.engines],
        "rows": [_row(row, titles) for row in shown.rows],
        "note": _note(find or "", len(shown.rows), shown.n_found),
    }


@said_on_the_page
def act_on_cell(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {voice, engine, verb}."""
    name, engine, verb = asked["voice"], asked["engine"], asked["verb"]
    title = studio.engine_info(engine).title
    if verb in ("extract", "extract-again"):
        speaker = studio.matrix.extract(name, engine, force=verb == "extract-again")
        return Message("note", f"{title} learns {speaker.name} now.", "The cell shows how it goes.")
    if verb == "pin":
        if studio.matrix.pin(name, engine):
            return Message("done", f"{name} stays in memory for {title}.", "It is not evicted until you unpin it.")
        return Message("problem", f"{name} is not in memory for {title}.", "Extract it first.")
    if verb == "unpin":
        studio.matrix.unpin(name, engine)
        return Message("done", f"{name} may be evicted again for {title}.")
    if verb != "evict":
        raise ValueError(f"no verb {verb!r}")
    studio.evict(name, engine)
    return Message("done", f"What {title} learned of {name} is gone from memory and disk.", "The next run is cold.")


def _note(find: str, n_shown: int, n_found: int) -> str:
    if n_shown < n_found:
        return f"The newest {n_shown} of {n_found} voices. Type a part of a name to find others."
    if n_found:
        return ""
    if find:
        return f"No voice has “{find}” in its name."
    return "No voices yet. Create one, and what each engine learns of it shows up here."


def _row(row: MatrixRow, titles: dict[str, EngineInfo]) -> Value:
    speaker = row.speaker
    about = f"{speaker.seconds:.1f} s clip" if speaker.seconds is not None else "speaker embedding"
    cells = [_cell(speaker.name, titles[cell.engine].title, cell) for cell in row.cells]
    return {"id": speaker.generation_id, "voice": speaker.name, "about": about, "cells": cells}


def _cell(name: str, title: str, cell: PromptStatus) -> Value:
    """size and pace: what stands in the cell below its state. facts: all that is known, for the card."""
    n_bytes = cell.memory_bytes or cell.disk_bytes
    size = size_words(n_bytes) if n_bytes else ""
    hits = f"{cell.n_hits} {'hit' if cell.n_hits == 1 else 'hits'}" if cell.memory_bytes else ""
    pace = f"{time_words(cell.pace.ttfp_seconds)} {'warm' if cell.pace.cache == 'hit' else 'cold'}" if cell.pace else ""
    facts = {
        "Memory": size_words(cell.memory_bytes) if cell.memory_bytes else "",
        "Disk": size_words(cell.disk_bytes) if cell.disk_bytes else "",
        "Hits": str(cell.n_hits) if cell.memory_bytes else "",
        "Last TTFP": pace,
        "Key": cell.key,
    }
    return {
        "engine": cell.engine,
        "state": cell.state,
        "pinned": cell.pinned,
        "size": ", ".join(filter(None, (size, hits))),
        "pace": pace,
        "title": f"{name}, {title}",
        "words": STATE_WORDS[cell.state],
        "reason": f"{cell.fact} {cell.hint}".strip(),
        "facts": [[label, words] for label, words in facts.items() if words],
        "verbs": _verbs(cell),
    }


def _verbs(cell: PromptStatus) -> list[tuple[str, str]]:
    pin = [("unpin", "Unpin") if cell.pinned else ("pin", "Pin in memory")] if cell.state == "memory" else []
    has_any = (cell.memory_bytes or cell.disk_bytes) and cell.state not in ("queued", "extracting")
    return [*VERBS[cell.state], *pin, *([EVICT] if has_any else [])]


def _totals(totals: MatrixTotals) -> list[Value]:
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
