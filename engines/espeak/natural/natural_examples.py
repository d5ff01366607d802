"""NaturalExamples: the speaker's own frames. Moved frames of the natural source are drawn half of the way to them.

A frame goes towards the mean of the clip's nearest frames, nearest by low cepstra in context. What is added is smoothed by who uses it, so
that fast movement stays the source's; drawn all the way, the voice is more alike and far less natural (studio/measure/DIARY.md).
"""

from dataclasses import dataclass

import numpy as np

from engines.espeak.speaker.enrollment import EVERY_FRAMES, low_cepstra
from engines.kit.signal.spectrum import envelope_of, level_db

__all__ = ["CONTEXT_FRAMES", "NaturalExamples"]

CONTEXT_FRAMES = 6  # either side, that a frame is known by
_OFFSETS = (-6, -2, 0, 2, 6)  # frames
_BREAK_FRAMES = 4  # of no speech begin a new stretch
_N_ORDERS, _HIGH_ORDERS, _HIGH_WEIGHT = 16, 9, 0.6
_LEVEL_WEIGHT = 0.7
_CONTEXT_DECAY = 8  # frames at which a neighbor counts 1 / e
_N_NEAREST = 8
_SHARE, _LEVEL_SHARE = 0.5, 0.25  # of the way
_SILENT_DB = 40  # below the loudest examples nothing is drawn


@dataclass(frozen=True, eq=False)
class NaturalExamples:
    """cepstra: (E, N_CEPSTRA) frames of the clip. features: (E, 5 * 16) of them. squares: (E,).

    mean, deviation: (16,) of low cepstra."""

    cepstra: np.ndarray
    features: np.ndarray
    squares: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    n_points: int
    least_level_db: float

    @classmethod
    def of(cls, cepstra: np.ndarray, frames: np.ndarray, n_points: int) -> "NaturalExamples":
        """frames: (E,) ascending, of the clip, where the rows of cepstra stand. n_points: of the envelope, that the clip's band reaches."""
        log_envelope = envelope_of(cepstra)
        low = low_cepstra(log_envelope, n_points, _N_ORDERS)
        mean, deviation = low.mean(0), low.std(0) + np.float32(1e-3)
        features = _features(_in_stretches((low - mean) / deviation, frames))
        least_level_db = float(np.percentile(level_db(log_envelope), 95)) - _SILENT_DB
        return cls(cepstra, features, (features**2).sum(1), mean, deviation, n_points, least_level_db)

    def draw(self, log_power: np.ndarray, cepstra: np.ndarray, first: int, last: int) -> np.ndarray:
        """(last - first, N_CEPSTRA) what is added to those rows of log_power (F, N_MELS) and its cepstra (F, N_CEPSTRA).

        The rows before and after them are their context, CONTEXT_FRAMES of it except where the piece begins or ends.
        """
        low = (low_cepstra(log_power, self.n_points, _N_ORDERS) - self.mean) / self.deviation
        index = np.arange(first, last, EVERY_FRAMES)  # what is added is smoothed, so that two frames may share it
        points = _features([low[np.clip(index + offset, 0, len(low) - 1)] for offset in _OFFSETS])
        distance = self.squares - 2 * points @ self.features.T
        n_nearest = min(_N_NEAREST, distance.shape[1])
        nearest = np.argpartition(distance, n_nearest - 1, 1)[:, :n_nearest]
        added = _SHARE * (self.cepstra[nearest].mean(1) - cepstra[index])
        added[:, 0] *= _LEVEL_SHARE / _SHARE
        added = np.repeat(added, EVERY_FRAMES, 0)[: last - first]
        return np.where(level_db(log_power[first:last])[:, None] > self.least_level_db, added, 0).astype(np.float32)


def _in_stretches(low: np.ndarray, frames: np.ndarray) -> list[np.ndarray]:
    """For each offset the (E, 16) that stand so far from each of low (E, 16), between rows mixed; at a stretch's end the row."""
    gaps = np.diff(frames)
    stretch = np.cumsum(np.concatenate([[0], gaps > np.median(gaps) + _BREAK_FRAMES]))
    index = np.arange(len(low))
    parts = []
    for offset in _OFFSETS:
        position = np.interp(frames + offset, frames, index)
        before, after = np.floor(position).astype(np.int64), np.ceil(position).astype(np.int64)
        inside = (stretch[before] == stretch) & (stretch[after] == stretch)
        before, after = np.where(inside, before, index), np.where(inside, after, index)
        share = (position - before)[:, None] * (after > before)[:, None]
        parts.append(low[before] + share.astype(np.float32) * (low[after] - low[before]))
    return parts


def _features(parts: list[np.ndarray]) -> np.ndarray:
    """(F, 5 * 16) of normalized low cepstra (F, 16), one part an offset, weighted."""
    weight = np.ones(_N_ORDERS, np.float32)
    weight[0], weight[_HIGH_ORDERS:] = _LEVEL_WEIGHT, _HIGH_WEIGHT
    decay = [np.float32(np.exp(-abs(offset) / _CONTEXT_DECAY)) for offset in _OFFSETS]
    return np.concatenate([low * weight * share for low, share in zip(parts, decay, strict=True)], 1).astype(np.float32)
