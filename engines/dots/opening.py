"""Opens dots.tts: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, int_option
from engines.dots.config import released_config
from engines.dots.engine import DotsEngine
from engines.dots.input_sequence import DotsVocabulary
from engines.dots.networks import DotsFiles, DotsNetworks, load_networks, read_networks
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights

__all__ = ["draw", "engine", "read"]

N_WORDS = 150_000  # tokens, about as many as the released vocabulary has


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> DotsNetworks:
    """dtype: of the language model, the semantic encoder and the velocity field."""
    return read_networks(folder, device, dtype)


def draw(size: str, device: torch.device, dtype: torch.dtype) -> DotsNetworks:
    """All networks of that size, as `read_networks` would make them of real weights."""
    config = released_config(size)
    stats = torch.zeros(config.latent_dim), torch.ones(config.latent_dim)
    files = DotsFiles(RandomWeights(torch.bfloat16), RandomWeights(torch.float32), RandomWeights(torch.float32), stats)
    return load_networks(config, DotsVocabulary(DrawnVocabulary(N_WORDS)), files, device, dtype)


def engine(info: EngineInfo, networks: DotsNetworks, settings: Mapping[str, Value]) -> DotsEngine:
    """The engine over them."""
    width, most_steps = int_option(settings, "width"), int_option(settings, "most_steps")
    return DotsEngine(info, networks, gpu=GpuUse.of(settings), width=width, most_steps=most_steps)
