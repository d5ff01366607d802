"""Audio formats: names, media types and sample rates. Also the formats without an encoder: 16-bit samples and the WAV header."""

from typing import Literal

import numpy as np

from studio.errors import NoAudio

__all__ = ["MEDIA_TYPES", "Format", "check_finite", "file_rate", "streaming_wav_header", "to_pcm16", "wav_header"]

Format = Literal["wav", "pcm", "flac", "mp3", "opus", "aac"]
MEDIA_TYPES: dict[Format, str] = {
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "flac": "audio/flac",
    "mp3": "audio/mpeg",
    "opus": "audio/ogg",
    "aac": "audio/aac",
}
_RATES_HZ: dict[Format, tuple[int, ...]] = {
    "opus": (8_000, 12_000, 16_000, 24_000, 48_000),  # RFC 6716, section 2
    "mp3": (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000),
    "aac": (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 64_000, 88_200, 96_000),
}
_RIFF_UNKNOWN_SIZE = 0xFFFFFFFF


def file_rate(sample_rate: int, format: Format) -> int:
    """Hz at which a file holds sound of sample_rate: the same where the format knows it, else 48 kHz (opus) or the next higher."""
    rates = _RATES_HZ.get(format, (sample_rate,))
    if sample_rate in rates or format == "opus":
        return sample_rate if sample_rate in rates else rates[-1]
    return next((rate for rate in rates if rate > sample_rate), rates[-1])


def check_finite(samples: np.ndarray) -> None:
    """Raises NoAudio for what is no number."""
    if not np.isfinite(samples).all():
        raise NoAudio(detail="its samples are not numbers", sentence="sound_not_finite")


def to_pcm16(samples: np.ndarray) -> bytes:
    """(T,) float32 to 16-bit little endian: times 32768, rounded to nearest, clipped. A 16-bit recording comes back bit for bit.

    Raises NoAudio for what is no number.
    """
    check_finite(samples)
    return np.clip(np.rint(samples * np.float32(32768)), -32768, 32767).astype("<i2").tobytes()


def wav_header(sample_rate: int, n_data_bytes: int) -> bytes:
    """44 bytes before n_data_bytes of 16-bit mono samples."""
    return _wav_header(sample_rate, 36 + n_data_bytes, n_data_bytes)


def streaming_wav_header(sample_rate: int) -> bytes:
    """44 bytes before 16-bit mono samples whose number is not known yet."""
    return _wav_header(sample_rate, _RIFF_UNKNOWN_SIZE, _RIFF_UNKNOWN_SIZE)


def _wav_header(sample_rate: int, riff_bytes: int, data_bytes: int) -> bytes:
    """RIFF/WAVE, PCM, mono, 16 bits."""
    fields = [(b"RIFF", None), (riff_bytes, 4), (b"WAVEfmt ", None), (16, 4), (1, 2), (1, 2), (sample_rate, 4), (2 * sample_rate, 4)]
    fields += [(2, 2), (16, 2), (b"data", None), (data_bytes, 4)]
    return b"".join(value if size is None else value.to_bytes(size, "little") for value, size in fields)
