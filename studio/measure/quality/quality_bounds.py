"""Bounds for the quality of the embedded engine's clones.

One is its source speech without a speaker; the other is a recording through its vocoder.
"""

import numpy as np

from engines.clips.clip import Clip
from engines.espeak.vocoder import DELAY_SAMPLES, Vocoder
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import language_of
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import SAMPLE_RATE

__all__ = ["copied", "unconverted"]


def unconverted(text: str, language: str) -> Clip:
    """What eSpeak says, untouched. Raises LanguageUnsupported, EngineUnavailable."""
    return Clip(espeak_library.speak(text, language_of(text, language).voice).samples, SAMPLE_RATE)


def copied(clip: Clip) -> Clip:
    """The clip's frames, as the embedded engine analyzes them, through its vocoder: nothing of them is converted."""
    found = ClipAnalysis.of(clip)
    samples = Vocoder(0).push(found.f0, found.log_envelope, found.aperiodicity)[DELAY_SAMPLES:]
    return Clip(samples.astype(np.float32), SAMPLE_RATE)
