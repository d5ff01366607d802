"""Opens Qwen3-TTS: networks that are read, or drawn at a released size for measurements, and the engine over them."""

from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value, bool_option, float_option, int_option
from engines.kit.codec.ecapa_tdnn_config import EcapaTdnnConfig
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.weights.drawn_vocabulary import DrawnVocabulary
from engines.kit.weights.random_weights import RandomWeights
from engines.kit.weights.schema import released_of
from engines.qwen3_tts.config import (
    LANGUAGES,
    CodecConfig,
    GenerationConfig,
    Kind,
    PredictorConfig,
    Qwen3Config,
    QwenSpeaker,
    TalkerConfig,
)
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.networks import Networks, load_networks, read_networks

__all__ = ["draw", "engine", "read", "released_config"]

ATTENTION = {"num_attention_heads": 16, "num_key_value_heads": 8, "rope_theta": 1_000_000.0}
DIALECTS = {"beijing_dialect": 2074, "sichuan_dialect": 2062}  # of CustomVoice alone
SPEAKERS = (
    QwenSpeaker("serena", 3066), QwenSpeaker("vivian", 3065), QwenSpeaker("uncle_fu", 3010), QwenSpeaker("ryan", 3061),
    QwenSpeaker("aiden", 2861), QwenSpeaker("ono_anna", 2873), QwenSpeaker("sohee", 2864),
    QwenSpeaker("eric", 2875, DIALECTS["sichuan_dialect"]), QwenSpeaker("dylan", 2878, DIALECTS["beijing_dialect"]),
)  # fmt: skip


def released_config(size: str, kind: Kind = "base") -> Qwen3Config:
    """What the released files of the model of that kind and size say, "0.6B" or "1.7B"; tests/released compares those of Base."""
    width, word = {"0.6B": (1024, "0b6"), "1.7B": (2048, "1b7")}[size]
    return Qwen3Config(
        talker=released_of(
            TalkerConfig,
            hidden_size=width,
            intermediate_size=3 * width,
            num_hidden_layers=28,
            codec_language_id=LANGUAGES | DIALECTS if kind == "custom_voice" else LANGUAGES,
            **ATTENTION,
        ),
        predictor=PredictorConfig(1024, 3072, 5, **ATTENTION),
        speaker_encoder=EcapaTdnnConfig(enc_dim=width) if kind == "base" else EcapaTdnnConfig(),
        codec=released_of(CodecConfig),
        generation=released_of(GenerationConfig),
        size=word,
        im_start_token_id=151_644,
        im_end_token_id=151_645,
        tts_bos_token_id=151_672,
        tts_eos_token_id=151_673,
        tts_pad_token_id=151_671,
        kind=kind,
        speakers=SPEAKERS if kind == "custom_voice" else (),
    )


def read(folder: Path, device: torch.device, dtype: torch.dtype, settings: Mapping[str, Value]) -> Networks:
    """dtype: of talker and predictor."""
    return read_networks(folder, device, dtype)


def draw(size: str, device: torch.device, dtype: torch.dtype, kind: Kind = "base") -> Networks:
    """All networks of that size, as `read_networks` would make them of real weights."""
    config = released_config(size, kind)
    return load_networks(config, _WordTokenizer(), (RandomWeights(torch.bfloat16), RandomWeights(torch.float32)), device, dtype)


def engine(info: EngineInfo, networks: Networks, settings: Mapping[str, Value]) -> Qwen3TtsEngine:
    """The engine over them."""
    return Qwen3TtsEngine(
        info,
        networks,
        trailing_silence_seconds=float_option(settings, "trailing_silence_seconds"),
        compiled=bool_option(settings, "compile"),
        gpu=GpuUse.of(settings),
        width=int_option(settings, "width"),
    )


class _WordTokenizer:
    """The turns of QwenTokenizer in the words of a drawn vocabulary."""

    def __init__(self):
        self.body = self.piece = DrawnVocabulary(150_000).ids

    def instruction(self, text: str, im_start: int, im_end: int) -> list[int]:
        return [im_start, *self.body(f"user {text}"), im_end] if text else []

    def header(self, im_start: int) -> list[int]:
        return [im_start, *self.body("assistant \\n")]
