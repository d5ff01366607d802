"""Clips as files, for tests of the page."""

import io
from functools import cache
from pathlib import Path

import numpy as np
import soundfile
import soxr

DEMO = Path(__file__).parents[2] / "assets" / "voices" / "demo.wav"
FIRST_WORD_SECONDS = 0.25  # of the demo's recording; before it is a pause


def wav_bytes(seconds: float = 2.0, sample_rate: int = 48_000, peak: float = 0.5) -> bytes:
    """Speech as a 16-bit WAV file."""
    file = io.BytesIO()
    soundfile.write(file, speech_like(seconds, sample_rate, peak), sample_rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def speech_like(seconds: float, sample_rate: int, peak: float = 0.5) -> np.ndarray:
    """(T,) float32: the demo's voice, over and over. It starts with sound."""
    voice = _voice(sample_rate)
    samples = np.resize(voice, round(seconds * sample_rate))
    return (samples * (peak / np.abs(samples).max())).astype(np.float32)


@cache
def _voice(sample_rate: int) -> np.ndarray:
    samples, own_rate = soundfile.read(DEMO, dtype="float32")
    return soxr.resample(samples[round(FIRST_WORD_SECONDS * own_rate) :], own_rate, sample_rate, quality="HQ")
