"""Loudness of a sound for people: ITU-R BS.1770-4, in LUFS."""

import math

import numpy as np

__all__ = ["BLOCK_SECONDS", "integrated_loudness"]

BLOCK_SECONDS = 0.4  # a gating block (BS.1770-4, annex 1)
_HOP_SECONDS = 0.1  # they overlap by 75 %


def integrated_loudness(samples: np.ndarray, sample_rate: int) -> float | None:
    """Gated loudness in LUFS; None of silence (nothing above -70 LUFS), and of what is shorter than one gating block.

    samples: (T,) float32, one channel: a 997 Hz sine of 0 dBFS has -3.01 LUFS, and so has a recording that sounds from one loudspeaker;
    from two, as mono sounds do, it is 3.01 LU louder. An incomplete block at the end is not measured (BS.1770-4, annex 1).
    """
    n_hops = int(len(samples) / sample_rate / _HOP_SECONDS + 1e-9)
    if n_hops * _HOP_SECONDS < BLOCK_SECONDS - 1e-9:
        return None
    from pyloudnorm import Meter

    # The filter class with the coefficients of the recommendation; the package's own default is 0.05 LU off at 1 kHz.
    meter = Meter(sample_rate, filter_class="DeMan")
    whole = samples[: round(n_hops * _HOP_SECONDS * sample_rate)].astype(np.float64)
    loudness = float(meter.integrated_loudness(whole))
    return loudness if math.isfinite(loudness) else None
