"""SecondJudges: whom clones are like by what no loss knows, another encoder and cepstra."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from engines.clips.clip import Clip
from studio.evaluations.measures.known_speakers import KnownSpeakers
from studio.measure.quality.cepstral_distance import CepstralDistance, CepstralStatistics
from studio.measure.quality.quality_rows import RowFigures
from studio.measure.quality.quality_speakers import ClonedSpeaker

__all__ = ["SecondJudges"]


@dataclass(frozen=True)
class SecondJudges:
    """voices: by the second encoder, None where it is not here. cepstra: of all that is known of a speaker, by name."""

    voices: KnownSpeakers | None
    cepstra: Mapping[str, CepstralStatistics]

    @classmethod
    def of(cls, voices: KnownSpeakers | None, speakers: Sequence[ClonedSpeaker]) -> Self:
        return cls(voices, {speaker.name: found for speaker in speakers if (found := CepstralStatistics.of(speaker.other))})

    def judged(self, clips: Sequence[Clip], name: str) -> RowFigures:
        """Means over the clips, by the names of a row's fields."""
        found = self.voices and self.voices.likenesses(self.voices.heard(clips), name)
        second = RowFigures(second_of_four=found.own, second_impostor_of_four=found.impostor) if found else RowFigures()
        apart = [self.cepstra[name].distance(heard) for clip in clips if name in self.cepstra and (heard := CepstralStatistics.of(clip))]
        if not apart:
            return second
        mean = CepstralDistance(*np.mean(apart, 0).tolist())
        return second | RowFigures(ahs_of_four=mean.ahs, cepstral_mean_of_four=mean.mean)
