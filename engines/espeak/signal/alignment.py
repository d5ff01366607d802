"""Dynamic time warping of a clip onto eSpeak's reading of its transcript: monotone, one source row for every clip row."""

from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engines.espeak.signal.spectrum import N_MELS, dct_matrix

__all__ = ["align", "alignment_features", "low_cepstra"]

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
