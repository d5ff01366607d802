"""The networks with the weights that packages carry, for what is made from them ahead."""

import torch

from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.sources import open_weights

__all__ = ["packaged_networks"]


def packaged_networks(dtype: torch.dtype) -> KokoroNetworks:
    """Computing in that type. Raises EngineUnavailable where a package is absent."""
    config, checkpoint = open_weights(None)
    with checkpoint:
        return KokoroNetworks.read(config, checkpoint, dtype)
