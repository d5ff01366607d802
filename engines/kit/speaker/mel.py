"""Mel spectrograms in power, equal to `feature.melspectrogram` of librosa 0.11. The weights of others were trained on these. NumPy only.

Frames around each hop (zeros before the first sample and behind the last), a periodic Hann window; Slaney's mel scale (linear to 1 kHz,
27 steps an octave-and-a-half above: Slaney, "Auditory Toolbox", 1998) with triangles of one area each.
"""

from functools import cache

import numpy as np

__all__ = ["RATE_HZ", "mel_power", "triangles"]

RATE_HZ = 16_000
_LINEAR_HZ = 200 / 3  # per mel, up to _BREAK_HZ
_BREAK_HZ = 1000.0
_LOG_STEP = np.log(6.4) / 27


def mel_power(samples: np.ndarray, *, window: int, hop: int, n_mels: int) -> np.ndarray:
    """(1 + T // hop, n_mels) float32 of samples (T,) at RATE_HZ. window, hop: samples."""
    padded = np.pad(np.asarray(samples, np.float32), window // 2)
    pieces = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    shape = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)).astype(np.float32)
    return np.square(np.abs(np.fft.rfft(pieces * shape))).astype(np.float32) @ triangles(window, n_mels)


@cache
def triangles(window: int, n_mels: int) -> np.ndarray:
    """(window // 2 + 1, n_mels) float32: by how much each line of a window counts in each mel band."""
    lines = np.fft.rfftfreq(window, 1 / RATE_HZ)[:, None]
    edges = _hertz(np.linspace(0.0, _mels(RATE_HZ / 2), n_mels + 2))
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (lines - low) / (middle - low), (high - lines) / (high - middle)
    return (np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)).astype(np.float32)


def _mels(hertz: float) -> float:
    return _BREAK_HZ / _LINEAR_HZ + float(np.log(hertz / _BREAK_HZ)) / _LOG_STEP


def _hertz(mels: np.ndarray) -> np.ndarray:
    straight = _BREAK_HZ / _LINEAR_HZ
    return np.where(mels < straight, mels * _LINEAR_HZ, _BREAK_HZ * np.exp(_LOG_STEP * (mels - straight)))
