"""Engine cards: the state of engines as keys and figures.

Verbs: load, unload, make room, and fetch weights after their license is accepted.
"""

from dataclasses import asdict

from engines.contract.contract import EngineInfo
from studio.running.failure_report import failure_report
from studio.running.lifecycle import EngineStatus
from studio.running.offer.memory_check import InsufficientMemory
from studio.running.offer.weights import WeightsStatus
from studio.service import Studio
from studio.ui.engines.engine_state import (
    fetch_trouble,
    is_lacking,
    kept_words,
    owner_words,
    refusal_words,
    remote_health_words,
    remote_value,
    terms_value,
    way_out,
)
from studio.ui.gradio.messages import Message, said_on_the_page
from studio.ui.gradio.words import words

__all__ = ["act_on_engine", "cards_value", "standing_of"]

# What stands for an engine that is so, among the seven shapes of the page.
SHAPES = {
    "ready": "memory",
    "idle": "disk",
    "loading": "learning",
    "unloading": "learning",
    "arriving": "learning",
    "paused": "none",
    "absent": "none",
    "broken": "failed",
    "failed": "failed",
    "unavailable": "unsupported",
    "closed": "unsupported",
    "connected": "memory",
    "degraded": "stale",
    "down": "failed",
    "apart": "none",
    "connecting": "learning",
}
ARRIVALS = {"fetching": "arriving", "cancelled": "paused", "failed": "broken", "absent": "absent"}
NOTHING_TO_DO = {"verb": None, "make_room": None, "command": "", "report": ""}  # of a card
MOST_LANGUAGES = 24  # whose names are listed; of more, those of them that most people know
WELL_KNOWN = ("en", "zh", "es", "hi", "ar", "fr", "pt", "ru", "de", "ja")

Value = dict[str, object]


def standing_of(status: EngineStatus, weights: WeightsStatus) -> str:
    """How an engine is, with what is here of its weights, or with how it is where it works: a key of SHAPES."""
    if status.info.runs == "elsewhere":
        return remote_health_words(status)
    return ARRIVALS.get(weights.state, status.state) if status.state in ("idle", "unavailable", "failed") else status.state


def cards_value(studio: Studio) -> Value:
    """What assets/web/engines/engine_cards.js draws. whose: for a visitor, who may do more; "" for that person.

    A visitor sees how engines are, and nothing that only the owner can do about them.
    """
    cards = [_card(studio, status, studio.weights.status(status.info.id)) for status in studio.engines()]
    if studio.is_owner:
        return {"cards": cards, "whose": ""}
    return {"cards": [card | NOTHING_TO_DO for card in cards], "whose": " ".join((words("engines.owners_alone"), owner_words(studio)))}


@said_on_the_page
def act_on_engine(studio: Studio, asked: dict[str, str]) -> Message:
    """asked: {engine, verb}; of `make-room` {unload} too, the engine that goes; of `fetch` {accepted}, the restriction agreed to."""
    studio.check_owner()
    engine, verb = asked["engine"], asked["verb"]
    info = studio.engine_info(engine)
    if verb == "make-room":
        studio.unload(asked["unload"])
    if verb in ("load", "make-room"):
        return _load(studio, info)
    if verb == "unload":
        studio.unload(engine)
        return Message("done", words("engines.said_unloaded", engine=info.title))
    if verb == "fetch":
        if info.restriction and asked.get("accepted") == info.restriction:
            studio.licenses.accept(info)
        studio.weights.begin(engine)
        return Message("note", words("engines.said_fetching", engine=info.title), words("engines.said_fetching_hint"))
    if verb != "cancel":
        raise ValueError(f"no verb {verb!r}")
    studio.weights.cancel(engine)
    return Message("note", words("engines.said_pausing", engine=info.title), kept_words(studio.weights.status(engine)))


def _load(studio: Studio, info: EngineInfo) -> Message:
    """Without room it is said at once, with the button that makes it; whoever loads otherwise is told by the engine's state."""
    try:
        studio.check_memory(info.id)
    except InsufficientMemory as error:
        room = _make_room(studio, info.id, error.unload) if error.unload else None
        act = room and {"words": words("engines.verb_make_room", engine=room["title"]), "asked": room["asked"]}
        return Message.of(error, act)
    studio.begin_loading(info.id)
    return Message("note", words("engines.said_loading" if info.runs == "here" else "engines.said_connecting", engine=info.title))


