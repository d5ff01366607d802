"""The networks with the weights that packages carry, for what is made from them ahead."""

import torch

from engines.kokoro.config import KokoroConfig
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.quantized_onnx import QuantizedOnnx
from engines.kokoro.weights.sources import packaged_model

__all__ = ["packaged_networks"]


def packaged_networks(dtype: torch.dtype) -> KokoroNetworks:
    """Computing in that type. Raises EngineUnavailable where a package is absent."""
    checkpoint = QuantizedOnnx(packaged_model())
    return KokoroNetworks.of(KokoroConfig(), {name: checkpoint.tensor(name) for name in checkpoint.names}, dtype)
