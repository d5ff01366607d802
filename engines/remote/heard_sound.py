"""HeardSound: turns the answer of a server into samples at the engine's rate, as it comes."""

import numpy as np
import soxr

from engines.remote.wav_reader import WavReader

__all__ = ["HeardSound"]


class HeardSound:
    """WAV bytes in, (T,) float32 in [-1, 1] at `sample_rate` out, T sometimes 0; `finish` gives the rest.

    Sound at another rate is resampled as one stream, whatever its cuts; soxr then holds back some 40 ms. seconds: of sound so far.
    """

    def __init__(self, sample_rate: int):
        self.seconds = 0.0
        self._rate = sample_rate
        self._wav = WavReader()
        self._resampler: soxr.ResampleStream | None = None

    def push(self, data: bytes) -> np.ndarray:
        """Raises WavUnreadable."""
        samples = self._wav.push(data)
        if not len(samples):
            return samples
        rate = self._wav.sample_rate
        self.seconds += len(samples) / rate
        if rate != self._rate:
            self._resampler = self._resampler or soxr.ResampleStream(rate, self._rate, 1, dtype="float32", quality="HQ")
            samples = self._resampler.resample_chunk(samples)
        return np.clip(samples, -1.0, 1.0)

    @property
    def is_whole(self) -> bool:
        """Whether all came that the header promised; never of one that promised no length."""
        return self._wav.is_whole

    def is_short(self) -> bool:
        """Whether less came than the header promised."""
        return self._wav.is_short()

    def finish(self) -> np.ndarray:
        if self._resampler is None:
            return np.zeros(0, np.float32)
        return np.clip(self._resampler.resample_chunk(np.zeros(0, np.float32), last=True), -1.0, 1.0)
