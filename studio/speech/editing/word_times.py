"""Words of recordings in time: where a known text is said in a sound, or where an engine marked it."""

import numpy as np

from studio.speech.in_turn import SpeechTrack
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import plain_words
from studio.speech.words.timing import marked_intervals, timed_words
from studio.speech.words.word_aligner import aligned_intervals

__all__ = ["found_words", "marked_words"]


def found_words(samples: np.ndarray, sample_rate: int, text: str, language: str | None) -> tuple[TimedWord, ...]:
    """Looked for in the sound. samples: (T,) float32. language: its code, guessed where nobody knows it. Raises WordTimesUnknown."""
    words, track = plain_words(text), SpeechTrack()
    track.begin(text, 0, sample_rate)
    return timed_words(words, aligned_intervals(words, track, samples, sample_rate, language), text, len(samples) / sample_rate)


def marked_words(track: SpeechTrack, text: str, seconds: float) -> tuple[TimedWord, ...]:
    """As the engine marked them that said the text in one part. seconds: of the sound."""
    words = plain_words(text)
    return timed_words(words, marked_intervals(words, track), text, seconds)
