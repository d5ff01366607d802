"""From eSpeak's phone events to what every frame is part of: phone, its neighbours, position inside it."""

from dataclasses import dataclass

import numpy as np

from engines.espeak.reading.library import SILENCE, EspeakSpeech
from engines.espeak.reading.phone_features import phone_features
from engines.espeak.signal.spectrum import HOP_SAMPLES

__all__ = ["PhoneFrames", "feature_rows", "known_frames", "phones_at"]

_MIDDLE = 0.5


@dataclass(frozen=True)
class PhoneFrames:
    """names: the speech's phones, between two silences. numbers (F, 3): in them the frame's phone, the one before and the one after it.

    position: (F,) float32, inside the phone, from 0 to 1. silent: (F,) whether the phone is silence.
    """

    names: tuple[str, ...]
    numbers: np.ndarray
    position: np.ndarray
    silent: np.ndarray


def known_frames(speech: EspeakSpeech) -> int:
    """How many leading frames of a speech that was cut short have a phone whose end is known."""
    return speech.phones[-1][0] // HOP_SAMPLES if speech.phones else 0


def phones_at(speech: EspeakSpeech, times: np.ndarray) -> PhoneFrames:
    """The phones at times (F,) in samples, fractions allowed."""
    names = (SILENCE, *(name for _, name in speech.phones), SILENCE)
    starts = np.array([-np.inf, *(start for start, _ in speech.phones), np.inf])
    index = np.searchsorted(starts, times, side="right") - 1
    last = len(names) - 1
    start, end = starts[index], starts[np.minimum(index + 1, last)]
    inside = np.isfinite(start) & np.isfinite(end)
    length = np.where(inside, np.maximum(np.where(inside, end - np.where(inside, start, 0), 1), 1), 1)
    position = np.where(inside, (times - np.where(inside, start, 0)) / length, _MIDDLE).clip(0, 1).astype(np.float32)
    neighbours = np.stack([np.clip(index + offset, 0, last) for offset in (0, -1, 1)], 1)
    return PhoneFrames(names, neighbours, position, np.array([name == SILENCE for name in names])[index])


def feature_rows(names: tuple[str, ...]) -> np.ndarray:
    """(P, N_PHONE_FEATURES) float32 features of the phones."""
    return np.stack([phone_features(name) for name in names])
