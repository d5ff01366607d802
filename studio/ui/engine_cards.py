"""Engine cards: what each engine is and how it is; load, unload, make room, and get its weights once their licence is accepted."""

from engines.contract import EngineInfo
from studio.running.failure_report import failure_report
from studio.running.lifecycle import EngineStatus
from studio.running.memory_check import InsufficientMemory
from studio.running.weights import WeightsStatus
from studio.service import Studio
from studio.ui.choices import STATE_WORDS
from studio.ui.figures import size_words, time_words
from studio.ui.lacking import trouble_of, way_out
from studio.ui.messages import Message, said_on_the_page

__all__ = ["act_on_engine", "cards_value"]

TRANSCRIPT_WORDS = {"unused": "not used", "optional": "optional", "required": "required"}

Value = dict[str, object]


def cards_value(studio: Studio) -> Value:
    """What assets/web/engine_cards.js draws."""
    return {"cards": [_card(studio, status, studio.weights.status(status.info.id)) for status in studio.engines()]}


@said_on_the_page
def act_on_engine(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {engine, verb}; of `make-room` {unload} too, the engine that goes; of `fetch` {accepted}, the restriction agreed to."""
    engine, verb = asked["engine"], asked["verb"]
    info = studio.engine_info(engine)
    title = info.title
    if verb == "make-room":
        studio.unload(asked["unload"])
    if verb in ("load", "make-room"):
        return _load(studio, info)
    if verb == "unload":
        studio.unload(engine)
        return Message("done", f"{title} is unloaded; its memory is free again.", "What it learned stays cached. It loads at the next run.")
    if verb == "fetch":
        if info.restriction and asked.get("accepted") == info.restriction:
            studio.licences.accept(info)
        studio.weights.begin(engine)
        return Message("note", f"The weights of {title} are being downloaded.", "You can go on working; cancelling keeps what has arrived.")
    if verb != "cancel":
        raise ValueError(f"no verb {verb!r}")
    studio.weights.cancel(engine)
    return Message("note", f"The download for {title} stops.", "Resume goes on where it ended.")


def _load(studio: Studio, info: EngineInfo) -> Message:
    """Without room it is said at once, with the button that makes it; whoever loads otherwise is told by the engine's state."""
    try:
        studio.check_memory(info.id)
    except InsufficientMemory as error:
        act = _make_room(studio, info.id, error.unload) if error.unload else None
        return Message.of(error, act)
    studio.begin_loading(info.id)
    return Message("note", f"{info.title} is being loaded.")


def _make_room(studio: Studio, engine: str, unload: str) -> Value:
    """A button of two steps."""
    words = f"Unload {studio.engine_info(unload).title}, then load {studio.engine_info(engine).title}"
    return {"words": words, "asked": {"engine": engine, "verb": "make-room", "unload": unload}}


def _card(studio: Studio, status: EngineStatus, weights: WeightsStatus) -> Value:
    info, settings = status.info, studio.settings
    device = settings.for_engine(info.id).device
    return {
        "id": info.id,
        "title": info.title,
        "summary": info.summary,
        "state": status.state,
        "words": STATE_WORDS[status.state].card,
        "busy": _busy(status),
        "facts": _facts(status, info),
        "reason": f"{trouble_of(status)[0]} {way_out(studio, status, below=True) or trouble_of(status)[1]}".strip(),
        "command": status.command if weights.state != "included" else "",  # else the hint has it
        "terms": "" if studio.licences.holds(info) else _terms(info),
        "restriction": info.restriction,
        "make_room": _make_room(studio, info.id, status.unload) if status.unload else None,
        "report": failure_report(status, device, settings.api_keys) if status.state == "failed" else "",
        "weights": {
            "state": weights.state,
            "words": _weights_words(weights, status),
            "share": _share(weights),
            "reason": " ".join(trouble_of(weights)).strip(),
        },
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
        "Licence": f"{info.licence}: forbids {info.restriction}" if info.restriction else info.licence,
        "Size": ", ".join(size + memory),
        "Languages": str(len(info.languages)),
        "Sound": f"{info.sample_rate / 1000:g} kHz, {info.streams} by {info.streams}",
        "Clip": clip if info.clones_clips else "built-in voices only",
        "Text": f"{info.most_text_characters:,} characters in one piece".replace(",", " "),
        "Loaded": loaded,
        "Idle": f"unloads in {status.unloads_in_seconds // 60} min if nobody speaks" if status.unloads_in_seconds is not None else "",
    }
    return [[label, words] for label, words in facts.items() if words]


def _terms(info: EngineInfo) -> str:
    """What is asked before weights with a restriction are fetched."""
    return f"The weights of {info.title} are under {info.licence}, which forbids {info.restriction}. Do you accept that for this studio?"


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


def _verbs(status: EngineStatus, weights: WeightsStatus) -> list[tuple[str, str]]:
    verbs = []
    if weights.state == "fetching":
        verbs.append(("cancel", "Cancel download"))
    elif weights.state in ("absent", "cancelled", "failed"):
        verbs.append(("fetch", "Resume download" if weights.done_bytes else "Get weights"))
    elif status.state in ("idle", "failed", "unavailable"):
        verbs += [] if status.unload else [("load", "Load" if status.state == "idle" else "Try to load again")]
    if status.state == "ready" and not status.stays:
        verbs.append(("unload", "Unload"))
    return verbs
