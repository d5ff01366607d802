"""Opens Pocket TTS: networks that are read, or drawn at a released size for measurements, and the engine over them."""

import math
from collections.abc import Mapping
from dataclasses import replace

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, int_option, text_option
from engines.errors import EngineUnavailable
from engines.kit.nn.row_matrix import can_quantize
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.pocket_tts.config import PocketConfig
from engines.pocket_tts.config_file import read_config
from engines.pocket_tts.engine import PocketEngine
from engines.pocket_tts.networks import PocketNetworks, load_networks, read_networks
from engines.pocket_tts.options import SIZES
from engines.pocket_tts.released import released_model
from engines.pocket_tts.weights import PocketFiles

__all__ = ["draw", "engine", "read", "suiting_dtype", "where"]

DTYPES = {"float32": torch.float32, "int8": torch.int8}  # int8: of the flow LM's matrices, one scale per row; all else is float32
LEAST_INT8_WIDTH = 1024  # of the flow LM; narrower ones are bound by their number of operations, not by memory


def where(device: str | None, dtype: str | None) -> tuple[torch.device, torch.dtype | None]:
    """The device and dtype of those names; of no name the CPU, and None: what suits the model. Raises EngineUnavailable."""
    if device not in (None, "cpu"):
        detail = "it computes on the CPU, where it is quicker than speech; set POCKET_TTS_DEVICE to cpu"
        raise EngineUnavailable(sentence="device_unusable", detail=detail, name=str(device))
    if dtype is not None and dtype not in DTYPES:
        raise EngineUnavailable(sentence="dtype_unusable", detail=f"it computes in {' or '.join(DTYPES)}", name=dtype)
    if dtype == "int8" and not can_quantize():
        detail = f"torch has no int8 kernels for this CPU ({torch.backends.quantized.engine}); set POCKET_TTS_DTYPE to float32"
        raise EngineUnavailable(sentence="dtype_unusable", detail=detail, name=dtype)
    return torch.device("cpu"), DTYPES[dtype] if dtype else None


def read(files: PocketFiles, device: torch.device, dtype: torch.dtype | None, settings: Mapping[str, Value]) -> PocketNetworks:
    """device: the CPU. dtype: of the language model's layers; None for the one that suits them."""
    config = read_config(files.config) if files.config else released_model(text_option(settings, "variant")).config
    return read_networks(files, config, dtype or suiting_dtype(config))


def draw(size: str, device: torch.device, dtype: torch.dtype | None) -> PocketNetworks:
    """As `read`, of that size ("100M"); speech is as long as it may be."""
    config = replace(released_model(SIZES[size]).config, default_eos_threshold=math.inf)
    vocabulary = DrawnVocabulary(config.flow_lm.lookup_table.n_bins)
    return load_networks(config, vocabulary, RandomWeights(torch.bfloat16), dtype or suiting_dtype(config))


def engine(info: EngineInfo, networks: PocketNetworks, settings: Mapping[str, Value]) -> PocketEngine:
    """The engine over them."""
    return PocketEngine(info, networks, width=int_option(settings, "width"))


def suiting_dtype(config: PocketConfig) -> torch.dtype:
    """int8 for a model so large that reading its matrices is what takes time, where there are kernels for it; else float32."""
    return torch.int8 if config.flow_lm.transformer.d_model >= LEAST_INT8_WIDTH and can_quantize() else torch.float32
