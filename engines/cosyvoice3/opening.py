"""Opens Fun-CosyVoice3: networks that are read, or drawn at the released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, int_option, text_option
from engines.cosyvoice3.config import released_config
from engines.cosyvoice3.engine import CosyVoice3Engine
from engines.cosyvoice3.networks import CosyVoice3Networks, load_networks, read_networks
from engines.cosyvoice3.reference.extraction_files import load_speaker_encoder, load_speech_tokenizer
from engines.cosyvoice3.reference.speech_tokenizer import RELEASED_SPEECH_TOKENIZER
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.speaker.campplus import RELEASED_CAMPPLUS
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights

__all__ = ["draw", "engine", "read"]

N_WORDS = 151_643  # tokens of the released vocabulary below its special ones


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> CosyVoice3Networks:
    """dtype: of the language model, and of what the flow remembers."""
    return read_networks(folder, device, dtype, text_option(settings, "language_model"), text_option(settings, "lora"))


def draw(size: str, device: torch.device, dtype: torch.dtype) -> CosyVoice3Networks:
    """All networks of that size ("0.5B"), as `read_networks` would make them of real weights."""
    weights = RandomWeights(torch.float32)
    learning = (
        load_speech_tokenizer(weights, RELEASED_SPEECH_TOKENIZER, device),
        load_speaker_encoder(weights, RELEASED_CAMPPLUS, device),
    )
    return load_networks(released_config(size), DrawnVocabulary(N_WORDS), [weights] * 3, learning, dtype)


def engine(info: EngineInfo, networks: CosyVoice3Networks, settings: Mapping[str, Value]) -> CosyVoice3Engine:
    """The engine over them."""
    return CosyVoice3Engine(
        info,
        networks,
        pin_prompt=int_option(settings, "pin_prompt"),
        gpu=GpuUse.of(settings),
        width=int_option(settings, "width"),
        flow_rows=int_option(settings, "flow_rows"),
    )
