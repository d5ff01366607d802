"""How loud frames are, and the ceiling above which a speaker hardly ever grows louder.

People hold their loud vowels near one level, and recordings are made so that they do; predicted frames, as varied as the clip's and moved
with the melody, now and then leave it by 6 dB. What lies above the ceiling is brought to three tenths, frame by frame, so that a stream
stays equal to the whole.
"""

import numpy as np

__all__ = ["held", "loudness", "loudness_ceiling"]

_SHARE_BELOW = 0.9  # of a clip's frames
_LEFT_OF_MORE = np.float32(0.3)  # of what is louder; 0 sounds less natural (studio/measure/DIARY.md)


def loudness(log_power: np.ndarray) -> np.ndarray:
    """(F,) natural log of the mean power over the points of (F, N_MELS) natural log power."""
    return np.log(np.exp(log_power).mean(1))


def loudness_ceiling(log_power: np.ndarray) -> float:
    """What one in ten of a clip's frames, (F, N_MELS), is louder than."""
    return float(np.quantile(loudness(log_power), _SHARE_BELOW))


def held(log_power: np.ndarray, ceiling: float) -> np.ndarray:
    """(F, N_MELS) frames of which none rises above the ceiling by more than a part of what it did; their spectrum's shape is kept."""
    above = np.maximum(loudness(log_power) - np.float32(ceiling), 0)
    return log_power - ((1 - _LEFT_OF_MORE) * above)[:, None]
