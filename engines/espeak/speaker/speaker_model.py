"""A speaker as the engine uses it: what a prompt's tensors hold, and how they make that speaker's frames from the network's outputs.

The pitch slope: how a speaker's spectrum moves with the pitch. Where people speak higher they speak louder, and the glottis gives its
harmonics another balance: cepstra rise and fall with log F0, in each voice by amounts of its own. Predicted frames hardly do, and a clone
whose spectrum does not follow its melody is less like the speaker (studio/measure/DIARY.md).
The ceiling above which a speaker hardly ever grows louder: people hold their loud vowels near one level, and recordings are made so that
they do; predicted frames, as varied as the clip's and moved with the melody, now and then leave it by 6 dB. What lies above the ceiling is
brought to three tenths, frame by frame, so that a stream stays equal to the whole.
The post-filter on cepstra makes formants as deep as in natural speech, which predictions flatten. After Koishida et al. 1995 ("CELP coding
based on mel-cepstral analysis") and Yoshimura et al. 2005: the orders that carry formants are multiplied, and the frame's power is kept.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import N_CEPSTRA, N_MELS, cepstra_of, envelope_of

__all__ = ["PULL_SMOOTHING_FRAMES", "SpeakerModel", "held", "loudness", "loudness_ceiling", "pitch_shift", "pitch_slope", "sharpened"]

# How far towards the speaker's own frames, by order: all the way in what is the voice's alone, less in the orders that tell phones apart,
# or words blur; order 0, how loud a frame is, is the text's affair (studio/measure/DIARY.md).
_PULL = np.ones(N_CEPSTRA, np.float32)
_PULL[1:8], _PULL[0] = 0.7, 0
PULL_SMOOTHING_FRAMES = 8  # to either side: what moves fast stays the prediction's
_N_NEAREST = 8
_COMPARED_ORDERS = slice(1, 25)


@dataclass(frozen=True, eq=False)
class SpeakerModel:
    """head (U + 1, O); cepstral_mean, variance_gain (N_CEPSTRA,) of its predictions; exemplars (E, N_CEPSTRA): frames of the clip.

    pitch_slope (N_CEPSTRA,): by which the clip's move with its pitch. color (N_MELS,): added to the log power, so that the long-term
    spectrum is the clip's. log_f0, log_f0_deviation: of the clip. floor: of cepstrum 0 in silence. ceiling: of loudness, see `held`.
    gain: added to the log power that is held below it. rate: of speaking, to eSpeak's.
    """

    head: np.ndarray
    cepstral_mean: np.ndarray
    variance_gain: np.ndarray
    exemplars: np.ndarray
    pitch_slope: np.ndarray
    color: np.ndarray
    log_f0: float | np.floating
    log_f0_deviation: float | np.floating
    floor: float
    ceiling: float
    gain: float
    rate: float

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray]) -> "SpeakerModel":
        """Of a prompt's tensors, see enrollment.speaker_tensors."""
        log_f0, deviation, floor, ceiling, gain, rate, _ = (float(value) for value in tensors["voice"])
        head, exemplars = tensors["head"].astype(np.float32), tensors["exemplars"].astype(np.float32)
        statistics = tensors["cepstral_mean"], tensors["variance_gain"], exemplars, tensors["pitch_slope"], tensors["colour"]
        return cls(head, *statistics, log_f0, deviation, floor, ceiling, gain, rate)

    def varied(self, cepstra: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA) predicted cepstra, as varied as the clip's."""
        return (cepstra - self.cepstral_mean) * self.variance_gain + self.cepstral_mean

    def pull(self, varied: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA) what is to be added to varied cepstra, frame by frame, once it is smooth over PULL_SMOOTHING_FRAMES."""
        weight, known, squares = self._compared
        distances = squares - (varied[:, _COMPARED_ORDERS] * weight) @ known  # but for what all exemplars have in common
        n_nearest = min(_N_NEAREST, len(squares) - 1)
        nearest = np.argpartition(distances, n_nearest, 1)[:, :n_nearest]
        return _PULL * (self.exemplars[nearest].mean(1) - varied)

    @cached_property
    def _compared(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Weights of the compared orders; twice the weighted exemplars, as columns; their squared lengths."""
        rows = self.exemplars[:, _COMPARED_ORDERS]
        weight = 1 / (rows.std(0) + 1e-3)
        return weight, np.ascontiguousarray(2 * (rows * weight).T), ((rows * weight) ** 2).sum(1)

    def log_power(self, cepstra: np.ndarray, shift: np.ndarray | float = 0.0) -> np.ndarray:
        """(F, N_MELS) natural log power of cepstra that were varied, pulled and smoothed. shift: (F, N_CEPSTRA), see shift_at."""
        return held(envelope_of(sharpened(cepstra) + shift) + self.color, self.ceiling) + np.float32(self.gain)

    def shift_at(self, away: np.ndarray, voicing: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA) of frames whose pitch lies `away` (F,) in log F0 from the speaker's median and that are voiced (F,), 0 to 1."""
        return pitch_shift(self.pitch_slope, away, voicing)


# --- the pitch slope


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


# --- how loud frames are


_SHARE_BELOW = 0.9  # of a clip's frames
_LEFT_OF_MORE = np.float32(0.3)  # of what is louder; 0 sounds less natural (studio/measure/DIARY.md)


def loudness(log_power: np.ndarray) -> np.ndarray:
    """(F,) natural log of the mean power over the points of (F, N_MELS) natural log power."""
    return np.log(np.exp(log_power).mean(1))


def loudness_ceiling(log_power: np.ndarray) -> float:
    """What one in ten of a clip's frames, (F, N_MELS), is louder than."""
    return float(np.quantile(loudness(log_power), _SHARE_BELOW))


def held(log_power: np.ndarray, ceiling: float) -> np.ndarray:
    """(F, N_MELS) frames of which none rises above the ceiling by more than a part of what it did; their spectrum's shape is kept."""
    above = np.maximum(loudness(log_power) - np.float32(ceiling), 0)
    return log_power - ((1 - _LEFT_OF_MORE) * above)[:, None]


# --- the post-filter


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
