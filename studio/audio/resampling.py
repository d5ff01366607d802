"""Resampling: changes the rate of an answer, chunk by chunk. It holds 3 ms back.

soxr's stream would hold back 40 ms, since it works in blocks of an FFT; of a first chunk of 50 ms little would be left. Whole files, of
which nobody waits for the beginning, are resampled by soxr (file_encoder.py).
"""

import math
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

__all__ = ["HELD_SECONDS", "SAMPLE_RATES", "Resampler"]

SAMPLE_RATES = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)  # Hz
HELD_SECONDS = 0.003  # the sound behind a sample that the filter looks at, and as much before it: 144 taps at 24 kHz
# Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974), as in Oppenheim and Schafer, "Discrete-Time Signal
# Processing", section 7.6. Images are 90 dB down: below the noise of 16 bits, for speech 8 dB below full scale. _TRANSITION_TAPS: number of
# taps times the width of the transition in sampling rates.
_ATTENUATION_DB = 90.0
_KAISER_BETA = 0.1102 * (_ATTENUATION_DB - 8.7)
_TRANSITION_TAPS = (_ATTENUATION_DB - 7.95) / (2.285 * 2 * math.pi)
_TILE_SAMPLES = 256  # computed at a time: what they are computed from stays within a processor's cache


class Resampler:
    """Chunks (T,) float32 in, chunks (T',) out, T' sometimes 0; `finish` gives the rest. Equal rates pass through untouched.

    N samples become N * to_hz / from_hz, a half rounded up. Each is computed by itself, so the same sound gives the same samples however
    it was cut. Before and behind the sound there is silence.
    """

    def __init__(self, from_hz: int, to_hz: int):
        self._is_needed = from_hz != to_hz
        divisor = math.gcd(from_hz, to_hz)
        self._up, self._down = to_hz // divisor, from_hz // divisor
        self._ahead = math.ceil(HELD_SECONDS * from_hz)  # samples
        self._waiting = np.zeros(self._ahead - 1, np.float32)  # what samples to come are computed from
        self._n_gone = 1 - self._ahead  # where that begins; the silence before the sound counts below zero
        self._n_in = self._n_out = 0
        self._filters = _filters(from_hz, to_hz, self._ahead) if self._is_needed else np.zeros((1, 0), np.float32)

    def push(self, chunk: np.ndarray) -> np.ndarray:
        if not self._is_needed:
            return chunk
        self._n_in += len(chunk)
        self._waiting = np.concatenate([self._waiting, chunk])
        return self._made(until=-(-(self._n_in - self._ahead) * self._up // self._down))

    def finish(self) -> np.ndarray:
        if not self._is_needed:
            return np.zeros(0, np.float32)
        self._waiting = np.concatenate([self._waiting, np.zeros(self._ahead + 1, np.float32)])
        return self._made(until=(2 * self._n_in * self._up + self._down) // (2 * self._down))

    def _made(self, until: int) -> np.ndarray:
        """The samples before that one. Sample n lies at n * down / up of the input, between a sample and the next; its filter reaches over
        `_ahead` on each side."""
        made = np.empty(max(0, until - self._n_out), np.float32)
        for start in range(0, len(made), _TILE_SAMPLES):
            tile = made[start : start + _TILE_SAMPLES]
            at = (self._n_out + start + np.arange(len(tile))) * self._down
            windows = sliding_window_view(self._waiting, 2 * self._ahead)[at // self._up - self._ahead + 1 - self._n_gone]
            np.einsum("tk,tk->t", windows, self._filters[at % self._up], out=tile)
        self._n_out += len(made)
        n_needless = max(0, self._n_out * self._down // self._up - self._ahead + 1 - self._n_gone)
        self._waiting = self._waiting[n_needless:]
        self._n_gone += n_needless
        return made


@lru_cache(maxsize=len(SAMPLE_RATES) * 4)  # four engines' rates; some 100 kB each
def _filters(from_hz: int, to_hz: int, ahead: int) -> np.ndarray:
    """(up, 2 * ahead) float32: a windowed sinc for each place that a sample can have between two of the input. It lets nothing through from
    half the lower rate on; each sums to 1, so that a constant stays one."""
    up = to_hz // math.gcd(from_hz, to_hz)
    cutoff = min(from_hz, to_hz) / from_hz - _TRANSITION_TAPS / (2 * ahead)  # of from_hz / 2, in the middle of the transition
    distances = np.arange(1 - ahead, ahead + 1) - (np.arange(up) / up)[:, None]
    window = np.i0(_KAISER_BETA * np.sqrt(np.clip(1 - (distances / ahead) ** 2, 0, None)))
    filters = np.sinc(cutoff * distances) * window
    filters = (filters / filters.sum(axis=1, keepdims=True)).astype(np.float32)
    filters.flags.writeable = False
    return filters
