"""FLAC files of kept sounds as samples, and samples as files. 16 bits, so that nothing is lost on the way."""

import io

import numpy as np
import soundfile

from studio.audio.file_encoder import EncodedFile, FileEncoder
from studio.audio.formats import wav_header

__all__ = ["flac_of", "samples_of", "wav_file", "wav_of"]


def samples_of(flac: bytes) -> tuple[np.ndarray, int]:
    """((T,) int16, Hz)."""
    return soundfile.read(io.BytesIO(flac), dtype="int16")


def flac_of(samples: np.ndarray, sample_rate: int) -> EncodedFile:
    """Of (T,) int16. The caller's to close."""
    encoder = FileEncoder("flac", sample_rate)
    try:
        encoder.push(samples.astype(np.float32) / 32768)
        return encoder.finish()
    finally:
        encoder.close()


def wav_file(samples: np.ndarray, sample_rate: int) -> bytes:
    """Of (T,) int16."""
    return b"".join((wav_header(sample_rate, samples.nbytes), samples.astype("<i2").tobytes()))


def wav_of(flac: bytes) -> bytes:
    """The same samples in a file that the page's player reads without a decoder."""
    return wav_file(*samples_of(flac))
