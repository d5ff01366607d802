"""Opens VoxCPM2: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, int_option, text_option
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.voxcpm2.config import released_config
from engines.voxcpm2.engine import VoxCpm2Engine
from engines.voxcpm2.networks import VoxCpm2Networks, load_networks, read_networks

__all__ = ["draw", "engine", "read"]

N_WORDS = 70_000  # tokens, about as many as the released vocabulary has


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> VoxCpm2Networks:
    """dtype: of all but the AudioVAE."""
    return read_networks(folder, device, dtype, lora=text_option(settings, "lora"))


def draw(size: str, device: torch.device, dtype: torch.dtype) -> VoxCpm2Networks:
    """All networks of that size ("2B"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.bfloat16), RandomWeights(torch.float32)
    return load_networks(released_config(size), DrawnVocabulary(N_WORDS), weights, device, dtype)


def engine(info: EngineInfo, networks: VoxCpm2Networks, settings: Mapping[str, Value]) -> VoxCpm2Engine:
    """The engine over them."""
    return VoxCpm2Engine(info, networks, gpu=GpuUse.of(settings), width=int_option(settings, "width"))
