"""Networks of the released size with random weights, for measurements. See engines/kit/weights/random_weights.py."""

import torch

from engines.fish_speech.codec.codec_config import RELEASED
from engines.fish_speech.networks import FishNetworks, load_networks
from engines.fish_speech.released_config import released_config
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights

__all__ = ["random_networks"]

N_WORDS = 151_643  # tokens of the released vocabulary below its control tokens


def random_networks(size: str, device: torch.device, dtype: torch.dtype) -> FishNetworks:
    """All networks of that size ("S2-Pro"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.bfloat16), RandomWeights(torch.float32)
    return load_networks((released_config(size), RELEASED), DrawnVocabulary(N_WORDS), weights, device, dtype)
