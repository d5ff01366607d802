"""Clips as files, for tests of the page."""

import io

import numpy as np
import soundfile


def wav_bytes(seconds: float = 2.0, sample_rate: int = 48_000, peak: float = 0.5) -> bytes:
    """A tone as a 16-bit WAV file."""
    time_seconds = np.arange(int(seconds * sample_rate)) / sample_rate
    file = io.BytesIO()
    soundfile.write(file, peak * np.sin(2 * np.pi * 220 * time_seconds), sample_rate, format="WAV", subtype="PCM_16")
    return file.getvalue()
