"""LevelMeter: how loud a sound was, from its chunks."""

import math

import numpy as np

__all__ = ["LevelMeter"]

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
