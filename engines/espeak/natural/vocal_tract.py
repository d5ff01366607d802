"""How long a speaker's vocal tract is: by how much the natural voice's frequency axis stretches where it sounds most like the speaker."""

import numpy as np

from engines.espeak.natural.natural_pool import NaturalPool
from engines.espeak.signal.clip_analysis import ClipAnalysis
from engines.espeak.signal.spectrum import MEL_HZ, interpolation
from engines.espeak.speaker.enrolment import compared_features
from engines.espeak.speaker.matching import cepstral_features, squared_distances

__all__ = ["find_tract", "tract_matrix"]

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
