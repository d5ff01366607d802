"""NaturalSource: whether and how the optional natural voice speaks a text instead of eSpeak; it loads what it needs when asked."""

import threading
from collections.abc import Iterator, Mapping

import numpy as np

from engines.errors import OptionInvalid
from engines.espeak.natural.natural_conversion import NaturalConversion, NaturalModel, NaturalParams
from engines.espeak.natural.natural_enrolment import TENSORS, natural_tensors
from engines.espeak.natural.natural_pool import NaturalPool, find_tract
from engines.espeak.natural.natural_voice import PACKAGE, NaturalVoice, is_here, is_readable
from engines.espeak.reading.languages import Language
from engines.espeak.signal.clip_analysis import ClipAnalysis
from engines.espeak.synthesis import Delivery, hurried_pieces, speakable, stream_pieces

__all__ = ["NaturalSource"]


_LANGUAGE = "en"  # the voice is American
_NEAR_TRACTS = (0.9, 1.1)  # of speaker to source: a woman's; a man, moved so far, is less alike than eSpeak's clone of him


class NaturalSource:
    """Of one engine. Thread-safe; what it loaded stays until it is forgotten.

    Whether the voice is installed is looked up once: each look searches the disk, and a package that comes later is there from the next
    start on.
    """

    def __init__(self):
        self._is_here = is_here()
        self._pool: NaturalPool | None = None
        self._voice: NaturalVoice | None = None
        self._last: tuple[Mapping[str, np.ndarray], NaturalModel] | None = None  # the speaker that spoke last, by identity
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the voice where it is installed, so that the first sentence does not wait. Raises EngineUnavailable."""
        if self._is_here:
            self._loaded()

    def tract(self, recording: ClipAnalysis) -> float:
        """The speaker's vocal tract against this voice's, see find_tract; measured whether the voice is installed or not."""
        return find_tract(self._frames(), recording)

    def tensors(self, recording: ClipAnalysis, tract: float) -> dict[str, np.ndarray]:
        """What a prompt holds for this source; learned whether the voice is installed or not."""
        return natural_tensors(self._frames(), recording, tract)

    def speaks(self, wanted: str, text: str, language: Language, tensors: Mapping[str, np.ndarray]) -> bool:
        """Whether this source is the one for the text. wanted: "auto", "espeak" or "natural".

        Auto takes it where it can and the speaker is near to its voice. Raises OptionInvalid where natural is wanted and cannot be.
        """
        if wanted == "espeak":
            return False
        fact, hint = self._obstacle(text, language, tensors)
        if fact and wanted == "natural":
            choices = ("auto", "espeak")
            raise OptionInvalid("source", fact, hint, sentence="option_no_choice", value=wanted, choices=choices)
        return not fact and (wanted == "natural" or _is_near(tensors))

    def stream(self, text: str, tensors: Mapping[str, np.ndarray], delivery: Delivery) -> Iterator[np.ndarray]:
        """(T,) float32 blocks as synthesis.stream has them. Raises TextUnspeakable, EngineUnavailable and EngineFailed."""
        params = NaturalParams(self._model(tensors), self._loaded(), self._frames(), delivery.speed, delivery.pitch_semitones)

        def convert(piece: str, end_pause: bool, _hurried: bool) -> NaturalConversion:
            return NaturalConversion(piece, params, end_pause=end_pause)

        yield from stream_pieces(hurried_pieces(speakable(text)), convert, delivery)

    def forget(self) -> None:
        """Free the voice and the frames."""
        self._pool = self._voice = self._last = None

    def memory_bytes(self) -> int:
        """Of the frames; what the package holds is not known."""
        return 0 if self._pool is None else self._pool.cepstra.nbytes

    def _frames(self) -> NaturalPool:
        with self._lock:
            if self._pool is None:
                self._pool = NaturalPool.load()
            return self._pool

    def _model(self, tensors: Mapping[str, np.ndarray]) -> NaturalModel:
        last = self._last
        if last is None or last[0] is not tensors:
            last = self._last = tensors, NaturalModel.of(tensors)
        return last[1]

    def _obstacle(self, text: str, language: Language, tensors: Mapping[str, np.ndarray]) -> tuple[str, str]:
        """Why the natural voice cannot speak, and what to do; ("", "") where it can."""
        if not self._is_here:
            return f"The natural voice needs the package {PACKAGE}, which is not installed.", f"pip install {PACKAGE}"
        if language.code != _LANGUAGE:
            return f"The natural voice speaks {_LANGUAGE} only, and the text is {language.code}.", "Leave the source out."
        if not all(name in tensors for name in TENSORS):
            return "The speaker was learned before there was a natural voice.", "Extract the prompt again, or leave the source out."
        if not is_readable(text):
            return "The natural voice cannot read every letter of the text.", "Leave the source out."
        return "", ""

    def _loaded(self) -> NaturalVoice:
        with self._lock:
            if self._voice is None:
                self._voice = NaturalVoice()
            return self._voice


def _is_near(tensors: Mapping[str, np.ndarray]) -> bool:
    shortest, longest = _NEAR_TRACTS
    return shortest <= float(tensors["natural_voice"][0]) <= longest
