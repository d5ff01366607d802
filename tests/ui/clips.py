"""Clips as files, for tests of the page."""

import io

import numpy as np
import soundfile


def wav_bytes(seconds: float = 2.0, sample_rate: int = 48_000, peak: float = 0.5) -> bytes:
    """A tone with pauses, which counts as speech, as a 16-bit WAV file."""
    file = io.BytesIO()
    soundfile.write(file, speech_like(seconds, sample_rate, peak), sample_rate, format="WAV", subtype="PCM_16")
    return file.getvalue()


def speech_like(seconds: float, sample_rate: int, peak: float = 0.5) -> np.ndarray:
    """(T,) float32: a tone of 220 Hz, on for 0.5 s and off for 0.25 s, over a faint hiss. It starts with sound."""
    time_seconds = np.arange(int(seconds * sample_rate)) / sample_rate
    on = time_seconds % 0.75 < 0.5
    hiss = np.random.default_rng(1).standard_normal(len(time_seconds)) * peak / 1000
    samples = peak * on * np.sin(2 * np.pi * 220 * time_seconds) + hiss
    return np.clip(samples, -peak, peak).astype(np.float32)
