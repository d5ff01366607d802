"""Networks of the released size whose weights are drawn: for measurements where no weights are."""

import torch

from engines.kit.weights.random_weights import RandomWeights
from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.networks import KokoroNetworks

__all__ = ["SIZES", "random_networks"]

SIZES = ("82M",)


def random_networks(size: str, dtype: torch.dtype) -> KokoroNetworks:
    """size: one of SIZES."""
    return KokoroNetworks.read(KokoroConfig(), RandomWeights(dtype), dtype)
