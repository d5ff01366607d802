"""Headphone check: which of three tones is the softest. One is in antiphase, and soft where two loudspeakers cancel it.

Woods, Siegel, Traer, McDermott, "Headphone screening to facilitate web-based auditory experiments", Attention, Perception & Psychophysics
79 (2017): six trials of three tones of 200 Hz, of which one is 6 dB softer; who is right five times wears headphones.
"""

from dataclasses import dataclass
from itertools import permutations
from random import Random

import numpy as np

from studio.audio.formats import to_pcm16

__all__ = ["LEAST_RIGHT", "HeadphoneTrial", "headphone_check"]

LEAST_RIGHT = 5  # of the six
SAMPLE_RATE = 16_000  # Hz, of these files; all that they hold is 200 Hz
TONE_HZ = 200.0
TONE_SECONDS, RAMP_SECONDS, PAUSE_SECONDS = 1.0, 0.1, 0.5
SOFTER_DB = 6.0
PEAK_DB = -23.0  # a sine of -23 dBFS in both channels has -23 LUFS (EBU Tech 3341): as loud as the test


@dataclass(frozen=True)
class HeadphoneTrial:
    """wav: stereo, 16 bit; all are equally long. softest: the right answer, 1 to 3."""

    wav: bytes
    softest: int


def headphone_check(chance: Random) -> tuple[HeadphoneTrial, ...]:
    """Six trials: each place of the softer tone with each place of the one in antiphase, in an order of chance."""
    return tuple(HeadphoneTrial(_wav(softer, opposed), softer + 1) for softer, opposed, _ in chance.sample(list(permutations(range(3))), 6))


def _wav(softer: int, opposed: int) -> bytes:
    """softer, opposed: which of three tones, from 0."""
    tone = _tone()
    pause = np.zeros((round(PAUSE_SECONDS * SAMPLE_RATE), 2), np.float32)
    pieces = []
    for place in range(3):
        left = tone * np.float32(10 ** (-SOFTER_DB / 20)) if place == softer else tone
        pieces += [np.stack([left, -left if place == opposed else left], axis=1), pause]
    data = to_pcm16(np.concatenate(pieces[:-1]).reshape(-1))
    return _stereo_header(len(data)) + data


def _tone() -> np.ndarray:
    """(T,) float32, with ramps of half a cosine."""
    seconds = np.arange(round(TONE_SECONDS * SAMPLE_RATE)) / SAMPLE_RATE
    edge = np.clip(np.minimum(seconds, TONE_SECONDS - seconds) / RAMP_SECONDS, 0, 1)
    return (10 ** (PEAK_DB / 20) * (0.5 - 0.5 * np.cos(np.pi * edge)) * np.sin(2 * np.pi * TONE_HZ * seconds)).astype(np.float32)


def _stereo_header(n_data_bytes: int) -> bytes:
    """44 bytes: RIFF/WAVE, PCM, two channels, 16 bits."""
    fields = [(b"RIFF", 4), (36 + n_data_bytes, 4), (b"WAVEfmt ", 8), (16, 4), (1, 2), (2, 2), (SAMPLE_RATE, 4), (4 * SAMPLE_RATE, 4)]
    fields += [(4, 2), (16, 2), (b"data", 4), (n_data_bytes, 4)]
    return b"".join(value if isinstance(value, bytes) else value.to_bytes(size, "little") for value, size in fields)
