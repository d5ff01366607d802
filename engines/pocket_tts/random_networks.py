"""Networks of a released size with random weights, for measurements. See engines/kit/weights/random_weights.py."""

import math
from dataclasses import replace

import torch

from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.pocket_tts.networks import PocketNetworks, load_networks
from engines.pocket_tts.options import SIZES
from engines.pocket_tts.released import released_model

__all__ = ["random_networks"]


def random_networks(size: str, dtype: torch.dtype) -> PocketNetworks:
    """All networks of that size ("100M"), as `read_networks` would make them of real weights; speech is as long as it may be."""
    config = replace(released_model(SIZES[size]).config, default_eos_threshold=math.inf)
    vocabulary = DrawnVocabulary(config.flow_lm.lookup_table.n_bins)
    return load_networks(config, vocabulary, RandomWeights(torch.bfloat16), dtype)
