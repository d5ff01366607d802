"""WyomingContext: what all connections of this door share."""

from dataclasses import dataclass, field

from studio.running.threads import Threads
from studio.service import Studio
from studio.web.body_limit import BodyBudget
from studio.workspace import EVERYBODY, NOBODY

__all__ = ["WyomingContext"]


@dataclass(frozen=True)
class WyomingContext:
    """studio: as those see it who do not say who they are. bodies: what is received, together with what other doors receive."""

    studio: Studio
    bodies: BodyBudget
    threads: Threads = field(default_factory=Threads)

    @classmethod
    def of(cls, studio: Studio, bodies: BodyBudget) -> "WyomingContext":
        return cls(studio.within(NOBODY if studio.settings.workspaces == "private" else EVERYBODY), bodies)
