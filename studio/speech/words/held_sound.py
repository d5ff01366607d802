"""HeldSound: all that was heard of a speech, held until its words are found in it."""

import numpy as np

from studio.errors import WordTimesUnknown
from studio.speech.words.word_aligner import MOST_ALIGNED_SECONDS

__all__ = ["HeldSound"]


class HeldSound:
    """At most MOST_HELD_SECONDS, in 16 bits: of 24 kHz that is 170 MB an hour. What is longer is let go of at once."""

    MOST_HELD_SECONDS = 3 * MOST_ALIGNED_SECONDS

    def __init__(self):
        self._chunks: list[np.ndarray] = []
        self._seconds = 0.0

    def add(self, samples: np.ndarray, sample_rate: int) -> None:
        """samples: (T,) float32."""
        self._seconds += len(samples) / sample_rate
        if self._seconds > self.MOST_HELD_SECONDS:
            self._chunks.clear()
        else:
            self._chunks.append(samples.astype(np.float16))

    @property
    def samples(self) -> np.ndarray:
        """(T,) float32. Raises WordTimesUnknown for what was too long."""
        if self._seconds > self.MOST_HELD_SECONDS:
            raise WordTimesUnknown(sentence="word_times_too_long", seconds=self.MOST_HELD_SECONDS)
        return np.concatenate([np.zeros(0, np.float16), *self._chunks]).astype(np.float32)
