"""KnownVoices: whom speech is like among the speakers, by one encoder. SecondJudges: the same by what no loss knows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from engines.clips.clip import Clip
from studio.measure.quality.cepstral_distance import CepstralDistance, CepstralStatistics
from studio.measure.quality.quality_rows import RowFigures
from studio.measure.quality.quality_speakers import ClonedSpeaker, jointed

__all__ = ["KnownVoices", "Likenesses", "SecondJudges", "in_fours", "mean_cosine"]

HEARD_TOGETHER = 4  # recordings or speeches, of 3 to 7 s each


class VoiceEncoder(Protocol):
    """LikenessEstimator or SecondEncoder."""

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """Of unit length, of what is said in the clip; None where nothing is."""


class Likenesses(NamedTuple):
    """Cosines: to the speaker, and to that one of all other people whom the speech is most like. None and "" where there is nobody else."""

    own: float
    impostor: float | None
    impostor_name: str


@dataclass(frozen=True)
class KnownVoices:
    """speakers: by name, of unit length, the mean of their recordings' embeddings; people: who they are."""

    encoder: VoiceEncoder | None
    speakers: Mapping[str, np.ndarray]
    people: Mapping[str, str]

    @classmethod
    def of(cls, encoder: VoiceEncoder | None, speakers: Sequence[ClonedSpeaker]) -> Self:
        """Nobody is known without an encoder."""
        found = {speaker.name: _embeddings(encoder, in_fours(speaker.other.recordings())) for speaker in speakers}
        known = {name: np.mean(heard, 0) / np.linalg.norm(np.mean(heard, 0)) for name, heard in found.items() if heard}
        return cls(encoder, known, {speaker.name: speaker.person or speaker.name for speaker in speakers})

    def heard(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """Embeddings of those clips in which something is said; none without an encoder."""
        return _embeddings(self.encoder, clips)

    def likenesses(self, heard: Sequence[np.ndarray], name: str) -> Likenesses | None:
        """Means over the embeddings; None where nothing was heard, or nothing of the speaker."""
        if not heard or name not in self.speakers:
            return None
        cosines = {other: mean_cosine(heard, [known]) for other, known in self.speakers.items()}
        impostors = {other: cosine for other, cosine in cosines.items() if self.people[other] != self.people[name]}
        impostor = max(impostors, key=impostors.__getitem__, default="")
        return Likenesses(cosines[name], impostors.get(impostor), impostor)


@dataclass(frozen=True)
class SecondJudges:
    """voices: by the second encoder. cepstra: of all that is known of a speaker, by name."""

    voices: KnownVoices
    cepstra: Mapping[str, CepstralStatistics]

    @classmethod
    def of(cls, encoder: VoiceEncoder | None, speakers: Sequence[ClonedSpeaker]) -> Self:
        cepstra = {speaker.name: found for speaker in speakers if (found := CepstralStatistics.of(speaker.other))}
        return cls(KnownVoices.of(encoder, speakers), cepstra)

    def judged(self, clips: Sequence[Clip], name: str) -> RowFigures:
        """Means over the clips, by the names of a row's fields."""
        found = self.voices.likenesses(self.voices.heard(clips), name)
        second = RowFigures(second_of_four=found.own, second_impostor_of_four=found.impostor) if found else RowFigures()
        apart = [self.cepstra[name].distance(heard) for clip in clips if name in self.cepstra and (heard := CepstralStatistics.of(clip))]
        if not apart:
            return second
        mean = CepstralDistance(*np.mean(apart, 0).tolist())
        return second | RowFigures(ahs_of_four=mean.ahs, cepstral_mean_of_four=mean.mean)


def in_fours(clips: Sequence[Clip]) -> list[Clip]:
    """As many as HEARD_TOGETHER of them joined, in their order; fewer in the last."""
    return [jointed(list(clips[first : first + HEARD_TOGETHER])) for first in range(0, len(clips), HEARD_TOGETHER)]


def mean_cosine(heard: Sequence[np.ndarray], known: Sequence[np.ndarray]) -> float:
    """Over all pairs."""
    return float(np.mean(np.stack(heard) @ np.stack(known).T))


def _embeddings(encoder: VoiceEncoder | None, clips: Sequence[Clip]) -> list[np.ndarray]:
    heard = [encoder.embedding(clip) for clip in clips] if encoder else []
    return [one for one in heard if one is not None]
