"""Resampling of an answer to the rate that the client asked for, chunk by chunk."""

import numpy as np
import soxr

__all__ = ["SAMPLE_RATES", "Resampler"]

SAMPLE_RATES = (8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000)  # Hz


class Resampler:
    """Chunks (T,) float32 in, chunks (T',) out, T' sometimes 0; `finish` gives the rest. Equal rates pass through untouched."""

    def __init__(self, from_hz: int, to_hz: int):
        self._stream = soxr.ResampleStream(from_hz, to_hz, 1, dtype="float32") if from_hz != to_hz else None

    def push(self, chunk: np.ndarray) -> np.ndarray:
        return chunk if self._stream is None else self._stream.resample_chunk(chunk)

    def finish(self) -> np.ndarray:
        empty = np.zeros(0, np.float32)
        return empty if self._stream is None else self._stream.resample_chunk(empty, last=True)
