"""A speaker as the engine speaks with: what a prompt's tensors hold, and how they turn the network's outputs into that speaker's frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engines.espeak.signal.loudness import held
from engines.espeak.signal.pitch_slope import pitch_shift
from engines.espeak.signal.post_filter import sharpened
from engines.espeak.signal.spectrum import N_CEPSTRA, envelope_of

__all__ = ["PULL_SMOOTHING_FRAMES", "SpeakerModel"]

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

    pitch_slope (N_CEPSTRA,): by which the clip's move with its pitch. colour (N_MELS,): added to the log power, so that the long-term
    spectrum is the clip's. log_f0, log_f0_deviation: of the clip. floor: of cepstrum 0 in silence. ceiling: of loudness, see loudness.py.
    gain: added to the log power that is held below it. rate: of speaking, to eSpeak's.
    """

    head: np.ndarray
    cepstral_mean: np.ndarray
    variance_gain: np.ndarray
    exemplars: np.ndarray
    pitch_slope: np.ndarray
    colour: np.ndarray
    log_f0: float
    log_f0_deviation: float
    floor: float
    ceiling: float
    gain: float
    rate: float

    @classmethod
    def of(cls, tensors: Mapping[str, np.ndarray]) -> "SpeakerModel":
        """Of a prompt's tensors, see enrolment.speaker_tensors."""
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
        return held(envelope_of(sharpened(cepstra) + shift) + self.colour, self.ceiling) + np.float32(self.gain)

    def shift_at(self, away: np.ndarray, voicing: np.ndarray) -> np.ndarray:
        """(F, N_CEPSTRA) of frames whose pitch lies `away` (F,) in log F0 from the speaker's median and that are voiced (F,), 0 to 1."""
        return pitch_shift(self.pitch_slope, away, voicing)
