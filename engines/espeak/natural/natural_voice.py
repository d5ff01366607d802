"""NaturalVoice: speaks English text with the optional package hibari-tts, a neural voice. It needs onnxruntime and 8 MB of weights.

hibari-tts 0.2.1 is Apache-2.0, as are the voice and the lexicon that it was made from (Kokoro-82M and misaki). Nothing of it is in this
repository; where the package is not installed, eSpeak speaks English too.
"""

import re
import threading
import unicodedata
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np

from engines.errors import EngineFailed, EngineUnavailable, TextUnspeakable
from engines.kit.signal.spectrum import HOP_SAMPLES, SAMPLE_RATE

__all__ = ["PACKAGE", "NaturalSpeech", "NaturalVoice", "clipped_rate", "is_here", "is_readable"]

PACKAGE = "hibari-tts"
_MODULES = ("hibari", "onnxruntime")
_RATES = (0.5, 2.0)  # that the network was made for
_LEAST_F0_HZ = 90.0  # the voice has none lower; between voiced and unvoiced frames the network's F0 falls through it
_LAST_LATIN = "\u024f"
_LONGEST_WORD = 24  # letters; of an unknown longer word its reader drops the rest
_LONG_WORD = re.compile(rf"[^\W\d_]{{{_LONGEST_WORD + 1},}}")
_AUDIBLE = 0.004  # of full scale; before and after it there is silence
_LEAD_SECONDS = 0.08


@dataclass(frozen=True, eq=False)
class NaturalSpeech:
    """samples: (T,) float32 at SAMPLE_RATE. f0: (F,) Hz at multiples of HOP_SAMPLES, F = T // HOP_SAMPLES + 1; 0 where unvoiced."""

    samples: np.ndarray
    f0: np.ndarray


def is_here() -> bool:
    """Whether the packages are; imports nothing."""
    return all(find_spec(name) is not None for name in _MODULES)


def is_readable(text: str) -> bool:
    """Whether it can read every letter: Latin ones, in words of no more than 24 letters."""
    if text.isascii() and len(text) <= _LONGEST_WORD:
        return True
    composed = unicodedata.normalize("NFC", text)
    return not _LONG_WORD.search(composed) and all(c <= _LAST_LATIN or not c.isalpha() for c in composed)


class NaturalVoice:
    """The package's own voice, loaded once. One sentence is spoken at a time, on one thread."""

    def __init__(self):
        """Loads for about a second. Raises EngineUnavailable."""
        try:
            import hibari
            from hibari import dsp

            self._voice = hibari.Hibari()
            self._dsp = dsp
            self._voice.phonemize("Ready.")  # its lexicon is loaded by the first sentence
        except Exception as error:
            fact = f"The package {PACKAGE} is installed but cannot be loaded: {error}."
            raise EngineUnavailable(fact, f"pip install --upgrade {PACKAGE} onnxruntime", sentence="engine_library_absent") from error
        if self._dsp.SR != SAMPLE_RATE:
            fact = f"The package {PACKAGE} speaks at {self._dsp.SR} Hz; {SAMPLE_RATE} are expected."
            raise EngineUnavailable(fact, f"pip install {PACKAGE}==0.2.1", sentence="engine_library_absent")
        self._lock = threading.Lock()

    def speak(self, text: str, rate: float, pause_seconds: float) -> NaturalSpeech:
        """The text, with at most pause_seconds of silence after it. rate: 1 is the voice's own, 0.5 to 2.

        The same samples for the same text and rate. Raises TextUnspeakable and EngineFailed.
        """
        with self._lock:
            try:
                parts = [self._sentence(phonemes, rate) for phonemes in self._voice.phonemize(text)]
            except Exception as error:
                fact = f"The natural voice failed at a sentence of {len(text)} characters: {error}."
                raise EngineFailed(fact, "Try another text, or take espeak as the source.", engine=PACKAGE) from error
        parts = [part for part in parts if len(part.samples)]
        if not parts:
            fact = "The natural voice finds nothing to say in a part of the text."
            raise TextUnspeakable(fact, "Type a word or a number.", sentence="text_without_letters")
        return _trimmed(_joined(parts), pause_seconds)

    def _sentence(self, phonemes: str, rate: float) -> NaturalSpeech:
        ids = np.asarray([self._voice.ids(phonemes)], np.int64)
        if ids.shape[1] < 3:  # the two pads alone
            return NaturalSpeech(np.zeros(0, np.float32), np.zeros(0))
        rate = float(np.clip(rate, *_RATES))
        outputs = self._voice.sess.run(None, {"ids": ids, "speed": np.asarray([rate], np.float32)})
        spectra = [output[0] for output in outputs]
        samples = self._dsp.synth(*spectra, np.random.default_rng(0)).astype(np.float32)
        return NaturalSpeech(samples, _on_grid(np.asarray(spectra[-1], np.float64), len(samples), self._dsp.HOP))


def clipped_rate(rate: float) -> float:
    """The part of a speaking rate that the voice itself can follow."""
    return float(np.clip(rate, *_RATES))


def _on_grid(network_f0: np.ndarray, n_samples: int, hop: int) -> np.ndarray:
    """F0 of the network, frames centerd at (k + 0.5) * hop samples, on our grid; voiced where the nearest frame is."""
    position = np.arange(n_samples // HOP_SAMPLES + 1) * HOP_SAMPLES / hop - 0.5
    nearest = network_f0[np.clip(np.round(position).astype(np.int64), 0, len(network_f0) - 1)]
    between = np.interp(position, np.arange(len(network_f0)), network_f0)
    return np.where((nearest > _LEAST_F0_HZ) & (between > _LEAST_F0_HZ), between, 0.0)


def _joined(parts: list[NaturalSpeech]) -> NaturalSpeech:
    if len(parts) == 1:
        return parts[0]
    samples = np.concatenate([part.samples for part in parts])
    n_frames = len(samples) // HOP_SAMPLES + 1
    f0 = np.concatenate([part.f0[: len(part.samples) // HOP_SAMPLES] for part in parts])
    return NaturalSpeech(samples, np.pad(f0, (0, n_frames))[:n_frames])


def _trimmed(speech: NaturalSpeech, pause_seconds: float) -> NaturalSpeech:
    """Without most of the silence before it and with at most pause_seconds after it, cut at whole frames."""
    audible = np.nonzero(np.abs(speech.samples) > _AUDIBLE)[0]
    if not len(audible):
        return speech
    first = max(0, int(audible[0] - _LEAD_SECONDS * SAMPLE_RATE) // HOP_SAMPLES)
    last = min(len(speech.samples) // HOP_SAMPLES, int(audible[-1] + pause_seconds * SAMPLE_RATE) // HOP_SAMPLES + 1)
    return NaturalSpeech(speech.samples[first * HOP_SAMPLES : last * HOP_SAMPLES], speech.f0[first : last + 1])
