"""The length of a speaker's vocal tract, against that of a known voice: by how much her frequency axis stretches where she sounds most like
the speaker.

The frames of the known voice are speech of the training voice heart (see engines/espeak/training/README.md); training/tract_frames.py
rebuilds the asset.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import safetensors.numpy

from engines.errors import CheckpointInvalid
from engines.espeak.speaker.enrollment import cepstral_features, compared_features, squared_distances
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import MEL_HZ, N_CEPSTRA, interpolation

__all__ = ["ASSET", "TractFrames", "find_tract", "tract_matrix"]

ASSET = Path(__file__).with_suffix(".safetensors")
_TRACTS = np.arange(0.74, 1.23, 0.08)  # frequency scale, speaker to known voice: from a tall man to a small child
_FINER_TRACTS = (0.04, 0.02)  # steps to either side of the best so far
_EVERY = 4  # frames of the clip by which tracts are told apart


@dataclass(frozen=True, eq=False)
class TractFrames:
    """cepstra: (N, N_CEPSTRA) of every second frame of speech. segment: (N,) which sentence."""

    cepstra: np.ndarray
    segment: np.ndarray

    @classmethod
    def load(cls, path: Path = ASSET) -> "TractFrames":
        """Read the asset. Raises CheckpointInvalid where it is missing or is another one."""
        if not path.is_file():
            raise CheckpointInvalid(f"The frames that vocal tracts are measured by are missing: {path.name}.")
        stored = safetensors.numpy.load_file(path)
        if set(stored) != {"cepstra", "segment"} or stored["cepstra"].shape[1] != N_CEPSTRA:
            raise CheckpointInvalid(f"{path.name} holds other tensors than vocal tracts are measured by.")
        return cls(stored["cepstra"].astype(np.float32), stored["segment"].astype(np.int64))


def tract_matrix(tract: float) -> np.ndarray:
    """(N_MELS, N_MELS): log envelopes (as rows) to those with the frequency axis stretched by `tract`."""
    return interpolation(MEL_HZ, np.minimum(MEL_HZ / tract, MEL_HZ[-1])).T


def find_tract(known: TractFrames, recording: ClipAnalysis) -> float:
    """The frequency scale under which the known frames lie nearest to the clip's: 0.68 to 1.28, and 1 for the known voice's own."""
    clip, n_points = compared_features(recording)
    clip = clip[::_EVERY]

    def cost(tract: float) -> float:
        stretched = cepstral_features(known.cepstra, known.segment, n_points, tract_matrix(tract))
        return float(squared_distances(clip, stretched).min(1).mean())

    costs = {tract: cost(tract) for tract in _TRACTS}
    for step in _FINER_TRACTS:
        nearest = min(costs, key=costs.__getitem__)
        costs |= {tract: cost(tract) for tract in (nearest - step, nearest + step)}
    return float(min(costs, key=costs.__getitem__))
