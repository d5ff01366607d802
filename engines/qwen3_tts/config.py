"""Qwen3Config: what the configuration files of a Qwen3-TTS checkpoint say, checked and frozen. Field names are the files' own words."""

import json
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from engines.errors import CheckpointInvalid
from engines.layers.ecapa_tdnn_config import EcapaTdnnConfig
from engines.layers.mimi_config import MimiConfig

__all__ = ["CodecConfig", "CodecDecoderConfig", "GenerationConfig", "PredictorConfig", "Qwen3Config", "TalkerConfig"]

MAIN, CODEC, GENERATION = "config.json", "speech_tokenizer/config.json", "generation_config.json"
T = TypeVar("T")

# Defaults are those of the official configuration classes (qwen-tts 0.1.1), which files may rely on.


@dataclass(frozen=True)
class _AttentionConfig:
    """The transformer that talker and code predictor have in common: Qwen3 without biases."""

    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int = 128
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10_000.0
    hidden_act: str = "silu"
    attention_bias: bool = False
    use_sliding_window: bool = False


@dataclass(frozen=True)
class PredictorConfig(_AttentionConfig):
    """The network that completes a frame, codebook by codebook. vocab_size: codes per codebook."""

    vocab_size: int = 2048
    num_code_groups: int = 16


@dataclass(frozen=True)
class TalkerConfig(_AttentionConfig):
    """The network that speaks, frame by frame. vocab_size: of codebook 0 with its control codes. num_code_groups: codebooks per frame."""

    vocab_size: int = 3072
    num_code_groups: int = 16
    text_hidden_size: int = 2048
    text_vocab_size: int = 151_936
    codec_eos_token_id: int = field(kw_only=True)
    codec_think_id: int = field(kw_only=True)
    codec_nothink_id: int = field(kw_only=True)
    codec_think_bos_id: int = field(kw_only=True)
    codec_think_eos_id: int = field(kw_only=True)
    codec_pad_id: int = field(kw_only=True)
    codec_bos_id: int = field(kw_only=True)
    codec_language_id: Mapping[str, int] = field(kw_only=True)


@dataclass(frozen=True)
class CodecDecoderConfig:
    """The codec's causal decoder. codebook_dim: width out of the quantizers; its tables are half as wide."""

    codebook_size: int = 2048
    codebook_dim: int = 512
    hidden_size: int = 1024
    latent_dim: int = 1024
    rope_theta: float = 10_000.0
    num_attention_heads: int = 16
    num_key_value_heads: int = 16
    head_dim: int = 64
    sliding_window: int = 72
    intermediate_size: int = 3072
    rms_norm_eps: float = 1e-5
    num_hidden_layers: int = 8
    num_quantizers: int = 16
    num_semantic_quantizers: int = 1
    upsample_rates: tuple[int, ...] = (8, 5, 4, 3)
    upsampling_ratios: tuple[int, ...] = (2, 2)
    decoder_dim: int = 1536
    hidden_act: str = "silu"
    attention_bias: bool = False


@dataclass(frozen=True)
class CodecConfig:
    """The speech tokenizer. Rates are samples per frame; encoder_valid_num_quantizers of the encoder's codebooks are used."""

    encoder_config: MimiConfig
    decoder_config: CodecDecoderConfig
    encoder_valid_num_quantizers: int = 16
    input_sample_rate: int = 24_000
    output_sample_rate: int = 24_000
    decode_upsample_rate: int = 1_920
    encode_downsample_rate: int = 1_920


@dataclass(frozen=True)
class GenerationConfig:
    """What the checkpoint's makers recommend for sampling; the class's own values where the file says nothing."""

    do_sample: bool = True
    temperature: float = 0.9
    top_k: int = 50
    top_p: float = 1.0
    repetition_penalty: float = 1.05
    subtalker_dosample: bool = True
    subtalker_temperature: float = 0.9
    subtalker_top_k: int = 50
    subtalker_top_p: float = 1.0
    max_new_tokens: int = 2048


