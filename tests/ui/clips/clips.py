"""Clips as files, for tests of the page."""

import io
from functools import cache

import numpy as np
import soundfile
import soxr

from tests.stand_ins.vocoded_speaker import vocoded_speaker

FIRST_WORD_SECONDS = 0.25  # of the recording; before it is a pause


def wav_bytes(seconds: float = 2.0, sample_rate: int = 48_000, peak: float = 0.5) -> bytes:
    """Speech as a 16-bit WAV file."""
    file = io.BytesIO()
    soundfile.write(file, speech_like(seconds, sample_rate, peak), sample_rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def speech_like(seconds: float, sample_rate: int, peak: float = 0.5) -> np.ndarray:
    """(T,) float32: a vocoded speaker, over and over. It starts with sound."""
    voice = _voice(sample_rate)
    samples = np.resize(voice, round(seconds * sample_rate))
    return (samples * (peak / np.abs(samples).max())).astype(np.float32)


@cache
def _voice(sample_rate: int) -> np.ndarray:
    clip = vocoded_speaker()
    return soxr.resample(clip.samples[round(FIRST_WORD_SECONDS * clip.sample_rate) :], clip.sample_rate, sample_rate, quality="HQ")
