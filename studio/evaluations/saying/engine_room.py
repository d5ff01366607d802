"""EngineRoom: has one engine of an evaluation open at a time, so that each has the machine for itself, and its memory can be told."""

from contextlib import suppress
from dataclasses import dataclass

from studio.errors import EngineInUse
from studio.evaluations.plan.plan import EvaluationPlan
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio

__all__ = ["EngineRoom", "is_open"]


@dataclass(frozen=True)
class EngineRoom:
    """engines: ids of those of the plan. were_open: of them, when the run began: somebody may be about to speak with them."""

    studio: EvaluatingStudio
    engines: frozenset[str]
    were_open: frozenset[str]

    @classmethod
    def of(cls, studio: EvaluatingStudio, plan: EvaluationPlan) -> "EngineRoom":
        engines = frozenset(system.engine for system in plan.systems if system.engine is not None)
        return cls(studio, engines, frozenset(engine for engine in engines if is_open(studio, engine)))

    def clear(self, *, but_open: bool = False) -> None:
        """Close them; one that somebody else uses just now stays. but_open: so do those that were open when the run began."""
        for engine in self.engines - (self.were_open if but_open else frozenset()):
            if is_open(self.studio, engine):
                with suppress(EngineInUse):
                    self.studio.unload(engine)


def is_open(studio: EvaluatingStudio, engine: str) -> bool:
    return any(status.state == "ready" for status in studio.engines() if status.info.id == engine)
