"""Learning without a transcript: every frame of a clip is matched to a frame of a fixed pool of sentences.

The pool are fixed English sentences as the prior hears eSpeak say them, to which the frames of clips are matched.
With a transcript it is dynamic time warping of the clip onto eSpeak's reading of it (align): monotone, one source row for every clip row.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engines.errors import CheckpointInvalid
from engines.espeak.prior.prior import Prior
from engines.espeak.signal.spectrum import DCT, N_MELS, dct_matrix, envelope_of

__all__ = [
    "EVERY_FRAMES",
    "HIDDEN_STEPS",
    "N_ORDERS",
    "Pool",
    "align",
    "alignment_features",
    "cepstral_features",
    "clip_features",
    "low_cepstra",
    "match_frames",
    "squared_distances",
]

# --- with a transcript


# how far the source may advance per clip row, and what that costs in units of _STEP_COST times the median distance
_ADVANCES = ((0, 1.0), (1, 0.0), (2, 0.3), (3, 0.8), (4, 1.2))
_STEP_COST = 0.15
_FREE_ROWS = 20  # either end may begin or stop this far into the source
_SKIP_COST = 0.3
_N_ORDERS = 14
_UNREACHABLE = 1e9


@lru_cache(maxsize=2 * N_MELS)
def _basis(n_points: int, n_orders: int) -> np.ndarray:
    basis = dct_matrix(n_points, n_orders)
    basis[0] *= np.sqrt(2)  # all orders alike
    return basis


def low_cepstra(log_envelope: np.ndarray, n_points: int, n_orders: int) -> np.ndarray:
    """(F, n_orders) cepstra of the first n_points of the envelope: what a clip of limited bandwidth can be compared by."""
    return log_envelope[:, :n_points] @ _basis(n_points, n_orders).T


def alignment_features(log_envelope: np.ndarray, n_points: int) -> np.ndarray:
    """(F, 2 * 14) normalised cepstra and their slopes, so that neither level nor channel counts."""
    cepstra = low_cepstra(log_envelope, n_points, _N_ORDERS)
    cepstra = (cepstra - cepstra.mean(0)) / (cepstra.std(0) + 1e-6)
    weight = np.ones(_N_ORDERS, np.float32)
    weight[0], weight[8:] = 1.2, 0.6
    slope = np.gradient(cepstra, axis=0) * 2
    slope = (slope + np.roll(slope, 1, 0) + np.roll(slope, -1, 0)) / 3
    return np.concatenate([cepstra * weight, slope * weight], 1).astype(np.float32)


def align(source: np.ndarray, clip: np.ndarray) -> tuple[np.ndarray, float]:
    """The source row of each clip row, and the mean cost of the path relative to the median distance of any two rows.

    source: (S, D), clip: (C, D) features. returns: (C,) ints, cost.
    """
    n_source, n_clip = len(source), len(clip)
    squares = (clip**2).sum(1)[:, None] + (source**2).sum(1) - 2 * clip @ source.T
    distance = np.sqrt(np.maximum(squares, 0)).astype(np.float32)
    median = float(np.median(distance[::4, ::4]))
    step_cost = median * _STEP_COST
    free = min(_FREE_ROWS, n_source)
    # The least cost of a path to every cell, behind as many columns that none can come from as a path may advance. Where it came from is
    # asked of the path's own cells alone.
    most = len(_ADVANCES) - 1
    total = np.full((n_clip, most + n_source), _UNREACHABLE, np.float32)
    total[0, most : most + free] = distance[0, :free] + np.arange(free) * step_cost * _SKIP_COST
    costs = np.array([[cost * step_cost] for _, cost in reversed(_ADVANCES)], np.float32)
    arriving, before = np.empty((len(_ADVANCES), n_source), np.float32), sliding_window_view(total, n_source, 1)
    for row in range(1, n_clip):
        np.add(before[row - 1], costs, arriving)
        np.minimum.reduce(arriving, 0, None, total[row, most:])
        total[row, most:] += distance[row]
    tail = max(0, n_source - _FREE_ROWS)
    ends = total[-1, most + tail :] + np.arange(n_source - tail)[::-1] * step_cost * _SKIP_COST
    at = tail + int(np.argmin(ends))
    cost = float(total[-1, most + at] / n_clip / median)
    path = np.zeros(n_clip, np.int64)
    for row in range(n_clip - 1, -1, -1):
        path[row] = at
        if row:
            at = max(0, at - int((total[row - 1, at : at + most + 1] + costs[:, 0])[::-1].argmin()))
    return path, cost


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
