"""Opens Voxtral 4B TTS: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, int_option
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.voxtral.config import released_config
from engines.voxtral.engine import VoxtralEngine
from engines.voxtral.networks import VoxtralNetworks, load_networks, read_networks
from engines.voxtral.options import PRESETS

__all__ = ["draw", "engine", "read"]

N_WORDS = 130_072  # tokens of the released vocabulary that the model knows
VOICE_ROWS = 147  # of casual_male, the middle of those released, 67 to 218


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> VoxtralNetworks:
    """dtype: of all but the codec."""
    return read_networks(folder, device, dtype)


def draw(size: str, device: torch.device, dtype: torch.dtype) -> VoxtralNetworks:
    """All networks of that size ("4B"), as `read_networks` would make them of real weights, with drawn voices."""
    config = released_config(size)
    networks = load_networks(config, _DrawnTekken(N_WORDS), RandomWeights(torch.bfloat16), device, dtype)
    generator = torch.Generator().manual_seed(0)
    return networks.with_voices({name: torch.randn(VOICE_ROWS, config.dim, generator=generator).bfloat16() for name in PRESETS})


def engine(info: EngineInfo, networks: VoxtralNetworks, settings: Mapping[str, Value]) -> VoxtralEngine:
    """The engine over them."""
    return VoxtralEngine(info, networks, gpu=GpuUse.of(settings), width=int_option(settings, "width"))


class _DrawnTekken(DrawnVocabulary):
    """With control tokens behind the words, as many as a prompt has."""

    bos, begin_audio, text_to_audio, audio_to_text = range(N_WORDS, N_WORDS + 4)
