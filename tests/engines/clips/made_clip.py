"""Vowel-like clips by formula, the same to the last bit on every machine: products and sums only, no sine and no exponential."""

from functools import cache

import numpy as np

from engines.clips.clip import Clip

__all__ = ["made_clip"]

FORMANTS_HZ = ((730, 1090, 2440), (270, 2290, 3010), (300, 870, 2240))  # a, i, u: Peterson and Barney 1952, men


@cache
def made_clip(seconds: float, *, sample_rate: int = 24_000, pitch_hz: float = 120.0, seed: int = 0) -> Clip:
    """Harmonics of a gliding pitch, weighted by the formants of a vowel that changes every 0.4 s, breath and syllables. Made once."""
    count = round(seconds * sample_rate)
    time = np.arange(count, dtype=np.float64) / sample_rate
    pitch = pitch_hz * (1 + 0.1 * _arc(time * 0.7))
    phase = np.cumsum(pitch) / sample_rate
    vowel = (time / 0.4).astype(np.int64) % len(FORMANTS_HZ)
    voiced = np.zeros(count)
    for harmonic in range(1, 30):
        away = np.abs(np.array(FORMANTS_HZ, np.float64)[vowel] - harmonic * pitch[:, None]) / 200
        voiced += _arc(phase * harmonic) * (1 / (1 + away * away)).sum(axis=1)
    words = np.random.Philox(key=seed).random_raw(count)
    noise = (words >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1
    envelope = 0.55 + 0.45 * _arc(time * 2.5)
    return Clip(((0.06 * voiced + 0.01 * noise) * envelope).astype(np.float32), sample_rate)


def _arc(turns: np.ndarray) -> np.ndarray:
    """A sine-like wave of parabolas, period 1, in [-1, 1]."""
    x = 2 * (turns - np.floor(turns)) - 1
    return -4 * x * (1 - np.abs(x))
