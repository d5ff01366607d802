"""PitchRange: how high a voice speaks, and how far its pitch moves."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from engines.clips.clip import Clip
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.pitch import log_f0_range
from engines.kit.signal.spectrum import FRAMES_PER_SECOND

__all__ = ["PitchRange"]

SEMITONES_PER_E = 12 / math.log(2)  # by a natural logarithm of a ratio
LEAST_VOICED_SECONDS = 0.2  # our choice: a short word has as much


@dataclass(frozen=True)
class PitchRange:
    """Of F0 where there is one (engines/kit/signal/pitch.py): median_semitones above 1 Hz; spread_semitones, the standard deviation of what
    lies within an octave error of the median."""

    median_semitones: float
    spread_semitones: float

    @classmethod
    def of(cls, clip: Clip) -> Self | None:
        """Of the first half minute; None where less than LEAST_VOICED_SECONDS of it have a pitch. The clip must not be silent."""
        f0 = ClipAnalysis.of(clip).f0
        if np.count_nonzero(f0) < LEAST_VOICED_SECONDS * FRAMES_PER_SECOND:
            return None
        median, deviation = log_f0_range(f0)
        return cls(SEMITONES_PER_E * float(median), SEMITONES_PER_E * float(deviation))
