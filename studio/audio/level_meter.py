"""LevelMeter: measures how loud a sound is, from its chunks.

The limiter rounds off what an engine makes too loud, where it would be cut off. For speech alone, never for recordings.
"""

import math

import numpy as np

from studio.audio.formats import check_finite

__all__ = ["KNEE", "LevelMeter", "soft_limited"]

LEAST_DBFS = -120.0  # below the noise of 16 bits (-98 dBFS), and a number where silence has none


class LevelMeter:
    """RMS over all samples so far, pauses included. 0 dBFS is an RMS of 1; a sine of full scale has -3."""

    def __init__(self):
        self._n_samples = 0
        self._energy = 0.0

    def add(self, samples: np.ndarray) -> None:
        """samples: (T,) float32."""
        self._n_samples += len(samples)
        self._energy += float(np.dot(samples, samples))

    @property
    def dbfs(self) -> float | None:
        """None before the first sample."""
        if not self._n_samples:
            return None
        power = self._energy / self._n_samples
        return max(LEAST_DBFS, 10 * math.log10(power)) if power else LEAST_DBFS


# --- the limiter


# Of full scale, -0.9 dB. Our choice: high enough that speech within its range is let through as it is (the embedded engine peaks at
# 0.4 to 0.6), low enough that the bend above has room: an overshoot of 1 dB (1.12) comes out as 0.998, with harmonics where a cut would
# crackle.
KNEE = 0.9


def soft_limited(samples: np.ndarray) -> np.ndarray:
    """(T,) float32 in [-1, 1]: the same array where nothing exceeds KNEE; above it KNEE + (1 - KNEE) tanh((|x| - KNEE) / (1 - KNEE)).

    Each sample by itself, so that chunks and the whole agree; slope 1 at the knee, falling from there, so that order is kept. Raises
    NoAudio for what is no number.
    """
    if max(float(samples.max()), -float(samples.min())) <= KNEE:  # false where there is a NaN
        return samples
    check_finite(samples)
    magnitude = np.abs(samples)
    room = np.float32(1 - KNEE)
    bent = KNEE + room * np.tanh((magnitude - KNEE) / room)
    return np.where(magnitude <= KNEE, samples, np.copysign(bent, samples)).astype(np.float32).clip(-1, 1)
