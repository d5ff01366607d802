"""From eSpeak's phone events to what every frame is part of: phone, its neighbours, position inside it."""

from dataclasses import dataclass

import numpy as np

from engines.espeak.library import SILENCE, EspeakSpeech
from engines.espeak.phone_neighbours import nearest_phone
from engines.espeak.spectrum import HOP_SAMPLES

__all__ = ["PhoneFrames", "known_frames", "phone_numbers", "phones_at"]

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


def phones_at(speech: EspeakSpeech, times: np.ndarray, number_of: dict[str, int]) -> PhoneFrames:
    """The phones at times (F,) in samples, fractions allowed; number_of: IPA name to number."""
    names = [SILENCE, *(name for _, name in speech.phones), SILENCE]
    numbers = phone_numbers(names, number_of)
    silences = np.array([name == SILENCE for name in names])
    starts = np.array([-np.inf, *(start for start, _ in speech.phones), np.inf])
    index = np.searchsorted(starts, times, side="right") - 1
    last = len(names) - 1
    start, end = starts[index], starts[np.minimum(index + 1, last)]
    inside = np.isfinite(start) & np.isfinite(end)
    length = np.where(inside, np.maximum(np.where(inside, end - np.where(inside, start, 0), 1), 1), 1)
    position = np.where(inside, (times - np.where(inside, start, 0)) / length, _MIDDLE).clip(0, 1).astype(np.float32)
    neighbours = np.stack([numbers[np.clip(index + offset, 0, last)] for offset in (0, -1, 1)], 1)
    return PhoneFrames(neighbours, position, silences[index])


def phone_numbers(names: list[str], number_of: dict[str, int]) -> np.ndarray:
    """(P,) ints; a name that is not listed counts as its nearest neighbour, or as 0, "unknown"."""
    known = tuple(number_of)
    return np.array([number_of.get(nearest_phone(name, known), 0) for name in names], np.int64)
