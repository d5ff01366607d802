"""Aligned words: when each word of a speech is heard whose engine does not mark them. The known words are looked for in its sound."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from engines.contract.word_marks import WordMark
from engines.errors import CallerMistake, EngineUnavailable
from engines.kit.alignment.asked_phones import plain_text
from engines.kit.alignment.word_alignment import WordAlignment, align_words, load_reader
from studio.errors import WordTimesUnknown
from studio.speech.in_turn import SpeechTrack
from studio.speech.words.said_words import SaidWord
from studio.speech.words.timing import Interval, marked_intervals

__all__ = ["MOST_ALIGNED_SECONDS", "aligned_intervals", "can_align"]

MOST_ALIGNED_SECONDS = 20 * 60.0  # of one part: some 200 MB of work, and 6 s of one core
# Mean log probability of the frames of words, down to -8. By measuring (studio/measure/DIARY.md): right words have -1.8 to -4.4, half of
# wrong ones less than -4.75, at worst -6.
LEAST_SCORE = -5.0
LEAST_WORD_SCORE = -6.5  # of one word; one that was left out has the leftovers of its neighbors
LEAST_PART_SECONDS = 0.05


def aligned_intervals(
    words: Sequence[SaidWord], track: SpeechTrack, samples: np.ndarray, sample_rate: int, language: str | None
) -> list[Interval]:
    """When each word is heard; None of one that is not found. words: of all parts. samples: (T,) float32, all that was heard. language: of
    the text, guessed where nobody knows it. Part by part, since it is known where each begins. Raises WordTimesUnknown.
    """
    found, scores = SpeechTrack(), []
    bounds = [*(round(seconds * sample_rate) for seconds in _starts(track)), len(samples)]
    texts = [part.text for part in track.parts]
    for text, (start, end) in zip(texts, pairwise(bounds), strict=True):
        part = found.begin(text, start, sample_rate)
        sound = samples[start:end]
        if len(sound) < LEAST_PART_SECONDS * sample_rate or not any(map(str.isalnum, text)):
            continue
        aligned = _aligned(sound, sample_rate, plain_text(text), language)
        scores.append((aligned.score, len(sound)))
        part.marks += _marks(aligned, sample_rate)
    if scores and sum(score * size for score, size in scores) / sum(size for _, size in scores) < LEAST_SCORE:
        raise WordTimesUnknown(sentence="word_times_unlike")
    return marked_intervals(words, found)


def can_align() -> bool:
    """Whether words can be found here at all: by eSpeak NG's reading of them."""
    try:
        load_reader()
    except EngineUnavailable:
        return False
    return True


def _starts(track: SpeechTrack) -> Iterator[float]:
    return (part.first_samples / track.samples_per_second for part in track.parts)


def _aligned(sound: np.ndarray, sample_rate: int, text: str, language: str | None) -> WordAlignment:
    if len(sound) > MOST_ALIGNED_SECONDS * sample_rate:
        raise WordTimesUnknown(sentence="word_times_too_long", seconds=MOST_ALIGNED_SECONDS)
    try:
        return align_words(sound, sample_rate, text, language)
    except (CallerMistake, EngineUnavailable) as error:  # a language that nobody reads here, or no reader at all
        raise WordTimesUnknown(sentence="word_times_of_language", language=language or "") from error


def _marks(aligned: WordAlignment, sample_rate: int) -> Iterator[WordMark]:
    for stretch in aligned.stretches:
        if stretch.score >= LEAST_WORD_SCORE:
            start, end = (round(seconds * sample_rate) for seconds in (stretch.start_seconds, stretch.end_seconds))
            yield WordMark(stretch.start, stretch.end, start, end)
