"""PhoneRecognizer: how well each moment of a sound fits a phone. A small network from spectra to articulation, in NumPy.

It does not know phones but how they are articulated (phone_features.py), so it scores those of languages that it was not trained on.
Trained by engines/kokoro/training/phones.py on speech of Kokoro's built-in voices alone, whose symbols have known lengths.
"""

from functools import cache
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from engines.kit.phonemes.phone_features import phone_features

__all__ = ["FRAME_SAMPLES", "SAMPLE_RATE", "SILENCE", "PhoneRecognizer", "recognizer", "spectral_inputs"]

SAMPLE_RATE = 24_000
FRAME_SAMPLES = 240  # 10 ms
SILENCE = "_"
FILE = Path(__file__).parent / "phones.safetensors"

_WINDOW_SAMPLES, _FFT_SAMPLES = 600, 1024  # 25 ms
_N_BANDS, _LOWEST_HZ, _HIGHEST_HZ = 30, 60.0, 7600.0
_FLOOR = 1e-9
_LOUD_PERCENTILE, _RANGE, _SPEECH_RANGE = 95, 13.0, 9.0  # natural logarithms of power: 56 dB below the loud frames, and 39
_SPREAD = 2.5  # of the bands' logarithms in speech
_NEIGHBORS = (-9, -6, -4, -2, -1, 0, 1, 2, 4, 6, 9)  # frames that are looked at together
_BLOCK_FRAMES = 2_000
LEAST_SCORE = -8.0  # of a phone in a frame: nothing fits so badly that one frame decides


class PhoneRecognizer:
    """tensors: weights and biases of three layers; inventory: names of the phones among which it chooses."""

    def __init__(self, tensors: dict[str, np.ndarray], inventory: list[str]):
        self._layers = [(tensors[f"{name}.weight"].astype(np.float32).T, tensors[f"{name}.bias"].astype(np.float32)) for name in "abc"]
        self._inventory = _shapes(inventory)

    def scores(self, samples: np.ndarray, phones: list[str]) -> np.ndarray:
        """Log probabilities (F, len(phones)) of frames of FRAME_SAMPLES. samples: (T,) float32 at SAMPLE_RATE. SILENCE is a phone."""
        inputs, shapes = spectral_inputs(samples), _shapes(phones).T
        blocks = (self._scored(inputs[at : at + _BLOCK_FRAMES], shapes) for at in range(0, len(inputs), _BLOCK_FRAMES))
        return np.concatenate(list(blocks))

    def _scored(self, rows: np.ndarray, shapes: np.ndarray) -> np.ndarray:
        for weight, bias in self._layers[:-1]:
            rows = np.maximum(rows @ weight + bias, 0)
        weight, bias = self._layers[-1]
        articulated = rows @ weight + bias
        known = articulated @ self._inventory.T
        most = known.max(1, keepdims=True)
        total = np.log(np.exp(known - most).sum(1, keepdims=True)) + most
        return np.maximum(articulated @ shapes - total, LEAST_SCORE)


@cache
def recognizer() -> PhoneRecognizer:
    """The one that is shipped."""
    tensors = load_file(FILE)
    inventory = bytes(tensors.pop("inventory")).decode().split(" ")
    return PhoneRecognizer(tensors, inventory)


def spectral_inputs(samples: np.ndarray) -> np.ndarray:
    """(F, 30 * 11) float32: mel bands of each frame and its neighbors, whatever the level and the channel. F = T // FRAME_SAMPLES + 1."""
    bands = _log_bands(samples)
    level = bands.max(1)
    top = np.percentile(level, _LOUD_PERCENTILE)
    bands = np.maximum(bands, top - _RANGE)
    bands = (bands - bands[level > top - _SPEECH_RANGE].mean(0)) / _SPREAD
    at = np.arange(len(bands))
    return np.concatenate([bands[np.clip(at + offset, 0, len(bands) - 1)] for offset in _NEIGHBORS], 1)


def _log_bands(samples: np.ndarray) -> np.ndarray:
    n_frames = len(samples) // FRAME_SAMPLES + 1
    padded = np.pad(samples.astype(np.float32), (_WINDOW_SAMPLES // 2, _WINDOW_SAMPLES))
    window, found = np.hanning(_WINDOW_SAMPLES).astype(np.float32), []
    for first in range(0, n_frames, _BLOCK_FRAMES):
        starts = np.arange(first, min(n_frames, first + _BLOCK_FRAMES)) * FRAME_SAMPLES
        rows = padded[starts[:, None] + np.arange(_WINDOW_SAMPLES)] * window
        power = np.abs(np.fft.rfft(rows, _FFT_SAMPLES)) ** 2
        found.append(np.log(power @ _mel_bank().T + _FLOOR).astype(np.float32))
    return np.concatenate(found)


@cache
def _mel_bank() -> np.ndarray:
    """(30, FFT lines): triangles between points that are as far from each other on the mel scale (O'Shaughnessy 1987)."""
    lowest, highest = (2595 * np.log10(1 + hz / 700) for hz in (_LOWEST_HZ, _HIGHEST_HZ))
    points = 700 * (10 ** (np.linspace(lowest, highest, _N_BANDS + 2) / 2595) - 1)
    lines = np.arange(_FFT_SAMPLES // 2 + 1) * SAMPLE_RATE / _FFT_SAMPLES
    rising = (lines - points[:-2, None]) / np.diff(points)[:-1, None]
    falling = (points[2:, None] - lines) / np.diff(points)[1:, None]
    return np.clip(np.minimum(rising, falling), 0, None).astype(np.float32)


def _shapes(phones: list[str]) -> np.ndarray:
    """(len(phones), D): how each is articulated, and a 1."""
    return np.stack([np.concatenate([phone_features(name), [1.0]]) for name in phones]).astype(np.float32)
