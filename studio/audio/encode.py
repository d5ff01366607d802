"""Audio encoder: turns all samples of a sound into the bytes of a file.

For long sounds: file_encoder.py and stream_encoder.py, piece by piece.
"""

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
