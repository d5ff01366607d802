"""Opens Qwen3-TTS: networks that are read, or drawn at a released size for measurements, and the engine over them."""

import zlib
from collections.abc import Mapping
from pathlib import Path

import torch

from engines.contract.contract import EngineInfo
from engines.contract.options import Value
from engines.kit.codec.ecapa_tdnn_config import EcapaTdnnConfig
from engines.kit.codec.mimi_config import MimiConfig
from engines.kit.weights.random_weights import RandomWeights
from engines.qwen3_tts.config import (
    CodecConfig,
    CodecDecoderConfig,
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
CONTROL_CODES = {
    "codec_pad_id": 2148, "codec_bos_id": 2149, "codec_eos_token_id": 2150, "codec_think_id": 2154, "codec_nothink_id": 2155,
    "codec_think_bos_id": 2156, "codec_think_eos_id": 2157,
}  # fmt: skip
LANGUAGES = {
    "chinese": 2055, "english": 2050, "german": 2053, "italian": 2070, "portuguese": 2071, "spanish": 2054, "japanese": 2058,
    "korean": 2064, "french": 2061, "russian": 2069,
}  # fmt: skip

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
        talker=TalkerConfig(
            width,
            3 * width,
            28,
            **ATTENTION,
            **CONTROL_CODES,
            codec_language_id=LANGUAGES | DIALECTS if kind == "custom_voice" else LANGUAGES,
        ),
        predictor=PredictorConfig(1024, 3072, 5, **ATTENTION),
        speaker_encoder=EcapaTdnnConfig(enc_dim=width) if kind == "base" else EcapaTdnnConfig(),
        codec=CodecConfig(MimiConfig(), CodecDecoderConfig(hidden_size=512, intermediate_size=1024)),
        generation=GenerationConfig(max_new_tokens=8192),
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
    own = {"compiled" if name == "compile" else name: value for name, value in settings.items()}
    return Qwen3TtsEngine(info, networks, **own)


class _WordTokenizer:
    """In place of a vocabulary: a token per word, about as many as the real one makes of plain text."""

    def instruction(self, text: str, im_start: int, im_end: int) -> list[int]:
        return [im_start, *self.body(f"user {text}"), im_end] if text else []

    def body(self, text: str) -> list[int]:
        return [zlib.crc32(word.encode()) % 150_000 for word in text.split()]

    def header(self, im_start: int) -> list[int]:
        return [im_start, *self.body("assistant \\n")]
