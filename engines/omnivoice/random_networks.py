"""Networks of the released size with random weights, for measurements. See engines/kit/weights/random_weights.py."""

import torch

from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.omnivoice.codec.codec_config import RELEASED_CODEC
from engines.omnivoice.networks import OmniVoiceNetworks, load_networks
from engines.omnivoice.released_config import released_config

__all__ = ["random_networks"]

N_WORDS = 151_643  # tokens of the released vocabulary below its control tokens


def random_networks(size: str, device: torch.device, dtype: torch.dtype) -> OmniVoiceNetworks:
    """All networks of that size ("0.6B"), as `read_networks` would make them of real weights, which are float32."""
    weights = RandomWeights(torch.float32), RandomWeights(torch.float32)
    return load_networks((released_config(size), RELEASED_CODEC), DrawnVocabulary(N_WORDS), weights, device, dtype)
