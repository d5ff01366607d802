"""VoiceStart: a style for the generator at once, by a linear map from what the speaker encoder hears in a clip."""

from functools import cache
from pathlib import Path

import numpy as np
import torch
from safetensors.numpy import load_file
from torch import Tensor

__all__ = ["VoiceStart", "voice_start"]

FILE = Path(__file__).with_name("start.safetensors")
MEAN_EMBEDDING, MEAN_STYLE, MAP = "mean_embedding", "mean_style", "map"


class VoiceStart:
    """A ridge regression over the built-in voices, see engines/kokoro/training/start.py."""

    def __init__(self, file: Path):
        tensors = load_file(file)
        self._mean_embedding, self._mean_style = tensors[MEAN_EMBEDDING].astype(np.float64), tensors[MEAN_STYLE].astype(np.float64)
        self._map = tensors[MAP].astype(np.float64)

    def style(self, embedding: np.ndarray) -> Tensor:
        """(1, S) float32 of (256,) of unit length."""
        return torch.from_numpy((self._mean_style + (embedding - self._mean_embedding) @ self._map).astype(np.float32))[None]


@cache
def voice_start() -> VoiceStart:
    """That of the engine, read once."""
    return VoiceStart(FILE)
