"""Samples of 16 bits as sounds are kept, and as floats they are computed with."""

import numpy as np

__all__ = ["FULL_SCALE", "float32_of", "int16_of"]

FULL_SCALE = 32768


def int16_of(samples: np.ndarray) -> np.ndarray:
    """(T,) float32 as kept: times 32768, rounded to nearest, within full scale."""
    return np.clip(np.rint(samples * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1).astype(np.int16)


def float32_of(samples: np.ndarray) -> np.ndarray:
    """(T,) int16 as float32 in [-1, 1]."""
    return samples.astype(np.float32) / np.float32(FULL_SCALE)
