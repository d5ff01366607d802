"""MatchedSounds: which sounds a clip says, without knowing its words: frames of the built-in voices that sound alike, with their phones.

Every frame of 25 ms of a clip gets the text rows (what the decoder is told) of a frame of a pool, which Kokoro has spoken itself, so that
its phones are known to the frame. Sounds are compared by cepstra that are whitened for each speaker; a path through the pool prefers to
follow its speech, so that phones keep their order and their neighbors (Viterbi).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from engines.kokoro.learning.clip_measures import FRAME_SAMPLES, HALF_SAMPLES, log_mel, triangles

__all__ = ["SoundPool", "matched_frames", "sound_features"]

N_CEPSTRA, N_BANDS, TOP_HZ = 14, 40, 7000.0
QUIET_SHARE = 0.2  # of the frames, by loudness, that whitening leaves out
SLOPE_WEIGHT = 1.5
JUMP_COST, HOLD_COST, SKIP_COST = 4.0, 0.7, 0.7  # of leaving the pool's speech, of staying at a frame, of leaving one out


@dataclass(frozen=True, eq=False)
class SoundPool:
    """features: (N, D) of all frames. text: (N, hidden), what the decoder is told in them. begins: where an utterance begins, (N,) bool."""

    features: np.ndarray
    text: Tensor
    begins: np.ndarray


def sound_features(samples: np.ndarray) -> np.ndarray:
    """(F, 4 * N_CEPSTRA) float32, of frames of 25 ms: cepstra of both halves and their slopes, whitened over what is loud."""
    sound = torch.from_numpy(np.ascontiguousarray(samples, np.float32))[None]
    mel = log_mel(sound, 1024, 600, HALF_SAMPLES, triangles(N_BANDS, 1024, 24_000, TOP_HZ))[0].numpy()
    basis = np.cos(np.pi * (np.arange(N_BANDS) + 0.5) * np.arange(N_CEPSTRA)[:, None] / N_BANDS)
    cepstra = mel @ basis.T
    loud = cepstra[:, 0] > np.quantile(cepstra[:, 0], QUIET_SHARE)
    cepstra = (cepstra - cepstra[loud].mean(0)) / (cepstra[loud].std(0) + 1e-6)
    rows = np.concatenate([cepstra, SLOPE_WEIGHT * np.gradient(cepstra, axis=0)], 1)
    n_frames = len(samples) // FRAME_SAMPLES
    return rows[: 2 * n_frames].reshape(n_frames, -1).astype(np.float32)


def matched_frames(features: np.ndarray, pool: SoundPool) -> np.ndarray:
    """(F,) the frame of the pool for each row of features, the cheapest path."""
    squares = np.square(pool.features).sum(1)
    n_pool = len(squares)
    total = np.zeros(n_pool, np.float32)
    back = np.empty((len(features), n_pool), np.int32)
    index = np.arange(n_pool, dtype=np.int32)
    blocked_next, blocked_skip = pool.begins, pool.begins | np.roll(pool.begins, 1)
    for at, row in enumerate(features):
        cost = np.sqrt(np.maximum(squares - 2 * (pool.features @ row) + row @ row, 0))
        best = int(total.argmin())
        ways = np.stack(
            [
                np.where(blocked_next, np.inf, np.roll(total, 1)),
                total + HOLD_COST,
                np.where(blocked_skip, np.inf, np.roll(total, 2) + SKIP_COST),
                np.full(n_pool, total[best] + JUMP_COST, np.float32),
            ]
        )
        chosen = ways.argmin(0)
        back[at] = np.choose(chosen, [index - 1, index, index - 2, np.full(n_pool, best, np.int32)])
        total = ways[chosen, index] + cost
    path = np.empty(len(features), np.int64)
    last = int(total.argmin())
    for at in range(len(features) - 1, -1, -1):
        path[at] = last
        last = int(back[at, last])
    return path
