"""The pitch slope: how a speaker's spectrum moves with the pitch.

Where people speak higher they speak louder, and the glottis gives its harmonics another balance: cepstra rise and fall with log F0, in
each voice by amounts of its own. Predicted frames hardly do, and a clone whose spectrum does not follow its melody is less like the
speaker (studio/measure/DIARY.md).
"""

import numpy as np

from engines.espeak.signal.clip_analysis import ClipAnalysis
from engines.espeak.signal.spectrum import N_CEPSTRA, cepstra_of

__all__ = ["pitch_shift", "pitch_slope"]

_QUIET_SHARE = 0.15  # of the voiced frames: how they move is the consonants' affair
_MOST_AWAY = 0.3  # in log F0 from the median, 5.2 semitones: a steep slope would go on for too long
_KNOWN_FRAMES = 100  # a slope of fewer frames is drawn towards 0,
_KNOWN_DEVIATION = 0.2  # where they move by so much in log F0


def pitch_slope(recording: ClipAnalysis) -> np.ndarray:
    """(N_CEPSTRA,) what the cepstra of voiced frames change by for one unit of natural log F0, by least squares."""
    voiced = recording.speech & (recording.f0 > 0)
    if not voiced.any():
        return np.zeros(N_CEPSTRA, np.float32)
    frames = voiced & (recording.level >= np.quantile(recording.level[voiced], _QUIET_SHARE))
    log_f0 = np.log(recording.f0[frames])
    away = _bounded(log_f0 - np.median(log_f0))
    away -= away.mean()
    cepstra = cepstra_of(recording.log_envelope[frames])
    known = (away**2).sum() + _KNOWN_FRAMES * _KNOWN_DEVIATION**2
    return (away @ (cepstra - cepstra.mean(0)) / known).astype(np.float32)


def pitch_shift(slope: np.ndarray, away: np.ndarray, voicing: np.ndarray) -> np.ndarray:
    """(F, N_CEPSTRA) what is added to cepstra. away: (F,) log F0 from the speaker's median. voicing: (F,) 0 to 1."""
    return (_bounded(away) * voicing.clip(0, 1))[:, None].astype(np.float32) * slope


def _bounded(away: np.ndarray) -> np.ndarray:
    return away.clip(-_MOST_AWAY, _MOST_AWAY)
