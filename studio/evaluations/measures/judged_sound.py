"""JudgedSound: a sound with all that it is judged by. FamilyFigures: what a family of measures finds in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engines.clips.clip import Clip, ClipSound
from engines.text.language_guess import guess_language
from studio.evaluations.measures import lacking
from studio.evaluations.plan.plan import EvaluationText

__all__ = ["FamilyFigures", "JudgedSound"]

LEAST_SECONDS = 0.1  # our choice: no syllable is shorter, and networks want some frames
FIRST_SECONDS = 60.0  # that likeness is heard of, as the other estimators hear it


class FamilyFigures(NamedTuple):
    """lack: why some or all of the family's figures are not in values; "" where nothing is to be told."""

    values: Mapping[str, float]
    lack: str = ""


@dataclass(frozen=True)
class JudgedSound:
    """clip: not empty. text: None where nobody knows what should be said. reference: a recording of the person with the same text.

    readings: other ways of writing the text, of which the one counts that was heard best.
    """

    clip: Clip
    text: EvaluationText | None
    speaker: str
    reference: Clip | None = None
    readings: Sequence[str] = field(default=())

    @property
    def language(self) -> str | None:
        """Of the text."""
        return self.text and (self.text.language or guess_language(self.text.text))

    @cached_property
    def unheard(self) -> str:
        """Why nobody can hear what is said: silence, or next to no sound; "" where somebody can."""
        if ClipSound.of(self.clip).is_silent:
            return lacking.NOTHING_HEARD
        return lacking.TOO_SHORT if self.clip.seconds < LEAST_SECONDS else ""

    @property
    def beginning(self) -> Clip:
        """Its first minute."""
        clip = self.clip
        return Clip(clip.samples[: round(FIRST_SECONDS * clip.sample_rate)], clip.sample_rate) if clip.seconds > FIRST_SECONDS else clip

    @classmethod
    def why_none(cls, samples: np.ndarray) -> str:
        """Why samples are no sound at all, "" where they are."""
        if not len(samples):
            return lacking.NO_SOUND
        return "" if np.isfinite(samples).all() else lacking.NOT_FINITE
