"""Networks of the released size whose weights are drawn, for measurements: see engines/layers/random_weights.py."""

import zlib

import torch

from engines.layers.random_weights import RandomWeights
from engines.voxcpm2.networks import VoxCpm2Networks, load_networks
from engines.voxcpm2.released_config import released_config

__all__ = ["random_networks"]


def random_networks(size: str, device: torch.device, dtype: torch.dtype) -> VoxCpm2Networks:
    """All networks of that size ("2B"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.bfloat16), RandomWeights(torch.float32)
    return load_networks(released_config(size), _WordIds(), weights, device, dtype)


class _WordIds:
    """In place of a vocabulary: a token per word, about as many as the real one makes of plain text."""

    def ids(self, text: str) -> list[int]:
        return [zlib.crc32(word.encode()) % 70_000 for word in text.split()]
