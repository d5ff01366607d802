"""EngineHealth: the state of what does an engine's work, where that is not the engine itself."""

from dataclasses import dataclass
from typing import Literal

__all__ = ["WELL", "EngineHealth"]


@dataclass(frozen=True)
class EngineHealth:
    """state: "degraded" where it speaks, with less than it was given (one of two servers is gone); "down" where a request would fail now.

    reason: for people, "" where it is well.
    """

    state: Literal["well", "degraded", "down"] = "well"
    reason: str = ""


WELL = EngineHealth()
