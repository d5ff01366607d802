"""Learning without a transcript: every frame of a clip is matched to a frame of a fixed pool of sentences.

The pool are fixed English sentences as the prior hears eSpeak say them, to which the frames of clips are matched.
"""

from dataclasses import dataclass

import numpy as np

from engines.errors import CheckpointInvalid
from engines.espeak.prior.prior import Prior
from engines.espeak.signal.alignment import low_cepstra
from engines.espeak.signal.spectrum import DCT, envelope_of

__all__ = ["EVERY_FRAMES", "HIDDEN_STEPS", "N_ORDERS", "Pool", "cepstral_features", "clip_features", "match_frames", "squared_distances"]

# --- the pool


EVERY_FRAMES = 2
HIDDEN_STEPS = 127  # of a hidden feature from 0 to 1, as the asset keeps it
N_ORDERS = 20  # cepstra that are compared at most


@dataclass(frozen=True, eq=False)
class Pool:
    """hidden: (N, U + 1) features of every second frame of the sentences; segment: (N,) which sentence."""

    hidden: np.ndarray
    segment: np.ndarray

    @classmethod
    def of(cls, prior: Prior) -> "Pool":
        """As the prior's asset has it, whatever eSpeak is installed here. Raises CheckpointInvalid where it has none."""
        if not prior.pool:
            raise CheckpointInvalid("The prior has no sentence pool.")
        hidden = prior.pool["hidden"].astype(np.float32) / HIDDEN_STEPS
        return cls(np.concatenate([hidden, np.ones((len(hidden), 1), np.float32)], 1), prior.pool["segment"].astype(np.int64))

    def cepstra(self, prior: Prior, head: np.ndarray, n_points: int) -> np.ndarray:
        """(N, 20) low cepstra of the pool as the head would speak it: hidden features to low cepstra in one affine map."""
        n_units = self.hidden.shape[1]
        units = prior.cepstra(np.concatenate([np.zeros((1, n_units)), np.eye(n_units)]).astype(np.float32), head)
        mapped = low_cepstra(envelope_of(units), n_points, N_ORDERS)
        return self.hidden @ (mapped[1:] - mapped[0]) + mapped[0]


# --- without a transcript


_OFFSETS = (-6, -3, 0, 3, 6)
_LEVEL_WEIGHT = 0.7


def match_frames(prior: Prior, pool: Pool, head: np.ndarray, clip_features: np.ndarray, n_points: int) -> tuple[np.ndarray, float]:
    """The pool row nearest to each clip frame, (F,) ints, and the mean squared distance."""
    distances = squared_distances(clip_features, _features(pool.cepstra(prior, head, n_points), pool.segment))
    nearest = distances.argmin(1)
    return nearest, float(distances[np.arange(len(nearest)), nearest].mean())


def clip_features(log_envelope: np.ndarray, segment: np.ndarray, n_points: int) -> np.ndarray:
    """(F, 16 * 5) normalised cepstra in context, of frames (F, N_MELS) every EVERY_FRAMES; segment (F,) numbers unbroken stretches."""
    return _features(low_cepstra(log_envelope, n_points, N_ORDERS), segment)


def cepstral_features(cepstra: np.ndarray, segment: np.ndarray, n_points: int, axis: np.ndarray | None = None) -> np.ndarray:
    """(F, 16 * 5) the same of frames whose cepstra are (F, N_CEPSTRA). axis: (N_MELS, N_MELS) that their envelopes, as rows, go through."""
    return _features(cepstra @ low_cepstra(DCT if axis is None else DCT @ axis, n_points, N_ORDERS), segment)


def _features(cepstra: np.ndarray, segment: np.ndarray) -> np.ndarray:
    weight = np.concatenate([[_LEVEL_WEIGHT], np.ones(8), np.full(7, 0.6)]).astype(np.float32)
    low = cepstra[:, : len(weight)]
    low = (low - low.mean(0)) / (low.std(0) + 1e-3) * weight
    index = np.arange(len(low))
    parts = []
    for offset in _OFFSETS:
        neighbour = np.clip(index + offset, 0, len(low) - 1)
        neighbour = np.where(segment[neighbour] == segment[index], neighbour, index)
        parts.append(low[neighbour] * np.float32(np.exp(-abs(offset) / 8)))
    return np.concatenate(parts, 1).astype(np.float32)


def squared_distances(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """(R, C) of rows (R, D) and columns (C, D), in one product: to add the lengths to so large a matrix would take as long again."""
    left = [-2 * rows, np.ones((len(rows), 1), np.float32), _lengths(rows)]
    right = [columns, _lengths(columns), np.ones((len(columns), 1), np.float32)]
    return np.concatenate(left, 1) @ np.concatenate(right, 1).T


def _lengths(rows: np.ndarray) -> np.ndarray:
    """(R, 1) squared."""
    return (rows**2).sum(1, keepdims=True)
