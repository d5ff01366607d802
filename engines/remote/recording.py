"""recording_of: a clip as the WAV file that a speech server is given."""

import numpy as np
import soxr

from engines.clips.clip import Clip

__all__ = ["recording_of"]

# Hz. No model that is served hears more, and 30 s of it are 2.9 MB: vLLM-Omni 0.30.0 takes 10 MiB.
MOST_RATE = 48_000


def recording_of(clip: Clip) -> np.ndarray:
    """A whole WAV file, (n,) uint8: mono, 16 bits, at the clip's own rate or at MOST_RATE. The same clip gives the same bytes.

    What is louder than full scale is made quieter as a whole. Several recordings follow on each other.
    """
    samples, rate = clip.samples, min(clip.sample_rate, MOST_RATE)
    if rate != clip.sample_rate:
        samples = soxr.resample(samples, clip.sample_rate, rate, quality="HQ")
    samples = samples / max(1.0, float(np.abs(samples).max(initial=0.0)))
    data = np.round(samples * 32_767).astype("<i2").tobytes()
    return np.frombuffer(_header(len(data), rate) + data, np.uint8)


def _header(n_bytes: int, rate: int) -> bytes:
    numbers = ((16, 4), (1, 2), (1, 2), (rate, 4), (2 * rate, 4), (2, 2), (16, 2))  # as "fmt " has them: PCM, one channel, 16 bits
    form = b"".join(number.to_bytes(width, "little") for number, width in numbers)
    return b"RIFF" + (36 + n_bytes).to_bytes(4, "little") + b"WAVEfmt " + form + b"data" + n_bytes.to_bytes(4, "little")
