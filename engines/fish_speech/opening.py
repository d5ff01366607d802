"""Opens Fish Audio S2 Pro: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, int_option
from engines.fish_speech.codec.codec_config import RELEASED
from engines.fish_speech.config import released_config
from engines.fish_speech.engine import FishSpeechEngine
from engines.fish_speech.networks import FishNetworks, load_networks, read_networks
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights

__all__ = ["draw", "engine", "read"]

N_WORDS = 151_643  # tokens of the released vocabulary below its control tokens


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> FishNetworks:
    """dtype: of all but the codec."""
    return read_networks(folder, device, dtype)


def draw(size: str, device: torch.device, dtype: torch.dtype) -> FishNetworks:
    """All networks of that size ("S2-Pro"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.bfloat16), RandomWeights(torch.float32)
    return load_networks((released_config(size), RELEASED), DrawnVocabulary(N_WORDS), weights, device, dtype)


def engine(info: EngineInfo, networks: FishNetworks, settings: Mapping[str, Value]) -> FishSpeechEngine:
    """The engine over them."""
    codes, width = bool_option(settings, "codes_in_marks"), int_option(settings, "width")
    return FishSpeechEngine(info, networks, codes_in_marks=codes, gpu=GpuUse.of(settings), width=width)
