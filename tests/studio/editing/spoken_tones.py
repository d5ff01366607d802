"""Sounds of which every sample is known: of each word a tone of its own, with silence between words."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from engines.contract.editing import EditedWords, EditOperation, checked_edit, edited_words
from studio.speech.editing.timed_sound import TimedSound
from studio.speech.timed_words import TimedWord
from studio.speech.words.said_words import plain_words
from tests.stand_ins.fake_engine import EDITS

RATE, WORD_SECONDS, PEAK = 16_000, 0.25, 0.4


def hz_of(word: str) -> float:
    """200 to 1,950, so far apart that bands tell them apart."""
    return 200.0 + 250.0 * (sum(map(ord, word)) % 8)


def tones(
    text: str, *, peak: float = PEAK, gap: float = 0.08, lead: float = 0.1, without: Sequence[str] = (), hz: float = 0.0
) -> TimedSound:
    """gap: seconds of silence between words; lead: around them. Samples are those of a 16-bit file. without: words that are guessed.
    hz: of all words, 0 for each its own.
    """
    parts, words, at = [np.zeros(round(lead * RATE))], [], lead
    for word in plain_words(text):
        n = round(WORD_SECONDS * RATE)
        parts.append(peak * np.sin(2 * np.pi * (hz or hz_of(word.said)) * np.arange(n) / RATE))
        words.append(TimedWord(at, at + WORD_SECONDS, word.said, word.said, word.written_start, word.written_end, word.said in without))
        parts.append(np.zeros(round(gap * RATE)))
        at += WORD_SECONDS + gap
    samples = np.rint(np.concatenate([*parts, np.zeros(round(lead * RATE))]) * 32767) / 32768
    return TimedSound(samples.astype(np.float32), RATE, text, tuple(words))


def edit(text: str, *changes: tuple[str, str, str], kinds=EDITS) -> EditedWords:
    """changes: (kind, of what words, text); of a place between words the words behind it, or "" for the end."""
    operations = []
    for kind, what, new in changes:
        start = text.index(what) if what else len(text)
        is_point = kind in ("insert", "pause")
        operations.append(EditOperation(kind, start, start if is_point else start + len(what), new))
    return edited_words(checked_edit("Fake", kinds, text, operations), kinds)


def later(said: TimedSound, seconds: float) -> TimedSound:
    """The same, with so much silence before it."""
    words = [replace(word, start_seconds=word.start_seconds + seconds, end_seconds=word.end_seconds + seconds) for word in said.words]
    return replace(said, samples=np.concatenate([np.zeros(round(seconds * RATE), np.float32), said.samples]), words=words)
