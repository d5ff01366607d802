"""Speech bounds: find where speech begins and ends in a sound, with any noise under it."""

import numpy as np

__all__ = ["speech_bounds"]

_HOP_SECONDS = 0.005
_LEAST_HOPS = 4  # 20 ms: what is shorter is a click, and no beginning
_SMOOTH_HOPS = 10  # 50 ms, of which the loudest are speech and the quietest are what else is there
# Speech is what is less than 45 dB below the loudest 50 ms, and 6 dB above what is always there: white noise in windows of 5 ms stays 5 dB
# below that. The noise counts for no more than 15 dB below speech, so that a sound without any pause is not taken for noise.
_RANGE_DB, _ABOVE_NOISE_DB, _MOST_NOISE_DB = 45.0, 6.0, 15.0
_QUIET_PERCENT = 5
_FLOOR = 1e-12  # power of digital silence


def speech_bounds(samples: np.ndarray, sample_rate: int) -> tuple[int, int] | None:
    """(first, last + 1) sample of speech in (T,) float32, to 5 ms; None where nothing stands out."""
    hop = round(_HOP_SECONDS * sample_rate)
    n_hops = len(samples) // hop
    if n_hops < _SMOOTH_HOPS:
        return None
    hops = samples[: n_hops * hop].reshape(n_hops, hop)
    power = np.maximum(np.einsum("ft,ft->f", hops, hops) / hop, _FLOOR)
    smooth = np.convolve(power, np.ones(_SMOOTH_HOPS) / _SMOOTH_HOPS, "valid")
    loud, quiet = smooth.max(), np.percentile(smooth, _QUIET_PERCENT)
    if loud <= 10 * _FLOOR:
        return None
    noise = min(quiet * 10 ** (_ABOVE_NOISE_DB / 10), loud * 10 ** (-_MOST_NOISE_DB / 10))
    heard = power > max(noise, loud * 10 ** (-_RANGE_DB / 10))
    lasting = np.convolve(heard, np.ones(_LEAST_HOPS), "valid") == _LEAST_HOPS  # each by the hop in which it begins
    begins = np.nonzero(lasting)[0]
    if not len(begins):
        return None
    return int(begins[0] * hop), min(int((begins[-1] + _LEAST_HOPS) * hop), len(samples))
