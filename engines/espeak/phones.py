"""From eSpeak's phone events to what every frame is part of: phone, its neighbours, position inside it."""

from dataclasses import dataclass

import numpy as np

from engines.espeak.library import EspeakSpeech
from engines.espeak.spectrum import HOP_SAMPLES

__all__ = ["PhoneFrames", "known_frames", "phone_frames"]

_MIDDLE = 0.5


@dataclass(frozen=True)
class PhoneFrames:
    """Per frame: numbers of the phone, of the one before and of the one after it (F, 3), position inside it from 0 to 1 (F,).

    silent: (F,) whether the phone is silence.
    """

    numbers: np.ndarray
    position: np.ndarray
    silent: np.ndarray


def known_frames(speech: EspeakSpeech) -> int:
    """How many leading frames of a speech that was cut short have a phone whose end is known."""
    return speech.phones[-1][0] // HOP_SAMPLES if speech.phones else 0


def phone_frames(speech: EspeakSpeech, n_frames: int, number_of: dict[str, int]) -> PhoneFrames:
    """The phones of n_frames frames; number_of: IPA name to number, 0 for what it does not list."""
    names = ["_", *(name for _, name in speech.phones), "_"]
    numbers = np.array([number_of.get(name, 0) for name in names])
    silences = np.array([name == "_" for name in names])
    starts = np.array([-np.inf, *(start for start, _ in speech.phones), np.inf])
    time = np.arange(n_frames) * HOP_SAMPLES
    index = np.searchsorted(starts, time, side="right") - 1
    last = len(names) - 1
    start, end = starts[index], starts[np.minimum(index + 1, last)]
    inside = np.isfinite(start) & np.isfinite(end)
    length = np.where(inside, np.maximum(np.where(inside, end - np.where(inside, start, 0), 1), 1), 1)
    position = np.where(inside, (time - np.where(inside, start, 0)) / length, _MIDDLE).clip(0, 1).astype(np.float32)
    neighbours = np.stack([numbers[np.clip(index + offset, 0, last)] for offset in (0, -1, 1)], 1)
    return PhoneFrames(neighbours, position, silences[index])
