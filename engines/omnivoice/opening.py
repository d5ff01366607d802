"""Opens OmniVoice: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, int_option, text_option
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.omnivoice.codec.codec_config import RELEASED_CODEC
from engines.omnivoice.config import released_config
from engines.omnivoice.engine import OmniVoiceEngine
from engines.omnivoice.networks import OmniVoiceNetworks, load_networks, read_networks

__all__ = ["draw", "engine", "read"]

N_WORDS = 151_643  # tokens of the released vocabulary below its control tokens


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> OmniVoiceNetworks:
    """dtype: of all but the codec."""
    return read_networks(folder, device, dtype, text_option(settings, "lora"))


def draw(size: str, device: torch.device, dtype: torch.dtype) -> OmniVoiceNetworks:
    """All networks of that size ("0.6B"), as `read_networks` would make them of real weights, which are float32."""
    weights = RandomWeights(torch.float32), RandomWeights(torch.float32)
    return load_networks((released_config(size), RELEASED_CODEC), DrawnVocabulary(N_WORDS), weights, device, dtype)


def engine(info: EngineInfo, networks: OmniVoiceNetworks, settings: Mapping[str, Value]) -> OmniVoiceEngine:
    """The engine over them."""
    gpu, loop_graphs, width = GpuUse.of(settings), bool_option(settings, "loop_graphs"), int_option(settings, "width")
    return OmniVoiceEngine(info, networks, gpu=gpu, loop_graphs=loop_graphs, width=width)
