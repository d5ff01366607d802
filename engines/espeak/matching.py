"""Learning a head without a transcript: every clip frame is matched to a frame of a fixed pool of eSpeak sentences."""

from dataclasses import dataclass

import numpy as np

from engines.espeak import library
from engines.espeak.alignment import low_cepstra
from engines.espeak.clip_analysis import speech_frames
from engines.espeak.languages import language_of
from engines.espeak.prior import Prior
from engines.espeak.source import Source
from engines.espeak.spectrum import N_MELS, envelope_of

__all__ = ["EVERY_FRAMES", "POOL_SENTENCES", "Pool", "clip_features", "match_frames", "nearest_heads", "squared_distances"]

EVERY_FRAMES = 2
_OFFSETS = (-6, -3, 0, 3, 6)
_N_ORDERS = 20  # of which the features use the first 16
_N_NEAREST_HEADS = 3
_RANKING_SHARE, _CLIP_EVERY, _POOL_EVERY = 3, 4, 2  # trained heads are ranked on a third of the pool, and on some rows of it and the clip
_LEVEL_WEIGHT = 0.7
_MEAN_WEIGHT = 1.28 / N_MELS  # of the long-term spectrum when trained heads are ranked
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
            source = Source(library.speak(sentence, english.voice), prior, english.source_f0_hz)
            features = source.hidden(source.n_frames)
            frames = np.nonzero(speech_frames(source.level))[0][::EVERY_FRAMES]
            hidden.append(features[frames])
            segment.append(np.full(len(frames), number))
        return cls(np.concatenate(hidden), np.concatenate(segment))

    def cepstra(self, prior: Prior, head: np.ndarray, n_points: int) -> np.ndarray:
        """(N, 20) low cepstra of the pool as the head would speak it: hidden features to low cepstra in one affine map."""
        n_units = self.hidden.shape[1]
        units = prior.cepstra(np.concatenate([np.zeros((1, n_units)), np.eye(n_units)]).astype(np.float32), head)
        mapped = low_cepstra(envelope_of(units), n_points, _N_ORDERS)
        return self.hidden @ (mapped[1:] - mapped[0]) + mapped[0]


def nearest_heads(prior: Prior, pool: Pool, log_envelope: np.ndarray, segment: np.ndarray, n_points: int) -> np.ndarray:
    """(3, U + 1, O) the trained heads under which the pool lies closest to the clip's frames (F, N_MELS)."""
    wanted = low_cepstra(log_envelope, n_points, _N_ORDERS)
    clip = _features(wanted, segment, _CLIP_EVERY)
    n_rows = len(pool.segment) // _RANKING_SHARE
    few = Pool(pool.hidden[:n_rows], pool.segment[:n_rows])
    scores = []
    for head in prior.heads:
        spoken = few.cepstra(prior, head, n_points)
        distances = squared_distances(clip, _features(spoken, few.segment, _POOL_EVERY))
        nearest = np.partition(distances, 3, 1)[:, :3].mean()
        scores.append(nearest + _MEAN_WEIGHT * ((spoken.mean(0) - wanted.mean(0))[1:8] ** 2).sum())
    return prior.heads[np.argsort(scores)[:_N_NEAREST_HEADS]]


def match_frames(prior: Prior, pool: Pool, head: np.ndarray, clip_features: np.ndarray, n_points: int) -> tuple[np.ndarray, float]:
    """The pool row nearest to each clip frame, (F,) ints, and the mean squared distance."""
    distances = squared_distances(clip_features, _features(pool.cepstra(prior, head, n_points), pool.segment))
    nearest = distances.argmin(1)
    return nearest, float(distances[np.arange(len(nearest)), nearest].mean())


def clip_features(log_envelope: np.ndarray, segment: np.ndarray, n_points: int) -> np.ndarray:
    """(F, 16 * 5) normalised cepstra in context, of frames (F, N_MELS) every EVERY_FRAMES; segment (F,) numbers unbroken stretches."""
    return _features(low_cepstra(log_envelope, n_points, _N_ORDERS), segment)


def _features(cepstra: np.ndarray, segment: np.ndarray, every: int = 1) -> np.ndarray:
    weight = np.concatenate([[_LEVEL_WEIGHT], np.ones(8), np.full(7, 0.6)]).astype(np.float32)
    low = cepstra[:, : len(weight)]
    low = (low - low.mean(0)) / (low.std(0) + 1e-3) * weight
    index = np.arange(0, len(low), every)
    parts = []
    for offset in _OFFSETS:
        neighbour = np.clip(index + offset, 0, len(low) - 1)
        neighbour = np.where(segment[neighbour] == segment[index], neighbour, index)
        parts.append(low[neighbour] * np.float32(np.exp(-abs(offset) / 8)))
    return np.concatenate(parts, 1).astype(np.float32)


def squared_distances(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(R, C) of rows (R, D) and columns (C, D)."""
    return (rows**2).sum(1)[:, None] + (columns**2).sum(1) - 2 * rows @ columns.T
