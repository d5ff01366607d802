"""Mel spectrograms in power, equal to `feature.melspectrogram` of librosa 0.11. The weights of others were trained on these. NumPy only.

Frames around each hop (zeros before the first sample and behind the last), a periodic Hann window; Slaney's mel scale (linear to 1 kHz,
27 steps an octave-and-a-half above: Slaney, "Auditory Toolbox", 1998) with triangles of one area each, as librosa.filters.mel.
"""

from functools import lru_cache

import numpy as np

__all__ = ["RATE_HZ", "mel_filters", "mel_power"]

RATE_HZ = 16_000
_LINEAR_HZ = 200 / 3  # per mel, up to _BREAK_HZ
_BREAK_HZ = 1000.0
_LOG_STEP = np.log(6.4) / 27


def mel_power(samples: np.ndarray, *, window: int, hop: int, n_mels: int) -> np.ndarray:
    """(1 + T // hop, n_mels) float32 of samples (T,) at RATE_HZ. window, hop: samples."""
    padded = np.pad(np.asarray(samples, np.float32), window // 2)
    pieces = np.lib.stride_tricks.sliding_window_view(padded, window)[::hop]
    shape = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(window) / window)).astype(np.float32)
    return np.square(np.abs(np.fft.rfft(pieces * shape))).astype(np.float32) @ mel_filters(RATE_HZ, window, n_mels, 0.0, RATE_HZ / 2)


@lru_cache(maxsize=8)  # a few kinds of spectrograms, 0.3 MB each
def mel_filters(rate_hz: int, window: int, n_mels: int, lowest_hz: float, highest_hz: float) -> np.ndarray:
    """(window // 2 + 1, n_mels) float32: how much each line of a window counts in each band. Triangles of unit area over Hz."""
    lines = np.fft.rfftfreq(window, 1 / rate_hz)[:, None]
    edges = _hertz(np.linspace(_mels(lowest_hz), _mels(highest_hz), n_mels + 2))
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (lines - low) / (middle - low), (high - lines) / (high - middle)
    return (np.maximum(0, np.minimum(rising, falling)) * 2 / (high - low)).astype(np.float32)


def _mels(hertz: float) -> float:
    straight = hertz / _LINEAR_HZ
    return straight if hertz < _BREAK_HZ else _BREAK_HZ / _LINEAR_HZ + float(np.log(hertz / _BREAK_HZ)) / _LOG_STEP


def _hertz(mels: np.ndarray) -> np.ndarray:
    straight = _BREAK_HZ / _LINEAR_HZ
    return np.where(mels < straight, mels * _LINEAR_HZ, _BREAK_HZ * np.exp(_LOG_STEP * (mels - straight)))