@dataclass(frozen=True)
class Qwen3Config:
    """The whole checkpoint. Ids are of text tokens; size is the maker's word for it ("0b6", "1b7")."""

    talker: TalkerConfig
    predictor: PredictorConfig
    speaker_encoder: EcapaTdnnConfig
    codec: CodecConfig
    generation: GenerationConfig
    size: str
    im_start_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int
    tts_pad_token_id: int

    @classmethod
    def read(cls, folder: Path) -> "Qwen3Config":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main, codec = _json(folder / MAIN), _json(folder / CODEC)
        _check_kind(main)
        talker = main.get("talker_config", {})
        generation = _json(folder / GENERATION) if (folder / GENERATION).is_file() else {}
        config = cls(
            talker=_made(TalkerConfig, talker, "talker_config"),
            predictor=_made(PredictorConfig, talker.get("code_predictor_config", {}), "code_predictor_config"),
            speaker_encoder=_made(EcapaTdnnConfig, main.get("speaker_encoder_config", {}), "speaker_encoder_config"),
            codec=_codec(codec),
            generation=_made(GenerationConfig, generation, GENERATION),
            size=str(main.get("tts_model_size") or ""),
            im_start_token_id=int(main.get("im_start_token_id", 151_644)),
            tts_bos_token_id=int(main.get("tts_bos_token_id", 151_672)),
            tts_eos_token_id=int(main.get("tts_eos_token_id", 151_673)),
            tts_pad_token_id=int(main.get("tts_pad_token_id", 151_671)),
        )
        _check_fit(config)
        return config


def _json(file: Path) -> dict:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CheckpointInvalid(f"{file.name} of the checkpoint cannot be read: {error}.", "Fetch the weights again.") from error
    if not isinstance(content, dict):
        raise CheckpointInvalid(f"{file.name} of the checkpoint holds no object.", "Fetch the weights again.")
    return content


def _codec(content: Mapping) -> CodecConfig:
    parts = {
        "encoder_config": _made(MimiConfig, content.get("encoder_config", {}), "encoder_config"),
        "decoder_config": _made(CodecDecoderConfig, content.get("decoder_config", {}), "decoder_config"),
    }
    return _made(CodecConfig, dict(content) | parts, CODEC)


def _made(kind: type[T], content: Mapping, where: str) -> T:
    """The dataclass from the keys that it knows; a null is an absent key. Keys that no network here reads are left alone."""
    values = {name.name: content[name.name] for name in fields(kind) if content.get(name.name) is not None}
    missing = [f.name for f in fields(kind) if f.name not in values and f.default is MISSING and f.default_factory is MISSING]
    if missing:
        raise CheckpointInvalid(f"{where} of the checkpoint lacks {', '.join(missing)}.", "Fetch the weights again.")
    return kind(**{name: _frozen(value) for name, value in values.items()})


def _frozen(value: object) -> object:
    if isinstance(value, list):
        return tuple(value)
    return MappingProxyType(dict(value)) if isinstance(value, dict) else value


def _check_kind(main: Mapping) -> None:
    kind, codec = main.get("tts_model_type"), main.get("tokenizer_type")
    if main.get("model_type") != "qwen3_tts" or kind != "base" or codec != "qwen3_tts_tokenizer_12hz":
        what = f"model_type {main.get('model_type')!r}, tts_model_type {kind!r}, tokenizer_type {codec!r}"
        raise CheckpointInvalid(f"The checkpoint is no Qwen3-TTS 12Hz Base model: {what}.", "Only Base models clone voices.")


def _check_fit(config: Qwen3Config) -> None:
    """What the networks here take for granted."""
    faults = []
    for name, part in (("talker", config.talker), ("code predictor", config.predictor)):
        if part.hidden_act != "silu" or part.attention_bias or part.use_sliding_window:
            faults.append(f"the {name} has biases, a sliding window or the activation {part.hidden_act}")
        if part.num_attention_heads % part.num_key_value_heads:
            faults.append(f"the {name} has {part.num_attention_heads} heads over {part.num_key_value_heads} key heads")
    n_codebooks = {config.talker.num_code_groups, config.predictor.num_code_groups}
    n_codebooks |= {config.codec.encoder_valid_num_quantizers, config.codec.decoder_config.num_quantizers}
    if len(n_codebooks) > 1:
        faults.append(f"its parts disagree on the number of codebooks: {sorted(n_codebooks)}")
    if config.speaker_encoder.enc_dim != config.talker.hidden_size:
        faults.append(f"speaker embeddings are {config.speaker_encoder.enc_dim} wide, the talker {config.talker.hidden_size}")
    rates = {config.codec.input_sample_rate, config.codec.output_sample_rate, config.speaker_encoder.sample_rate}
    if len(rates) > 1 or config.codec.decode_upsample_rate != config.codec.encode_downsample_rate:
        faults.append(f"its sample rates or frame lengths differ: {sorted(rates)} Hz")
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")
