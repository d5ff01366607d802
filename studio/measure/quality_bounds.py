"""Between what the embedded engine's clones can lie: its source speech before it is anybody's, and a recording through its vocoder."""

import numpy as np

from engines.clip import Clip
from engines.espeak import library
from engines.espeak.clip_analysis import ClipAnalysis
from engines.espeak.languages import language_of
from engines.espeak.spectrum import SAMPLE_RATE
from engines.espeak.vocoder import DELAY_SAMPLES, Vocoder

__all__ = ["copied", "unconverted"]


def unconverted(text: str, language: str) -> Clip:
    """What eSpeak says, untouched. Raises LanguageUnsupported, EngineUnavailable."""
    return Clip(library.speak(text, language_of(text, language).voice).samples, SAMPLE_RATE)


def copied(clip: Clip) -> Clip:
    """The clip's frames, as the embedded engine analyses them, through its vocoder: nothing of them is converted."""
    found = ClipAnalysis.of(clip)
    samples = Vocoder(0).push(found.f0, found.log_envelope, found.aperiodicity)[DELAY_SAMPLES:]
    return Clip(samples.astype(np.float32), SAMPLE_RATE)
