"""Networks of the released size with random weights, for measurements. See engines/kit/weights/random_weights.py."""

import torch

from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.voxcpm2.networks import VoxCpm2Networks, load_networks
from engines.voxcpm2.released_config import released_config

__all__ = ["random_networks"]

N_WORDS = 70_000  # tokens, about as many as the released vocabulary has


def random_networks(size: str, device: torch.device, dtype: torch.dtype) -> VoxCpm2Networks:
    """All networks of that size ("2B"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.bfloat16), RandomWeights(torch.float32)
    return load_networks(released_config(size), DrawnVocabulary(N_WORDS), weights, device, dtype)
