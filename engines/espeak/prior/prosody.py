"""How long each phone of eSpeak's speech would last in a person's, and how the pitch would move: a small network over phones.

It reads phones in order and looks AHEAD_PHONES ahead, so that the first of a text are known as soon as eSpeak has said a few. Trained by
engines/espeak/training on voices that pass for natural; the speaker's own tempo and pitch come later.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engines.espeak.prior.dilated_stream import DilatedStream, leaky
from engines.espeak.reading.library import EspeakSpeech
from engines.espeak.reading.phone_facts import phone_facts
from engines.espeak.reading.phones import feature_rows

__all__ = ["AHEAD_PHONES", "N_POINTS", "PROSODY_TENSORS", "REACHES", "Prosody"]

N_POINTS = 4  # of the pitch, in a phone, each in the middle of its quarter
REACHES = ((1, 1), (2, 2), (4, 0))
AHEAD_PHONES = sum(ahead for _, ahead in REACHES)
_BLOCK_PHONES = 4
_MOST_LOG_RATIO = 1.2  # no phone becomes more than 3.3 times as long, or as short
PROSODY_TENSORS = (
    *("prosody_first_weight", "prosody_first_bias"),
    *(f"prosody_{number}_{kind}" for number in range(len(REACHES)) for kind in ("weight", "bias")),
    *("prosody_outputs_weight", "prosody_outputs_bias"),
)


@dataclass(frozen=True, eq=False)
class Prosody:
    """Of the first P phones of a speech.

    log_ratio: (P,) natural log of their length over eSpeak's. pitch: (P, N_POINTS) in deviations of log F0.
    """

    log_ratio: np.ndarray
    pitch: np.ndarray

    @classmethod
    def predicted(cls, speech: EspeakSpeech, tensors: Mapping[str, np.ndarray]) -> "Prosody":
        """Of all phones, or, of a speech that was cut short, of those that nothing behind the cut could change."""
        facts = phone_facts(speech)
        n_phones = len(facts)
        n_certain = n_phones if speech.complete else n_phones - AHEAD_PHONES
        if n_certain <= 0:
            return cls(np.zeros(0, np.float32), np.zeros((0, N_POINTS), np.float32))
        stream = DilatedStream(tensors, "prosody", REACHES, n_phones)
        outputs = np.zeros((n_certain + _BLOCK_PHONES, 1 + N_POINTS), np.float32)
        padding = -(-(n_certain + AHEAD_PHONES) // _BLOCK_PHONES) * _BLOCK_PHONES - n_phones
        rows = np.concatenate([feature_rows(tuple(name for _, name in speech.phones[:n_phones])), facts], 1)
        rows = np.concatenate([rows, np.zeros((padding, rows.shape[1]), np.float32)])
        for block in np.split(rows, len(rows) // _BLOCK_PHONES):
            step, x = stream.push(leaky(block @ tensors["prosody_first_weight"] + tensors["prosody_first_bias"]))
            made = x @ tensors["prosody_outputs_weight"] + tensors["prosody_outputs_bias"]
            part = slice(max(0, step), min(n_certain, step + _BLOCK_PHONES))
            outputs[part] = made[part.start - step : part.stop - step]
        return cls(outputs[:n_certain, 0].clip(-_MOST_LOG_RATIO, _MOST_LOG_RATIO), outputs[:n_certain, 1:])
