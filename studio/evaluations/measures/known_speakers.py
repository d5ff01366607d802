"""KnownSpeakers: whom speech is like among those of an evaluation, by one encoder. Each recording is heard once."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np

from engines.clips.clip import Clip

__all__ = ["JudgedVoice", "KnownSpeakers", "Likenesses", "VoiceEncoder", "in_fours", "jointed", "mean_cosine"]

HEARD_TOGETHER = 4  # recordings or speeches, of 3 to 7 s each


class VoiceEncoder(Protocol):
    """LikenessEstimator or SecondEncoder."""

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """Of unit length, of what is said in the clip; None where nothing is."""


class JudgedVoice(NamedTuple):
    """Who should be heard. clip: recordings of the person, or what reads them, which is asked once for each use.

    words: what is said there, written by a person; None where nobody knows. language: a code, of the words. person: who has the same one
    is no other person; "" for nobody else.
    """

    clip: Clip | Callable[[], Clip]
    words: str | None = None
    language: str | None = None
    person: str = ""

    def read_clip(self) -> Clip:
        """Raises whatever reading raises."""
        return self.clip if isinstance(self.clip, Clip) else self.clip()


class Likenesses(NamedTuple):
    """Cosines: to the speaker, and to that one of all other people whom the speech is most like. None and "" where there is nobody else."""

    own: float
    impostor: float | None
    impostor_name: str


@dataclass(frozen=True)
class KnownSpeakers:
    """speakers: by name, of unit length, the mean of their recordings' embeddings; people: who they are."""

    encoder: VoiceEncoder
    speakers: Mapping[str, np.ndarray]
    people: Mapping[str, str]

    @classmethod
    def of(cls, encoder: VoiceEncoder, voices: Mapping[str, JudgedVoice]) -> Self:
        """Recordings of one voice are heard four at a time."""
        found = {name: _embeddings(encoder, in_fours(voice.read_clip().recordings())) for name, voice in voices.items()}
        known = {name: np.mean(heard, 0) / np.linalg.norm(np.mean(heard, 0)) for name, heard in found.items() if heard}
        return cls(encoder, known, {name: voice.person or name for name, voice in voices.items()})

    def heard(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """Embeddings of those clips in which something is said."""
        return _embeddings(self.encoder, clips)

    def likenesses(self, heard: Sequence[np.ndarray], name: str) -> Likenesses | None:
        """Means over the embeddings; None where nothing was heard, or nothing of the speaker."""
        if not heard or name not in self.speakers:
            return None
        cosines = {other: mean_cosine(heard, [known]) for other, known in self.speakers.items()}
        impostors = {other: cosine for other, cosine in cosines.items() if self.people[other] != self.people[name]}
        impostor = max(impostors, key=impostors.__getitem__, default="")
        return Likenesses(cosines[name], impostors.get(impostor), impostor)


def in_fours(clips: Sequence[Clip]) -> list[Clip]:
    """As many as HEARD_TOGETHER of them joined, in their order; fewer in the last."""
    return [jointed(list(clips[first : first + HEARD_TOGETHER])) for first in range(0, len(clips), HEARD_TOGETHER)]


def jointed(sounds: list[Clip]) -> Clip:
    """Recordings as one, with joints where one follows another, and nothing between them."""
    ends = tuple(itertools.accumulate(len(sound.samples) for sound in sounds))
    return Clip(np.concatenate([sound.samples for sound in sounds]), sounds[0].sample_rate, ends[:-1])


def mean_cosine(heard: Sequence[np.ndarray], known: Sequence[np.ndarray]) -> float:
    """Over all pairs."""
    return float(np.mean(np.stack(heard) @ np.stack(known).T))


def _embeddings(encoder: VoiceEncoder, clips: Sequence[Clip]) -> list[np.ndarray]:
    heard = [encoder.embedding(clip) for clip in clips]
    return [one for one in heard if one is not None]
