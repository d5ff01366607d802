"""Audio encoder: samples to whole files. No disk, no model. Pieces of a file that is not over yet: stream_encoder.py."""

import io

import numpy as np
import soundfile
import soxr

from studio.audio.formats import Format, check_finite, file_rate, to_pcm16, wav_header
from studio.audio.stream_encoder import open_stream_encoder

__all__ = ["encode", "resample"]

_BLOCK_FRAMES = 1 << 16


def encode(samples: np.ndarray, sample_rate: int, format: Format) -> bytes:
    """A whole file. samples: (T,) float32, clipped to [-1, 1]; 16 bits where the format counts bits. Raises NoAudio for what is no number.

    opus, mp3 and aac know few rates: others are resampled (opus to 48 kHz, the others to the next higher one).
    """
    pcm = to_pcm16(samples) if format in ("pcm", "wav", "flac") else b""
    if format == "pcm":
        return pcm
    if format == "wav":
        return wav_header(sample_rate, len(pcm)) + pcm
    if format == "flac":
        return _encoded(np.frombuffer(pcm, "<i2"), sample_rate, "FLAC", "PCM_16")
    check_finite(samples)
    rate = file_rate(sample_rate, format)
    samples = resample(samples, sample_rate, rate).clip(-1, 1)
    if format == "mp3":
        return _encoded(samples, rate, "MP3", "MPEG_LAYER_III")
    return _encoded(samples, rate, "OGG", "OPUS") if format == "opus" else _streamed(samples, rate, format)


def resample(samples: np.ndarray, from_hz: int, to_hz: int) -> np.ndarray:
    """(T,) float32 at another rate, (T * to_hz / from_hz,) float32; the same array where the rates are equal."""
    return samples if from_hz == to_hz else soxr.resample(samples, from_hz, to_hz, quality="HQ")


def _encoded(samples: np.ndarray, sample_rate: int, container: str, subtype: str) -> bytes:
    """By libsndfile. samples: (T,) float32 or int16."""
    buffer = io.BytesIO()
    with soundfile.SoundFile(buffer, "w", sample_rate, 1, format=container, subtype=subtype) as file:
        for start in range(0, len(samples), _BLOCK_FRAMES):  # libsndfile's Ogg encoders put a whole write on the stack
            file.write(samples[start : start + _BLOCK_FRAMES])
    return buffer.getvalue()


def _streamed(samples: np.ndarray, sample_rate: int, format: Format) -> bytes:
    """By FFmpeg, for what libsndfile does not write."""
    encoder = open_stream_encoder(format, sample_rate, exact=True)
    try:
        return encoder.push(samples) + encoder.finish()
    finally:
        encoder.close()
