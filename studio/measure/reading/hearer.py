"""Hearer: speaks what was read with the embedded engine, and hears its words and silences."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from engines.catalog import engine_ids, open_engine
from engines.clips.clip import Clip
from engines.contract.options import resolve_options
from studio.analysis.heard_words import word_errors
from studio.analysis.transcriber import Transcriber
from studio.reading.numbers.numbers import number_replacements
from studio.reading.parts import Reading
from studio.reading.traced_text import TracedText
from studio.speech.in_turn import parts_of, spoken_in_turn

__all__ = ["HeardSilence", "Hearer", "heard_silences"]

LEAST_SILENCE_SECONDS = 0.15  # what is shorter may be a stop within a word
QUIET = 10 ** (-50 / 20)  # full scale is 1
PATIENT_SECONDS = 25.0  # Whisper hears half a minute at a time


class HeardSilence(NamedTuple):
    """seconds: from the last sound before it to the first behind it, which begins at `end`."""

    end: float
    seconds: float


class Hearer:
    """The embedded engine in its own voice, and Whisper's weights of the packages."""

    def __init__(self):
        self._engine = open_engine(engine_ids()[0])
        self._transcriber = Transcriber(None)

    def speak(self, reading: Reading, language: str) -> Clip:
        """All of it, silences included."""
        info = self._engine.info
        options = resolve_options(info.options, {"language": language})
        assert info.default_preset is not None  # of the embedded engine
        prompt = self._engine.preset(info.default_preset)
        chunks = list(spoken_in_turn(self._engine, parts_of(reading, info), prompt, options))
        return Clip(np.concatenate(chunks), info.sample_rate)

    def words(self, clip: Clip, language: str) -> str:
        """What was heard, with numbers as words."""
        heard = [self._transcriber.write(piece, language) for piece in _pieces(clip)]
        text = " ".join(one.text for one in heard if one is not None)
        return TracedText(text).replaced(number_replacements(text, language)).text

    def errors(self, reading: Reading, wanted: Sequence[str], language: str) -> tuple[int, int]:
        """(wrong words, words) of what is heard, by the reading that it is most like."""
        heard = self.words(self.speak(reading, language), language)
        return min((word_errors(one, heard, language) for one in wanted), key=lambda pair: pair[0] / max(1, pair[1]))


def heard_silences(clip: Clip) -> list[HeardSilence]:
    """Those between sounds."""
    loud = np.flatnonzero(np.abs(clip.samples) >= QUIET) / clip.sample_rate
    gaps = np.diff(loud)
    return [HeardSilence(float(loud[at + 1]), float(gaps[at])) for at in np.flatnonzero(gaps >= LEAST_SILENCE_SECONDS)]


def _pieces(clip: Clip) -> Iterator[Clip]:
    """Cut within the longest silence before each half minute is over."""
    silences, start, end = heard_silences(clip), 0.0, len(clip.samples) / clip.sample_rate
    while end - start > PATIENT_SECONDS:
        near = [one for one in silences if start + 1 < one.end - one.seconds / 2 < start + PATIENT_SECONDS]
        if not near:
            break
        longest = max(near, key=lambda one: (one.seconds >= 0.25, one.end))
        cut = longest.end - longest.seconds / 2
        yield Clip(clip.samples[int(start * clip.sample_rate) : int(cut * clip.sample_rate)], clip.sample_rate)
        start = cut
    yield Clip(clip.samples[int(start * clip.sample_rate) :], clip.sample_rate)
