"""Gold items: sounds with a known answer. They are obviously bad, or obviously another speaker."""

import hashlib

import numpy as np

from studio.audio.lowpass import lowpassed
from studio.listening.plan.materials import SAMPLE_RATE
from studio.listening.plan.plan import Method

__all__ = ["gold_of"]

# ITU-T P.810, the modulated noise reference unit: noise that follows the speech, Q dB below it. At 0 dB it is as loud as the speech.
MNRU_Q_DB = 0.0
DULL_HZ = 2000.0
MOST_CREST = 4.0  # 12 dB; beyond it is cut off, or the peaks of the noise would make a whole test softer
STRANGER = (8, 5)  # of the pitch and of all formants, 8 semitones up: no voice goes there and is taken for the same


def gold_of(samples: np.ndarray, method: Method) -> np.ndarray:
    """(T,) float32 at SAMPLE_RATE of a good sound to a bad one: dull and noisy, or where likeness is asked, another person (and shorter).

    The same sound gives the same.
    """
    if method == "smos":
        import soxr

        return soxr.resample(samples, *STRANGER, quality="HQ")
    chance = np.random.default_rng(np.frombuffer(hashlib.sha256(samples.tobytes()).digest(), np.uint32))
    dull = lowpassed(samples, SAMPLE_RATE, DULL_HZ)
    noise = lowpassed(chance.standard_normal(len(samples), np.float32), SAMPLE_RATE, DULL_HZ)
    bad = dull * (1 + noise * np.float32(10 ** (-MNRU_Q_DB / 20) / max(float(noise.std()), 1e-9)))
    most = MOST_CREST * float(np.sqrt(np.mean(np.square(bad, dtype=np.float64))))
    return lowpassed(bad.clip(-most, most), SAMPLE_RATE, 2 * DULL_HZ)  # as far as speech times noise reaches
