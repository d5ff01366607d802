"""Engine cards: what each engine is and how it is; load, unload, and get its weights."""

from engines.contract import EngineInfo
from studio.running.weights import WeightsStatus
from studio.running.worker import EngineStatus
from studio.service import Studio
from studio.ui.choices import STATE_WORDS
from studio.ui.figures import size_words, time_words
from studio.ui.messages import Message, said_on_the_page

__all__ = ["act_on_engine", "cards_value"]

TRANSCRIPT_WORDS = {"unused": "not used", "optional": "optional", "required": "required"}

Value = dict[str, object]


def cards_value(studio: Studio) -> Value:
    """What assets/web/engine_cards.js draws."""
    return {"cards": [_card(status, studio.weights.status(status.info.id)) for status in studio.engines()]}


@said_on_the_page
def act_on_engine(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {engine, verb}."""
    engine, verb = asked["engine"], asked["verb"]
    title = studio.engine_info(engine).title
    if verb == "load":
        studio.check_memory(engine)  # said at once; whoever loads otherwise is told by the engine's state
        studio.begin_loading(engine)
        return Message("note", f"{title} is being loaded.")
    if verb == "unload":
        studio.unload(engine)
        return Message("done", f"{title} is unloaded; its memory is free again.", "What it learned stays cached. It loads at the next run.")
    if verb == "fetch":
        studio.weights.begin(engine)
        return Message("note", f"The weights of {title} are being downloaded.", "You can go on working; cancelling keeps what has arrived.")
    if verb != "cancel":
        raise ValueError(f"no verb {verb!r}")
    studio.weights.cancel(engine)
    return Message("note", f"The download for {title} stops.", "Resume goes on where it ended.")


def _card(status: EngineStatus, weights: WeightsStatus) -> Value:
    info = status.info
    return {
        "id": info.id,
        "title": info.title,
        "summary": info.summary,
        "state": status.state,
        "words": STATE_WORDS[status.state].card,
        "busy": _busy(status),
        "facts": _facts(status, info),
        "reason": status.reason if status.command else f"{status.reason} {status.hint}".strip(),  # the command says it by itself
        "command": status.command,
        "weights": {"state": weights.state, "words": _weights_words(weights, status), "share": _share(weights), "reason": _reason(weights)},
        "verbs": _verbs(status, weights),
    }


def _busy(status: EngineStatus) -> str:
    counts = ((status.streaming, "speaking"), (status.waiting, "waiting"))
    return ", ".join(f"{count} {what}" for count, what in counts if count)


def _facts(status: EngineStatus, info: EngineInfo) -> list[list[str]]:
    size = [size_words(info.weights_bytes)] if info.weights_bytes else []
    memory = [f"{size_words(status.memory_bytes)} in memory"] if status.memory_bytes else []
    loaded = f"{status.device}, in {time_words(status.load_seconds)}" if status.device and status.load_seconds is not None else ""
    clip = f"{info.least_clip_seconds:g} to {info.most_clip_seconds:g} s, transcript {TRANSCRIPT_WORDS[info.transcript]}"
    facts = {
        "Licence": info.licence,
        "Size": ", ".join(size + memory),
        "Languages": str(len(info.languages)),
        "Sound": f"{info.sample_rate / 1000:g} kHz, {info.streams} by {info.streams}",
        "Clip": clip if info.clones_clips else "built-in voices only",
        "Text": f"{info.most_text_characters:,} characters in one piece".replace(",", " "),
        "Loaded": loaded,
    }
    return [[label, words] for label, words in facts.items() if words]


def _weights_words(weights: WeightsStatus, status: EngineStatus) -> str:
    done, total = size_words(weights.done_bytes), size_words(weights.all_bytes) if weights.all_bytes else ""
    of = f"{done} of {total}" if total else done
    return {
        "included": "" if status.state == "unavailable" else "Weights: nothing to download",
        "absent": f"Weights: not downloaded{f' ({total})' if total else ''}",
        "fetching": f"Weights: downloading, {of}",
        "cancelled": f"Weights: download stopped at {of}",
        "failed": f"Weights: download failed at {of}",
        "ready": "Weights: ready on this machine",
    }[weights.state]


def _share(weights: WeightsStatus) -> float | None:
    """0 to 1 for the progress bar; None where there is none to show or its end is unknown."""
    return weights.done_bytes / weights.all_bytes if weights.all_bytes and weights.state in ("fetching", "cancelled", "failed") else None


def _reason(weights: WeightsStatus) -> str:
    return f"{weights.reason} {weights.hint}".strip()


def _verbs(status: EngineStatus, weights: WeightsStatus) -> list[tuple[str, str]]:
    verbs = []
    if weights.state == "fetching":
        verbs.append(("cancel", "Cancel download"))
    elif weights.state in ("absent", "cancelled", "failed"):
        verbs.append(("fetch", "Resume download" if weights.done_bytes else "Get weights"))
    elif status.state in ("idle", "failed", "unavailable"):
        verbs.append(("load", "Load" if status.state == "idle" else "Try to load again"))
    if status.state == "ready":
        verbs.append(("unload", "Unload"))
    return verbs
