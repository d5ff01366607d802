"""The pool: fixed English sentences as eSpeak says them, to which the frames of a clip without words are matched."""

from dataclasses import dataclass

import numpy as np

from engines.espeak import library
from engines.espeak.alignment import low_cepstra
from engines.espeak.clip_analysis import speech_frames
from engines.espeak.languages import language_of
from engines.espeak.paced_source import PacedSource
from engines.espeak.prior import Prior
from engines.espeak.spectrum import envelope_of

__all__ = ["EVERY_FRAMES", "N_ORDERS", "POOL_SENTENCES", "Pool"]

EVERY_FRAMES = 2
N_ORDERS = 20  # cepstra that are compared at most
POOL_SENTENCES = (
    "A quick brown fox jumps over the lazy dog while the judge watches.",
    "Joyful children played with the yellow toys beneath the large oak.",
    "The azure sky and the beige walls gave the house a certain charm.",
    "Choose a proper shade of blue for the bathroom ceiling.",
    "Why did Roy avoid the noisy boys at the oyster bar?",
    "She sells fresh fish, chips and pickled onions by the shore.",
    "Nothing would make him change his mind about the voyage.",
    "Put the cup down and pull the curtain back a little.",
    "Every Thursday the nurse checks the patient's heart and lungs.",
    "Ten tiny turtles tried to cross the dusty track at noon.",
    "Which church chose to charge a change fee for the chairs?",
    "We were away when the west wind went wild.",
    "Both of my cousins usually arrive before breakfast on Saturdays.",
    "Thick fog covered the harbour, and few ships dared to move.",
    "He put the wooden box on the shelf and shook his head.",
    "The engineer measured the width of the bridge very carefully.",
    "Is that your final answer, or would you rather think about it?",
    "Vision and hearing are both affected by age.",
    "The zoo has a giraffe, two zebras and a sleepy old bear.",
    "A loud thunder clap shook the ground beneath our feet.",
    "George owns a huge garage with eight vintage cars.",
    "Yes, we could use a few more volunteers on Wednesday.",
    "The king's army marched through the valley during the night.",
    "Measure the flour, add some butter, and stir the mixture.",
)


@dataclass(frozen=True, eq=False)
class Pool:
    """hidden: (N, U + 1) features of every second frame of the sentences; segment: (N,) which sentence."""

    hidden: np.ndarray
    segment: np.ndarray

    @classmethod
    def spoken(cls, prior: Prior) -> "Pool":
        english, hidden, segment = language_of("", "en"), [], []
        for number, sentence in enumerate(POOL_SENTENCES):
            source = PacedSource.of(library.speak(sentence, english.voice), prior, english, paced=False)
            features = source.hidden(source.n_frames)
            frames = np.nonzero(speech_frames(source.level(0, source.n_frames)))[0][::EVERY_FRAMES]
            hidden.append(features[frames])
            segment.append(np.full(len(frames), number))
        return cls(np.concatenate(hidden), np.concatenate(segment))

    def cepstra(self, prior: Prior, head: np.ndarray, n_points: int) -> np.ndarray:
        """(N, 20) low cepstra of the pool as the head would speak it: hidden features to low cepstra in one affine map."""
        n_units = self.hidden.shape[1]
        units = prior.cepstra(np.concatenate([np.zeros((1, n_units)), np.eye(n_units)]).astype(np.float32), head)
        mapped = low_cepstra(envelope_of(units), n_points, N_ORDERS)
        return self.hidden @ (mapped[1:] - mapped[0]) + mapped[0]
