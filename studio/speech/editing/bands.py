"""Bands: what a sound is like around a place of it, as levels in bands of frequency."""

import numpy as np

__all__ = ["N_BANDS", "bands_at", "floor_of"]

FRAME_SECONDS = 0.024
N_BANDS, LOWEST_HZ, HIGHEST_HZ = 20, 100.0, 7_000.0
FLOOR_DB = -55.0  # under the loudest band: what is quieter sounds like nothing


def floor_of(samples: np.ndarray, sample_rate: int) -> float:
    """dB, for `bands_at` of this sound and of others as loud. samples: (T,) float32, T > 0."""
    places = np.arange(0.0, len(samples) / sample_rate, FRAME_SECONDS)
    return float(_levels(samples, places, sample_rate).max()) + FLOOR_DB


def bands_at(samples: np.ndarray, places: np.ndarray, sample_rate: int, floor: float) -> np.ndarray:
    """(P, N_BANDS) dB above the floor, from 0. places: (P,) seconds; the sound is silent outside of itself."""
    return np.maximum(_levels(samples, places, sample_rate) - floor, 0.0)


def _levels(samples: np.ndarray, places: np.ndarray, sample_rate: int) -> np.ndarray:
    n = 2 * round(FRAME_SECONDS * sample_rate / 2)
    padded = np.pad(samples, n)
    starts = np.clip(np.round(places * sample_rate).astype(int) + n - n // 2, 0, len(padded) - n)
    frames = padded[starts[:, None] + np.arange(n)] * np.hanning(n)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges = np.geomspace(LOWEST_HZ, min(HIGHEST_HZ, 0.45 * sample_rate), N_BANDS + 1) * n / sample_rate
    firsts = np.minimum(np.floor(edges[:-1]).astype(int), power.shape[1] - 1)
    lasts = np.maximum(np.ceil(edges[1:]).astype(int), firsts + 1)
    pooled = np.stack([power[:, first:last].mean(axis=1) for first, last in zip(firsts, lasts, strict=True)], axis=1)
    return 10 * np.log10(pooled + 1e-12)
