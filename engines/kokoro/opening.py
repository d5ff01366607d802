"""Opens Kokoro: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value
from engines.kit.weights.random_weights import RandomWeights
from engines.kokoro.config import KokoroConfig
from engines.kokoro.engine import KokoroEngine
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.placement import choose_place
from engines.kokoro.weights.sources import SHA256, open_weights

__all__ = ["draw", "engine", "read", "where"]

where = choose_place


def read(folder: Path | None, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> tuple[KokoroNetworks, str]:
    """The networks, and what their weights are known by: of the packages, which were compared already, the file's SHA-256."""
    config, checkpoint = open_weights(folder)
    with checkpoint:
        config.check_speaks()
        fingerprint = SHA256 if folder is None else checkpoint.digest(checkpoint.names)
        return KokoroNetworks.read(config, checkpoint, dtype), fingerprint


def draw(size: str, device: torch.device, dtype: torch.dtype) -> tuple[KokoroNetworks, str]:
    """As `read`, of the released size ("82M")."""
    return KokoroNetworks.read(KokoroConfig(), RandomWeights(dtype), dtype), f"random:{size}"


def engine(info: EngineInfo, networks: tuple[KokoroNetworks, str], settings: Mapping[str, Value]) -> KokoroEngine:
    return KokoroEngine(info, *networks)
