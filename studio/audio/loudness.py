"""Loudness of a sound for people: ITU-R BS.1770-4, in LUFS. Of a whole sound, or of one that comes block after block."""

import math
from array import array

import numpy as np

__all__ = ["BLOCK_SECONDS", "HOP_SECONDS", "LoudnessMeter", "gated_loudness", "integrated_loudness"]

BLOCK_SECONDS = 0.4  # a gating block (BS.1770-4, annex 1)
HOP_SECONDS = 0.1  # they overlap by 75 %
_HOPS_PER_BLOCK = 4
_ABSOLUTE_GATE_LUFS, _RELATIVE_GATE_LU = -70.0, -10.0
_OFFSET_LUFS = -0.691  # of a 997 Hz sine, which the filter makes louder by as much


def integrated_loudness(samples: np.ndarray, sample_rate: int) -> float | None:
    """Gated loudness in LUFS; None of silence (nothing above -70 LUFS), and of what is shorter than one gating block.

    samples: (T,) float32, one channel: a 997 Hz sine of 0 dBFS has -3.01 LUFS, and so has a recording that sounds from one loudspeaker;
    from two, as mono sounds do, it is 3.01 LU louder. An incomplete block at the end is not measured (BS.1770-4, annex 1).
    """
    n_hops = int(len(samples) / sample_rate / HOP_SECONDS + 1e-9)
    if n_hops * HOP_SECONDS < BLOCK_SECONDS - 1e-9:
        return None
    from pyloudnorm import Meter

    # The filter class with the coefficients of the recommendation; the package's own default is 0.05 LU off at 1 kHz.
    meter = Meter(sample_rate, filter_class="DeMan")
    whole = samples[: round(n_hops * HOP_SECONDS * sample_rate)].astype(np.float64)
    loudness = float(meter.integrated_loudness(whole))
    return loudness if math.isfinite(loudness) else None


class LoudnessMeter:
    """Of a sound of any length, block after block: of each tenth of a second it keeps eight bytes. By one thread."""

    def __init__(self, sample_rate: int):
        """sample_rate: Hz, a multiple of 10, else hops are up to a thousandth longer or shorter."""
        self._sections = _k_weighting(sample_rate)
        self._state = np.zeros((len(self._sections), 2))
        self._n_hop = round(HOP_SECONDS * sample_rate)
        self._waiting = np.zeros(0)  # squares of less than a hop
        self._powers = array("d")

    def push(self, samples: np.ndarray) -> None:
        """samples: (T,) float32."""
        from scipy.signal import sosfilt

        weighted, self._state = sosfilt(self._sections, samples.astype(np.float64), zi=self._state)
        squares = np.concatenate([self._waiting, np.square(weighted)])
        n_whole = len(squares) // self._n_hop * self._n_hop
        self._powers.extend(squares[:n_whole].reshape(-1, self._n_hop).mean(axis=1))
        self._waiting = squares[n_whole:]

    @property
    def hop_powers(self) -> np.ndarray:
        """(H,) float64: mean square of each whole hop, K-weighted."""
        return np.frombuffer(self._powers, np.float64).copy() if self._powers else np.zeros(0)

    @property
    def integrated(self) -> float | None:
        """As `integrated_loudness` of all of it."""
        return gated_loudness(self.hop_powers)


def gated_loudness(hop_powers: np.ndarray) -> float | None:
    """LUFS by the mean squares of hops, K-weighted, (H,); None where no block of four is above -70 LUFS (BS.1770-4, annex 1)."""
    if len(hop_powers) < _HOPS_PER_BLOCK:
        return None
    blocks = np.convolve(hop_powers, np.full(_HOPS_PER_BLOCK, 1 / _HOPS_PER_BLOCK), "valid")
    kept = blocks[blocks > _power(_ABSOLUTE_GATE_LUFS)]
    if not len(kept):
        return None
    kept = kept[kept > kept.mean() * 10 ** (_RELATIVE_GATE_LU / 10)]
    return _OFFSET_LUFS + 10 * math.log10(kept.mean())


def _power(lufs: float) -> float:
    return 10 ** ((lufs - _OFFSET_LUFS) / 10)


def _k_weighting(sample_rate: int) -> np.ndarray:
    """(2, 6) float64: second-order sections: one raises what is high, one is a high pass. The figures make the
    coefficients that BS.1770-4 gives for 48 kHz (annex 1, tables 1 and 2), at any rate; they are those of pyloudnorm's class "DeMan"."""
    from pyloudnorm.iirfilter import IIRfilter

    treble = IIRfilter(3.99984385397, 0.7071752369554193, 1681.9744509555319, sample_rate, "high_shelf_DeMan")
    high_pass = IIRfilter(0.0, 0.5003270373253953, 38.13547087613982, sample_rate, "high_pass_DeMan")
    return np.array([[*each.b, *each.a] for each in (treble, high_pass)])
