"""Low-pass filters without delay, and the bandwidth of a sound."""

from functools import lru_cache

import numpy as np

__all__ = ["STOP_RATIO", "bandwidth_hz", "lowpassed"]

# Of the anchors of ITU-R BS.1534-3, 5.1 (3.5 kHz): ripple up to the cut-off at most 0.1 dB, at least 25 dB at 4 kHz and 50 dB at 4.5 kHz.
# Ours is 80 dB down at 8/7 of the cut-off, which is 4 kHz for 3.5 kHz and 8 kHz for 7 kHz; its ripple is 0.001 dB.
STOP_RATIO = 8 / 7
_ATTENUATION_DB = 80.0
_WINDOW_SAMPLES = 1024  # of a spectrum; 47 Hz at 48 kHz
_SMOOTH_LINES = 5
_LOUD_DB = 30.0  # below the loudest spectrum: what is quieter is no speech
_END_DB = 60.0  # below the strongest line: speech at -23 LUFS is there as soft as the noise of 16 bits is
_OFTEN_PERCENT = 95  # of spectra: a few of a fricative say how far a voice reaches


def lowpassed(samples: np.ndarray, sample_rate: int, hz: float) -> np.ndarray:
    """(T,) float32 with all up to `hz`, and nothing from STOP_RATIO times that on; as long, and nothing moves in time.

    The same array where there is nothing above.
    """
    if hz * STOP_RATIO >= sample_rate / 2:
        return samples
    from scipy.signal import fftconvolve

    return fftconvolve(samples, _taps(sample_rate, float(hz)), mode="same").astype(np.float32)


@lru_cache(maxsize=16)
def _taps(sample_rate: int, hz: float) -> np.ndarray:
    """Kaiser, "Nonrecursive digital filter design using the I0-sinh window function" (1974); an odd number, so that the middle is one."""
    from scipy.signal import firwin, kaiserord

    width = (STOP_RATIO - 1) * hz / (sample_rate / 2)
    n_taps, beta = kaiserord(_ATTENUATION_DB, width)
    window = ("kaiser", beta)
    taps = firwin(n_taps | 1, hz * (1 + STOP_RATIO) / 2, window=window, fs=sample_rate)  # pyright: ignore[reportArgumentType]  # no stubs
    return np.asarray(taps, np.float32)


def bandwidth_hz(samples: np.ndarray, sample_rate: int) -> float:
    """Up to where there is sound when it reaches far: the highest line within 60 dB of the strongest, in the strongest twentieth of the
    spectra of what is loud. 0 of silence. samples: (T,) float32; at least 1024 are looked at."""
    samples = np.pad(samples, (0, max(0, _WINDOW_SAMPLES - len(samples))))
    pieces = np.lib.stride_tricks.sliding_window_view(samples, _WINDOW_SAMPLES)[:: _WINDOW_SAMPLES // 2]
    energy = np.einsum("ft,ft->f", pieces, pieces)
    if not energy.max() > 0:
        return 0.0
    loud = pieces[energy >= energy.max() * 10 ** (-_LOUD_DB / 10)]
    power = np.square(np.abs(np.fft.rfft(loud * np.hanning(_WINDOW_SAMPLES).astype(np.float32), axis=1)))
    often = np.percentile(power, _OFTEN_PERCENT, axis=0)
    smooth = np.convolve(np.pad(often, _SMOOTH_LINES // 2, mode="edge"), np.ones(_SMOOTH_LINES) / _SMOOTH_LINES, "valid")
    highest = np.flatnonzero(smooth >= max(float(smooth.max()) * 10 ** (-_END_DB / 10), np.finfo(np.float32).tiny))
    return float(highest.max(initial=0) * sample_rate / _WINDOW_SAMPLES)
