"""frequencies: how fast each pair of neighboring channels of a head rotates, in all transformers of Pocket TTS."""

from math import log

import torch
from torch import Tensor

__all__ = ["frequencies"]


def frequencies(head_dim: int, max_period: float) -> Tensor:
    """(head_dim / 2,) float32, radians a row, as apply_rope of pocket-tts 4.0.1 rounds them; kit/nn/attention.py rounds otherwise."""
    return torch.exp(torch.arange(head_dim // 2, dtype=torch.float32) * (-log(max_period) * 2 / head_dim))
