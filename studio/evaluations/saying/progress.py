"""EvaluationProgress: how far the run of an evaluation is."""

from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError
from studio.evaluations.plan.cell import CellKey

__all__ = ["EvaluationProgress", "Phase"]

Phase = Literal["say", "measure", ""]


@dataclass(frozen=True)
class EvaluationProgress:
    """done, total: cells of the phase, "" of one that waits for its turn or is not under way. seconds_left: of the whole run, None where
    nobody can tell. now: what is being said or measured. failure: why it ended where it did not end well.
    """

    is_running: bool = False
    phase: Phase = ""
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    now: CellKey | None = None
    failure: EngineError | None = None
