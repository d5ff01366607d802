"""True peak: how high a sound rises between its samples, in dBTP (ITU-R BS.1770-4, annex 2). The limiter that keeps it below a ceiling.

Both take a sound of any length, block after block.
"""

import math
from functools import lru_cache

import numpy as np

__all__ = ["LEAST_DB", "PeakLimiter", "TruePeakMeter", "decibels"]

LEAST_DB = -120.0  # of silence, below the noise of 16 bits
LOOKAHEAD_SECONDS = 0.015  # our choice: a gain that moves within less than the period of a low voice would be heard as roughness
_TAPS = 16  # samples on each side that a value between two is made from; the recommendation has six
_KAISER_BETA = 8.0  # images 80 dB down
# Between samples a sound rises above them by less than that, unless it was made to: what lies lower needs no closer look.
_HEADROOM = 10 ** (-3 / 20)
_STRETCH_SAMPLES = 2048


def decibels(magnitude: float) -> float:
    """Of full scale; LEAST_DB at least."""
    return max(LEAST_DB, 20 * math.log10(magnitude)) if magnitude > 0 else LEAST_DB


class TruePeakMeter:
    """The highest true peak of all that was pushed. By one thread."""

    def __init__(self, sample_rate: int):
        self._factor = _factor(sample_rate)
        self._before = np.zeros(2 * _TAPS, np.float32)
        self._highest = 0.0

    def push(self, samples: np.ndarray) -> None:
        """samples: (T,) float32."""
        joined = np.concatenate([self._before, samples])
        self._before = joined[-2 * _TAPS :]
        found = _magnitudes(joined, self._factor, _HEADROOM * self._highest)
        self._highest = max(self._highest, float(found[_TAPS:-_TAPS].max(initial=0.0)))

    @property
    def linear(self) -> float:
        """Of full scale."""
        last = _magnitudes(np.concatenate([self._before, np.zeros(_TAPS, np.float32)]), self._factor)[_TAPS:-_TAPS]
        return max(self._highest, float(last.max(initial=0.0)))

    @property
    def dbtp(self) -> float:
        return decibels(self.linear)


class PeakLimiter:
    """Turns a sound down around each true peak above the ceiling, and only there: 15 ms before, through, and 15 ms behind it.

    Chunks (T,) float32 in, chunks (T',) out, T' sometimes 0; `finish` gives the rest. N samples stay N, in their places; what needs no
    limiting comes out bit for bit. The gain moves along a Hann window over the least gain that is needed nearby, so it is never above
    what a peak allows.
    """

    def __init__(self, sample_rate: int, ceiling_db: float):
        """ceiling_db: dBTP."""
        self._ceiling = 10 ** (ceiling_db / 20)
        self._factor = _factor(sample_rate)
        self._sample_rate = sample_rate
        self._reach = max(1, round(LOOKAHEAD_SECONDS * sample_rate))
        window = np.hanning(2 * self._reach + 3)[1:-1]
        self._window = (window / window.sum()).astype(np.float64)
        self._context = 2 * self._reach + _TAPS  # samples on each side that an output depends on
        self._joined = np.zeros(self._context, np.float32)  # context before, then what has not come out yet
        self._n_limited = 0
        self._least_gain = 1.0

    def push(self, samples: np.ndarray) -> np.ndarray:
        """samples: (T,) float32."""
        self._joined = np.concatenate([self._joined, samples])
        return self._come_out(len(self._joined) - 2 * self._context)

    def finish(self) -> np.ndarray:
        self._joined = np.concatenate([self._joined, np.zeros(self._context, np.float32)])
        return self._come_out(len(self._joined) - 2 * self._context)

    @property
    def limited_seconds(self) -> float:
        """How much of the sound was turned down."""
        return self._n_limited / self._sample_rate

    @property
    def most_db(self) -> float:
        """By how much at most, 0 where nothing was."""
        return -decibels(self._least_gain)

    def _come_out(self, n: int) -> np.ndarray:
        if n <= 0:
            return np.zeros(0, np.float32)
        before, joined = self._context, self._joined
        self._joined = joined[n:]
        out = joined[before : before + n]
        if float(np.abs(joined).max()) <= self._ceiling * _HEADROOM:
            return out
        gains = self._gains(joined)[:n]
        is_limited = gains < 1
        if not is_limited.any():
            return out
        self._n_limited += int(is_limited.sum())
        self._least_gain = min(self._least_gain, float(gains.min()))
        return np.where(is_limited, out * gains, out).astype(np.float32)

    def _gains(self, joined: np.ndarray) -> np.ndarray:
        """Of the samples that have their whole context."""
        from scipy.ndimage import minimum_filter1d
        from scipy.signal import fftconvolve

        peaks = _magnitudes(joined, self._factor, self._ceiling * _HEADROOM)
        needed = np.minimum(1.0, self._ceiling / np.maximum(peaks, 1e-9))
        if needed.min() >= 1:
            return np.ones(len(joined) - 2 * self._context)
        least = minimum_filter1d(needed, 2 * self._reach + 1, mode="nearest")
        smooth = fftconvolve(1 - least, self._window, "same")  # of what is taken away, so that nothing is exactly nothing
        gains = 1 - np.where(smooth < 1e-7, 0.0, smooth)
        return gains[self._context : len(gains) - self._context]


def _factor(sample_rate: int) -> int:
    """Oversampled to 176 kHz at least: the recommendation has four times at 48 kHz."""
    return max(4, math.ceil(176_400 / sample_rate))


def _magnitudes(samples: np.ndarray, factor: int, floor: float = 0.0) -> np.ndarray:
    """(T,) float64: the highest within half a sample of each. The first and last _TAPS lack their neighbors.

    floor: who lies in a stretch whose samples are all below is not looked at closely.
    """
    found = np.abs(samples).astype(np.float64)
    n_stretches = -(-len(samples) // _STRETCH_SAMPLES)
    for start in (n * _STRETCH_SAMPLES for n in range(n_stretches)):
        stretch = found[start : start + _STRETCH_SAMPLES]
        if stretch.max() > floor:
            first = max(0, start - _TAPS)
            near = _close(samples[first : start + len(stretch) + _TAPS], factor)
            found[start : start + len(stretch)] = near[start - first :][: len(stretch)]
    return found


def _close(samples: np.ndarray, factor: int) -> np.ndarray:
    from scipy.signal import upfirdn

    fine = np.abs(upfirdn(_kernel(factor), samples.astype(np.float64), up=factor))
    centered = fine[_TAPS * factor - factor // 2 :][: len(samples) * factor]  # sample n stands in the middle of its row
    return centered.reshape(len(samples), factor).max(axis=1, initial=0.0)


@lru_cache(maxsize=8)
def _kernel(factor: int) -> np.ndarray:
    """A windowed sinc, 2 * _TAPS samples wide, of gain 1 in each phase."""
    n = np.arange(-_TAPS * factor, _TAPS * factor + 1) / factor
    kernel = np.sinc(n) * np.kaiser(len(n), _KAISER_BETA)
    kernel.flags.writeable = False
    return kernel
