"""Lacking: an engine that cannot be opened, in words: why, what a person on this page can do about it, and whom to ask for the rest."""

from studio.running.lifecycle import EngineStatus
from studio.running.offer.weights import WeightsStatus
from studio.service import Studio
from studio.ui.engines.terms import forbidden_words
from studio.ui.gradio.words import problem_words, words

__all__ = ["FETCHABLE", "is_lacking", "trouble_of", "way_out"]

FETCHABLE = ("absent", "cancelled", "failed")


def is_lacking(status: EngineStatus, weights: WeightsStatus) -> bool:
    """Whether it cannot speak before somebody has done something about it."""
    return status.state == "unavailable" or (weights.state in (*FETCHABLE, "fetching") and status.state not in ("ready", "loading"))


def trouble_of(status: EngineStatus | WeightsStatus) -> tuple[str, str]:
    """(fact, hint) of what went wrong with an engine, or with its download; both "" where nothing did."""
    return problem_words(status.code, status.values, (status.reason, status.hint))


def way_out(studio: Studio, status: EngineStatus, *, below: bool = False) -> str:
    """The next step; "" for an engine that lacks nothing. below: whether the button that gets its weights is right here."""
    weights = studio.weights.status(status.info.id)
    if not is_lacking(status, weights):
        return ""
    if weights.state == "fetching":
        return words("engines.wait_for_it")
    if weights.state not in FETCHABLE:
        return trouble_of(status)[1] or words("engines.ask_for_it")
    said = [words("engines.get_it_below" if below else "engines.get_it")]
    if weights.all_bytes:
        said.append(words("engines.size", size=weights.all_bytes))
    if not studio.licences.holds(status.info):
        said.append(words("engines.terms", forbids=forbidden_words(status.info)))
    return " ".join(said)
