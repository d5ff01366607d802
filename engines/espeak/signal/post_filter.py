"""A post-filter on cepstra: formants as deep as in natural speech, which predictions flatten.

After Koishida et al. 1995 ("CELP coding based on mel-cepstral analysis") and Yoshimura et al. 2005: the orders that carry formants are
multiplied, and the frame's power is kept. Frame by frame, so that a stream stays equal to the whole.
"""

import numpy as np

from engines.espeak.signal.loudness import loudness
from engines.espeak.signal.spectrum import N_MELS, envelope_of

__all__ = ["sharpened"]

_FIRST_ORDER = 3
_FACTOR = np.float32(1.45)  # more is crisper and less like the speaker (studio/measure/DIARY.md)


def sharpened(cepstra: np.ndarray) -> np.ndarray:
    """(F, N_CEPSTRA) cepstra with the orders from 3 on deeper and the mean power over the envelope's points as it was."""
    before = loudness(envelope_of(cepstra))
    deeper = cepstra.copy()
    deeper[:, _FIRST_ORDER:] *= _FACTOR
    deeper[:, 0] += (before - loudness(envelope_of(deeper))) * np.float32(
        np.sqrt(N_MELS)
    )  # order 0 of an orthonormal DCT is sqrt(N) times the mean
    return deeper
