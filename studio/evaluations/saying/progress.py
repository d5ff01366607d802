"""EvaluationProgress: how far the run of an evaluation is."""

from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError
from studio.evaluations.plan.cell import CellKey

__all__ = ["CellStep", "EvaluationProgress", "Phase"]

Phase = Literal["say", "measure", ""]
CellStep = Literal["learn", "begin", "keep"]  # its voice is learned before it is said; it is said or measured; that is kept


@dataclass(frozen=True)
class EvaluationProgress:
    """done, total: cells of the phase, "" of one that waits for its turn or is not under way. seconds_left: of the whole run, None where
    nobody can tell. now: what is being said or measured; is_learning: it waits until its
    system has learned its voice. failure: why it ended where it did not end well.
    """

    is_running: bool = False
    phase: Phase = ""
    done: int = 0
    total: int = 0
    seconds_left: float | None = None
    now: CellKey | None = None
    is_learning: bool = False
    failure: EngineError | None = None
