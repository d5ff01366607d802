"""Lacking: an engine that cannot be opened, in words: what a person on this page can do about it, and whom to ask for the rest."""

from studio.running.lifecycle import EngineStatus
from studio.running.weights import WeightsStatus
from studio.service import Studio
from studio.ui.figures import size_words

__all__ = ["is_lacking", "way_out"]

FETCHABLE = ("absent", "cancelled", "failed")


def is_lacking(status: EngineStatus, weights: WeightsStatus) -> bool:
    """Whether it cannot speak before somebody has done something about it."""
    return status.state == "unavailable" or (weights.state in (*FETCHABLE, "fetching") and status.state not in ("ready", "loading"))


def way_out(studio: Studio, status: EngineStatus, button: str = "on the tab Cache & models") -> str:
    """The next step; "" for an engine that lacks nothing. button: where the one is that gets the weights."""
    weights = studio.weights.status(status.info.id)
    if not is_lacking(status, weights):
        return ""
    if weights.state == "fetching":
        return "They are being downloaded; wait until they are here."
    if weights.state in FETCHABLE:
        size = f" ({size_words(weights.all_bytes)})" if weights.all_bytes else ""
        terms = "" if studio.licences.holds(status.info) else f", once you have accepted a licence that forbids {status.info.restriction}"
        return f"Get the weights{size} {button}{terms}, or choose another engine."
    return status.hint or "Choose another engine, or ask whoever runs this machine."
