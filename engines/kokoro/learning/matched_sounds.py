"""SoundPool: which sounds a clip says, without knowing its words, by frames of the built-in voices that sound alike.

Every frame of 25 ms of a clip gets the text rows (what the decoder is told) of a frame of a pool, which Kokoro has spoken itself, so that
its phones are known to the frame. Sounds are compared by cepstra that are whitened for each speaker; a path through the pool prefers to
follow its speech, so that phones keep their order and their neighbors (Viterbi).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file, save_file
from torch import Tensor

from engines.kokoro.learning.clip_measures import FRAME_SAMPLES, HALF_SAMPLES, RATE_HZ, log_mel, triangles
from engines.kokoro.network.networks import KokoroNetworks

__all__ = ["FILE", "PoolUtterance", "SoundPool", "cepstra_of", "matched_frames", "save_pool", "sound_features"]

FILE = Path(__file__).with_name("sounds.safetensors")
CEPSTRA, SYMBOLS, FRAMES, LENGTHS = "cepstra", "symbols", "frames", "lengths"

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

    @classmethod
    @torch.no_grad()
    def of(cls, networks: KokoroNetworks, file: Path = FILE) -> "SoundPool":
        """What the file holds, with the text rows that these networks make of its symbols. Some 0.2 CPU seconds."""
        stored = load_file(file)
        lengths = stored[LENGTHS].tolist()
        symbols = np.split(stored[SYMBOLS].astype(np.int64), np.cumsum(lengths)[:-1])
        frames = np.split(stored[FRAMES].astype(np.int64), np.cumsum(lengths)[:-1])
        ends = np.cumsum([2 * int(each.sum()) for each in frames])
        cepstra = np.split(stored[CEPSTRA].astype(np.float32), ends[:-1])
        text = [
            networks.text_encoder(torch.from_numpy(numbers)[None])[0].repeat_interleave(torch.from_numpy(each), 0)
            for numbers, each in zip(symbols, frames, strict=True)
        ]
        begins = np.zeros(ends[-1] // 2, bool)
        begins[[0, *(ends[:-1] // 2)]] = True
        return cls(np.concatenate([_features(each) for each in cepstra]), torch.cat(text), begins)


@dataclass(frozen=True, eq=False)
class PoolUtterance:
    """What Kokoro has said: symbols (N,), 0 first and last; frames of 25 ms of each (N,); samples, as many as those."""

    symbols: np.ndarray
    frames: np.ndarray
    samples: np.ndarray


def save_pool(utterances: Sequence[PoolUtterance], file: Path) -> None:
    """Write the file that SoundPool.of reads."""
    tensors = {
        CEPSTRA: np.concatenate([cepstra_of(each.samples) for each in utterances]).astype(np.float16),
        SYMBOLS: np.concatenate([each.symbols for each in utterances]).astype(np.uint8),
        FRAMES: np.concatenate([each.frames for each in utterances]).astype(np.uint8),
        LENGTHS: np.array([len(each.symbols) for each in utterances], np.int32),
    }
    save_file(tensors, file)


def sound_features(samples: np.ndarray) -> np.ndarray:
    """(F, 4 * N_CEPSTRA) float32, of frames of 25 ms of (T,) samples: cepstra of both halves and their slopes, whitened."""
    return _features(cepstra_of(samples))


def cepstra_of(samples: np.ndarray) -> np.ndarray:
    """(2 F, N_CEPSTRA) float32 of every half frame, whitened over what is loud."""
    sound = torch.from_numpy(np.ascontiguousarray(samples, np.float32))[None]
    mel = log_mel(sound, 1024, 600, HALF_SAMPLES, triangles(N_BANDS, 1024, RATE_HZ, TOP_HZ))[0].numpy()
    basis = np.cos(np.pi * (np.arange(N_BANDS) + 0.5) * np.arange(N_CEPSTRA)[:, None] / N_BANDS)
    cepstra = mel @ basis.T
    loud = cepstra[:, 0] > np.quantile(cepstra[:, 0], QUIET_SHARE)
    whitened = (cepstra - cepstra[loud].mean(0)) / (cepstra[loud].std(0) + 1e-6)
    return whitened[: len(samples) // FRAME_SAMPLES * 2].astype(np.float32)


def _features(cepstra: np.ndarray) -> np.ndarray:
    rows = np.concatenate([cepstra, SLOPE_WEIGHT * np.gradient(cepstra, axis=0)], 1)
    return rows.reshape(len(rows) // 2, -1).astype(np.float32)


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
