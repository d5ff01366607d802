"""Audio encoder: all samples of a sound to the bytes of a file. Piece by piece, for what is long: file_encoder.py, stream_encoder.py."""

from contextlib import closing

import numpy as np

from studio.audio.file_encoder import FileEncoder
from studio.audio.formats import Format

__all__ = ["encode"]


def encode(samples: np.ndarray, sample_rate: int, format: Format) -> bytes:
    """A whole file, as FileEncoder makes it. samples: (T,) float32, clipped to [-1, 1]. Raises NoAudio for what is no number."""
    with closing(FileEncoder(format, sample_rate)) as encoder:
        encoder.push(samples)
        with closing(encoder.finish()) as file:
            return file.read()
