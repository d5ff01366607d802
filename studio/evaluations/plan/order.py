"""EvaluationOrder: what doors hand in to have an evaluation made: its plan, and the files that it needs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from studio.evaluations.plan.plan import EvaluationPlan

__all__ = ["EvaluationOrder", "SoundFile"]

SoundFile = bytes | Path  # of any kind that can be decoded


@dataclass(frozen=True)
class EvaluationOrder:
    """plan: without digests of recordings, which are known once they are kept.

    clips: of voices that nobody has stored, by their ids. references: recordings of the people who say the texts, by ids of texts.
    """

    plan: EvaluationPlan
    clips: Mapping[str, SoundFile] = field(default_factory=dict)
    references: Mapping[str, SoundFile] = field(default_factory=dict)
