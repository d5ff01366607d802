"""EngineRoom: has one engine of an evaluation open at a time, so that each has the machine for itself, and its memory can be told."""

from contextlib import suppress
from dataclasses import dataclass

from engines.errors import EngineError
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

    def clear(self) -> None:
        """Close them; one that somebody else uses just now stays."""
        self._close(self.engines)

    def restore(self) -> None:
        """Open are those that were when the run began, as far as they can be opened."""
        self._close(self.engines - self.were_open)
        for engine in self.were_open:
            with suppress(EngineError):
                self.studio.load(engine)

    def _close(self, engines: frozenset[str]) -> None:
        for engine in engines:
            if is_open(self.studio, engine):
                with suppress(EngineInUse):
                    self.studio.unload(engine)


def is_open(studio: EvaluatingStudio, engine: str) -> bool:
    return any(status.state == "ready" for status in studio.engines() if status.info.id == engine)
