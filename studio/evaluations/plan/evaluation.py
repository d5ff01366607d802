"""Evaluation: a plan and how far it is. EvaluationData: all that was found, which statistics, reports and gates are made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from studio.evaluations.plan.cell import EvaluatedCell, SystemRun, VoiceRun
from studio.evaluations.plan.plan import EvaluationPlan

__all__ = ["Evaluation", "EvaluationData", "EvaluationState", "WordFloor"]

EvaluationState = Literal["ready", "running", "stopped", "done"]


@dataclass(frozen=True)
class Evaluation:
    """created, changed: seconds since 1970. n_said, n_measured: of n_cells. machine: where it was said last: processor, cores, memory, GPU,
    versions of the studio, Python and torch. n_bytes: of its sounds."""

    id: str
    plan: EvaluationPlan
    created: float
    changed: float
    state: EvaluationState
    n_cells: int
    n_said: int = 0
    n_measured: int = 0
    n_bytes: int = 0
    machine: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class WordFloor:
    """How many words the recognizer mishears itself, of people's own recordings, 0 to 1. published: of its paper, None where it has none of
    that language. measured: of the evaluation's recordings whose words are known, n_words of them; None without any."""

    language: str
    published: float | None = None
    measured: float | None = None
    n_words: int = 0


@dataclass(frozen=True)
class EvaluationData:
    """cells: in the plan's order, those that were said or refused. recognizer: the name of what heard the words, "" for nobody."""

    evaluation: Evaluation
    cells: tuple[EvaluatedCell, ...]
    voices: tuple[VoiceRun, ...] = ()
    systems: tuple[SystemRun, ...] = ()
    floors: tuple[WordFloor, ...] = ()
    recognizer: str = ""
