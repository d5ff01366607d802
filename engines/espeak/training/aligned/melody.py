"""Melody: how the pitch of a recording moves, relative to its voice."""

import numpy as np

from engines.kit.signal.pitch import LogRange
from engines.kit.signal.spectrum import smooth

__all__ = ["melody_of"]

_SMOOTHING_FRAMES = 4  # about a quarter of a phone, which is what the prosody tells
_FURTHEST = 3.0  # what lies further off are errors of an octave


def melody_of(f0: np.ndarray, f0_range: LogRange) -> np.ndarray:
    """(F,) float32 log F0 in deviations from the median; drawn straight through what is unvoiced.

    f0: (F,) Hz, 0 where unvoiced. f0_range: median and deviation, see log_f0_range.
    """
    median, deviation = f0_range
    known = np.nonzero(f0 > 0)[0]
    if not len(known):
        return np.zeros(len(f0), np.float32)
    log_f0 = np.interp(np.arange(len(f0)), known, (np.log(f0[known]) - median) / deviation)
    return smooth(log_f0.clip(-_FURTHEST, _FURTHEST)[:, None].astype(np.float32), _SMOOTHING_FRAMES)[:, 0]