def _make_room(studio: Studio, engine: str, unload: str) -> Value:
    """title: of the engine that goes. asked: what a button asks for that unloads it, then loads the other."""
    return {"title": studio.engine_info(unload).title, "asked": {"engine": engine, "verb": "make-room", "unload": unload}}


def _card(studio: Studio, status: EngineStatus, weights: WeightsStatus) -> Value:
    """standing, shape: how it is. verb: [what its button asks for, in which words], None without one.

    elsewhere: where it works and how it is there, None of one that works here. offer: what it is compared by while it cannot speak yet,
    None of one that can.
    restriction: what is agreed to by who accepts the terms, as the engine says it; is_accepted: whether its weights may come.
    """
    info = status.info
    standing, is_away = standing_of(status, weights), is_lacking(status, weights)
    return {
        "id": info.id,
        "title": info.title,
        "summary": info.summary,
        "state": status.state,
        "standing": standing,
        "shape": SHAPES[standing],
        "streaming": status.streaming,
        "waiting": status.waiting,
        "device": status.device,
        "memory_bytes": status.memory_bytes,
        "load_seconds": status.load_seconds,
        "unloads_in_seconds": status.unloads_in_seconds,
        "is_here": not is_away,
        "offer": _offer(studio, info, weights) if is_away else None,
        "elsewhere": remote_value(studio, status),
        "facts": _facts(info, weights),
        "reason": _reason(studio, status, weights),
        "command": status.command if weights.state != "included" else "",  # else the hint has it
        "terms": terms_value(info),
        "restriction": info.restriction,
        "is_accepted": studio.licenses.holds(info),
        "make_room": _make_room(studio, info.id, status.unload) if status.unload else None,
        "report": _report(studio, status) if status.state == "failed" else "",
        "weights": {"state": weights.state, "done_bytes": weights.done_bytes, "all_bytes": weights.all_bytes},
        "verb": _verb(status, weights),
    }


def _offer(studio: Studio, info: EngineInfo, weights: WeightsStatus) -> Value:
    """best_at: keys of words, of which one may count the languages. fit: what it wants of this very machine; verdict: a key of words."""
    size = weights.all_bytes or info.weights_bytes
    return {
        "best_at": list(info.best_at),
        "n_languages": len(info.languages),
        "weights_bytes": size,
        "fit": asdict(studio.fits.of(info.id)),
    }


def _report(studio: Studio, status: EngineStatus) -> str:
    settings = studio.settings
    return failure_report(status, settings.for_engine(status.info.id).device, settings.api_keys, settings.engine_secrets)


def _reason(studio: Studio, status: EngineStatus, weights: WeightsStatus) -> str:
    """What is wrong and what mends it, of the download where that is it; "" where nothing is."""
    if weights.state == "failed":
        return fetch_trouble(weights) if studio.is_owner else f"{refusal_words(weights)[0]} {way_out(studio, status)}".strip()
    fact, hint = refusal_words(status)
    return f"{fact} {way_out(studio, status, below=True) or hint}".strip()


def _facts(info: EngineInfo, weights: WeightsStatus) -> Value:
    names = ("sample_rate", "streams", "transcript", "clones_clips", "most_text_characters")
    clip = {"least_clip_seconds": info.least_clip_seconds, "most_clip_seconds": info.most_clip_seconds}
    listed = info.languages if len(info.languages) <= MOST_LANGUAGES else [code for code in WELL_KNOWN if code in info.languages]
    spoken = {"languages": list(listed), "n_languages": len(info.languages), "weights_bytes": weights.all_bytes or info.weights_bytes}
    return {name: getattr(info, name) for name in names} | clip | spoken


def _verb(status: EngineStatus, weights: WeightsStatus) -> list[str] | None:
    """What helps it most."""
    if weights.state == "fetching":
        return ["cancel", "pause"]
    if weights.state in ("absent", "cancelled", "failed"):
        again = "again" if weights.state == "failed" else "resume"
        return ["fetch", again if weights.done_bytes or weights.state == "failed" else "get"]
    if status.unload:
        return ["make-room", "make_room"]
    is_here = status.info.runs == "here"
    if status.state in ("idle", "failed", "unavailable"):
        first = "load" if is_here else "connect"
        return ["load", first if status.state == "idle" else "again"]
    return ["unload", "unload"] if is_here and status.state == "ready" and not status.stays else None
