"""Resampling as in librosa, sample by sample. Encoders were trained on it, and codes are read from it."""

import math

import numpy as np
import soxr

__all__ = ["resample"]


def resample(samples: np.ndarray, from_hz: int, to_hz: int) -> np.ndarray:
    """(T,) float32 -> (ceil(T * to_hz / from_hz),) float32, as librosa.resample of librosa 0.11 with its default, soxr's HQ.

    librosa pads with zeros to that number, the product taken in floating point: 10 s at 44.1 kHz become 240001 samples at 24 kHz, and with
    that one frame more. Where the rates are the same the samples are handed back.
    """
    if from_hz == to_hz:
        return samples
    n_samples = math.ceil(len(samples) * (float(to_hz) / from_hz))
    resampled = soxr.resample(samples, from_hz, to_hz, quality="HQ")[:n_samples]
    return np.pad(resampled, (0, n_samples - len(resampled)))
