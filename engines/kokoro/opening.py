"""Opens Kokoro: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value
from engines.errors import EngineUnavailable
from engines.kit.weights.random_weights import RandomWeights
from engines.kokoro.config import KokoroConfig
from engines.kokoro.engine import KokoroEngine
from engines.kokoro.network.networks import KokoroNetworks
from engines.kokoro.weights.sources import SHA256, open_weights

__all__ = ["draw", "engine", "read", "where"]

DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


def where(device: str | None, dtype: str | None) -> tuple[torch.device, torch.dtype]:
    """The device and dtype of those names; of no name the CPU, and what suits it. Raises EngineUnavailable."""
    if device not in (None, "cpu"):
        detail = "it computes on the CPU, where it is quicker than speech; set KOKORO_DEVICE to cpu"
        raise EngineUnavailable(sentence="device_unusable", detail=detail, name=str(device))
    if dtype is not None and dtype not in DTYPES:
        raise EngineUnavailable(sentence="dtype_unusable", detail=f"it computes in {' or '.join(DTYPES)}", name=dtype)
    return torch.device("cpu"), DTYPES[dtype] if dtype else _suiting_dtype()


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
    """The engine over them."""
    return KokoroEngine(info, *networks)


def _suiting_dtype() -> torch.dtype:
    """bfloat16 is six times as fast with tiles (AMX), twice with AVX512's products, and slower where it is only emulated."""
    has_products = torch.backends.mkldnn.is_available() and torch.cpu._is_avx512_bf16_supported()
    return torch.bfloat16 if has_products or torch.cpu._is_amx_tile_supported() else torch.float32
