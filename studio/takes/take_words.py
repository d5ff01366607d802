"""When the words of a take are heard: as its engine told, else found in its sound, once."""

from itertools import accumulate

import numpy as np

from studio.audio.flac import samples_of
from studio.errors import WordTimesUnknown
from studio.service import Studio
from studio.speech.in_turn import SpeechTrack
from studio.speech.kept.entry import HistoryEntry
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import SaidWord, said_texts, said_words
from studio.speech.words.timing import timed_words
from studio.speech.words.word_aligner import aligned_intervals

__all__ = ["words_of_take"]


def words_of_take(studio: Studio, entry_id: str) -> tuple[TimedWord, ...]:
    """Their places are in the entry's text. What is found is kept. Raises EntryUnknown, WordTimesUnknown, EngineUnknown, OSError."""
    entry = studio.history.entry(entry_id)
    if entry.words is not None:
        return entry.words
    if entry.source_seconds is not None:
        raise WordTimesUnknown(sentence="word_times_of_recording")
    found = _found(studio, entry)
    studio.history.keep_words(entry_id, found, entry.seconds)
    return found


def _found(studio: Studio, entry: HistoryEntry) -> tuple[TimedWord, ...]:
    info, option = studio.engine_info(entry.engine), entry.options.get("language")
    language = option if isinstance(option, str) and option else None
    reading = studio.readings.read(entry.text, info, language)
    texts, words = said_texts(reading, info), said_words(reading, info)
    samples, sample_rate = samples_of(studio.history.audio(entry.id))
    track = SpeechTrack()
    if len(texts) == len(entry.part_seconds):
        for text, seconds in zip(texts, entry.part_seconds, strict=True):
            track.begin(text, round(seconds * sample_rate), sample_rate)
    else:  # it was put together again, or the dictionary is another by now: nobody knows where each begins
        words = _in_one(words, texts)
        track.begin("\n".join(texts), 0, sample_rate)
    intervals = aligned_intervals(words, track, samples.astype(np.float32) / 32768, sample_rate, language)
    return timed_words(words, intervals, entry.text, entry.seconds)


def _in_one(words: tuple[SaidWord, ...], texts: list[str]) -> tuple[SaidWord, ...]:
    """The words of the texts as one, a line for each."""
    ahead = list(accumulate((len(text) + 1 for text in texts), initial=0))
    return tuple(
        SaidWord(0, word.start + ahead[word.part], word.end + ahead[word.part], word.said, word.written_start, word.written_end)
        for word in words
    )
