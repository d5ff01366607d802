"""Learning without a transcript: every frame of a clip is matched to a frame of a fixed pool of sentences."""

import numpy as np

from engines.espeak.prior.prior import Prior
from engines.espeak.prior.sentence_pool import N_ORDERS, Pool
from engines.espeak.signal.alignment import low_cepstra
from engines.espeak.signal.spectrum import DCT

__all__ = ["cepstral_features", "clip_features", "match_frames", "squared_distances"]

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
