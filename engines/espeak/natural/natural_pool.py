"""NaturalPool: the sound of the natural English source. With it a speaker can be learned where the source is not installed.

The frames are speech of the package hibari-tts 0.2.1 (Apache-2.0, distilled from Kokoro-82M, Apache-2.0), voice "heart", reading the
sentences of enrollment.py; engines/espeak/training/natural.py rebuilds the asset.
How long a speaker's vocal tract is (find_tract): by how much the natural voice's frequency axis stretches where it sounds most like the
speaker.
"""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import safetensors.numpy

from engines.errors import CheckpointInvalid
from engines.espeak.speaker.enrollment import cepstral_features, compared_features, squared_distances
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import MEL_HZ, N_CEPSTRA, interpolation

__all__ = ["ASSET", "CLASS_ORDERS", "NaturalPool", "class_points", "find_tract", "tract_matrix"]

ASSET = Path(__file__).with_name("natural.safetensors")
CLASS_ORDERS = 16  # cepstra by which frames are put into classes
_HIGH_ORDERS, _HIGH_WEIGHT = 9, 0.6  # from that order on they say less about the sound that is meant
_CLASS_SPREAD = 2.0  # squared distance at which a class has lost the factor e against the nearest
_TENSORS = {"cepstra", "segment", "centres", "class_mean", "class_scale", "log_f0"}


@dataclass(frozen=True, eq=False)
class NaturalPool:
    """cepstra: (N, N_CEPSTRA) of speech frames, every second one. segment: (N,) which sentence. log_f0: (2,) mean and deviation.

    centers: (K, CLASS_ORDERS) of the classes, in units of class_scale (CLASS_ORDERS,) about class_mean (CLASS_ORDERS,).
    """

    cepstra: np.ndarray
    segment: np.ndarray
    centres: np.ndarray
    class_mean: np.ndarray
    class_scale: np.ndarray
    log_f0: np.ndarray

    @classmethod
    def load(cls, path: Path = ASSET) -> "NaturalPool":
        """Read the asset. Raises CheckpointInvalid where it is missing or is another one."""
        if not path.is_file():
            raise CheckpointInvalid(f"The frames of the natural source are missing: {path.name}.")
        stored = safetensors.numpy.load_file(path)
        if set(stored) != _TENSORS or stored["cepstra"].shape[1] != N_CEPSTRA:
            raise CheckpointInvalid(f"{path.name} holds other tensors than the natural source has.")
        tensors = {name: tensor.astype(np.float32) for name, tensor in stored.items() if name != "segment"}
        return cls(segment=stored["segment"].astype(np.int64), **tensors)

    @cached_property
    def own_shares(self) -> np.ndarray:
        """(N, K) `shares` of the pool's own frames."""
        return self.shares(self.cepstra)

    def shares(self, cepstra: np.ndarray) -> np.ndarray:
        """(F, K) how much of each class is in frames of the source (F, N_CEPSTRA); every row sums to one."""
        points = class_points(cepstra, self.class_mean, self.class_scale)
        distance = (points**2).sum(1)[:, None] + (self.centres**2).sum(1) - 2 * points @ self.centres.T
        share = np.exp((distance.min(1, keepdims=True) - distance) / _CLASS_SPREAD)
        return (share / share.sum(1, keepdims=True)).astype(np.float32)


def class_points(cepstra: np.ndarray, mean: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """(F, CLASS_ORDERS) weighted cepstra in units of their deviation: the space of the classes."""
    weight = np.ones(CLASS_ORDERS, np.float32)
    weight[_HIGH_ORDERS:] = _HIGH_WEIGHT
    return (cepstra[:, :CLASS_ORDERS] - mean) / scale * weight


# --- the vocal tract


_TRACTS = np.arange(0.74, 1.23, 0.08)  # frequency scale, speaker to natural voice: from a tall man to a small child
_FINER_TRACTS = (0.04, 0.02)  # steps to either side of the best so far
_EVERY = 4  # frames of the clip by which tracts are told apart, and sentences of the pool


def tract_matrix(tract: float) -> np.ndarray:
    """(N_MELS, N_MELS): log envelopes (as rows) to those with the frequency axis stretched by `tract`."""
    return interpolation(MEL_HZ, np.minimum(MEL_HZ / tract, MEL_HZ[-1])).T


def find_tract(pool: NaturalPool, recording: ClipAnalysis) -> float:
    """The frequency scale under which frames of the pool lie nearest to the clip's: 0.68 to 1.28, and 1 for the natural voice's own."""
    clip, n_points = compared_features(recording)
    clip = clip[::_EVERY]
    some = pool.segment % _EVERY == 0
    cepstra, segment = pool.cepstra[some], pool.segment[some]

    def cost(tract: float) -> float:
        stretched = cepstral_features(cepstra, segment, n_points, tract_matrix(tract))
        return float(squared_distances(clip, stretched).min(1).mean())

    costs = {tract: cost(tract) for tract in _TRACTS}
    for step in _FINER_TRACTS:
        nearest = min(costs, key=costs.get)
        costs |= {tract: cost(tract) for tract in (nearest - step, nearest + step)}
    return float(min(costs, key=costs.get))
