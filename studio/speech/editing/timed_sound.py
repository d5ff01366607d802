"""TimedSound: a sound, and the words that are said in it, in time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from studio.speech.timed_words import TimedWord

__all__ = ["TimedSound", "letters_place"]


@dataclass(frozen=True, eq=False)
class TimedSound:
    """samples: (T,) float32. text: what is said in them. words: of the text, in time and in order."""

    samples: np.ndarray
    sample_rate: int
    text: str
    words: Sequence[TimedWord]

    @property
    def seconds(self) -> float:
        return len(self.samples) / self.sample_rate

    def level(self, word: TimedWord) -> float:
        """RMS of a word; 0 of one of no length."""
        first, last = round(word.start_seconds * self.sample_rate), round(word.end_seconds * self.sample_rate)
        sound = self.samples[first:last]
        return float(np.sqrt(np.mean(np.square(sound, dtype=np.float64)))) if len(sound) else 0.0


def letters_place(text: str, start: int, end: int) -> tuple[int, int]:
    """Of text[start:end] without what is no letter and no digit around it; all of it where it has none."""
    letters = [at for at in range(start, end) if text[at].isalnum()]
    return (letters[0], letters[-1] + 1) if letters else (start, end)
