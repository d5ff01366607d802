"""Elsewhere: where an engine works that does not work here, how it is there, and what that means for takes and recordings."""

from studio.running.lifecycle import EngineStatus
from studio.service import Studio

__all__ = ["elsewhere_value", "standing_elsewhere"]

# How an engine that works elsewhere stands, by its state; of one that is open its health says it.
STANDINGS = {"idle": "apart", "loading": "connecting"}
OPEN = {"well": "connected", "degraded": "degraded", "down": "down"}

Value = dict[str, object]


def elsewhere_value(studio: Studio, status: EngineStatus) -> Value | None:
    """What the scripts know of it; None of an engine that works here.

    hosts: of its servers, without credentials; [] where it works on another machine of the studio's own. health, reason: its EngineHealth.
    repeats: whether the same seed is the same take. leaves_traces: whether recordings stay there.
    """
    info = status.info
    if info.runs == "here":
        return None
    return {
        "hosts": list(studio.settings.hosts_of(info.id)),
        "health": status.health.state,
        "reason": status.health.reason,
        "repeats": info.is_deterministic,
        "leaves_traces": info.leaves_traces,
    }


def standing_elsewhere(status: EngineStatus) -> str:
    """How it stands, in the place of how weights do: a key of the words; its state where nothing else is to be said."""
    return OPEN[status.health.state] if status.state == "ready" else STANDINGS.get(status.state, status.state)
