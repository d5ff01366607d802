"""Opens Pocket TTS: networks that are read, or drawn at a released size for measurements, and the engine over them."""

import math
from collections.abc import Mapping
from dataclasses import replace

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.engine import PocketEngine
from engines.pocket_tts.networks import PocketNetworks, load_networks, read_networks
from engines.pocket_tts.options import SIZES
from engines.pocket_tts.placement import choose_place, suiting_dtype
from engines.pocket_tts.released import released_model
from engines.pocket_tts.weights import PocketFiles

__all__ = ["draw", "engine", "read", "where"]

where = choose_place


def read(files: PocketFiles, device: torch.device, dtype: torch.dtype | None, settings: Mapping[str, Value]) -> PocketNetworks:
    """device: the CPU. dtype: of the language model's layers; None for the one that suits them."""
    config = read_config(files.config) if files.config else released_model(str(settings["variant"])).config
    return read_networks(files, config, dtype or suiting_dtype(config))


def draw(size: str, device: torch.device, dtype: torch.dtype | None) -> PocketNetworks:
    """As `read`, of that size ("100M"); speech is as long as it may be."""
    config = replace(released_model(SIZES[size]).config, default_eos_threshold=math.inf)
    vocabulary = DrawnVocabulary(config.flow_lm.lookup_table.n_bins)
    return load_networks(config, vocabulary, RandomWeights(torch.bfloat16), dtype or suiting_dtype(config))


def engine(info: EngineInfo, networks: PocketNetworks, settings: Mapping[str, Value]) -> PocketEngine:
    return PocketEngine(info, networks, width=settings["width"])
