"""Qwen3Config: the values of a Qwen3-TTS checkpoint's configuration files, checked and frozen. Field names are the files' own words."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Literal

from engines.errors import CheckpointInvalid
from engines.kit.codec.ecapa_tdnn_config import EcapaTdnnConfig
from engines.kit.codec.mimi_config import DOWNSAMPLING, MimiConfig
from engines.kit.nn.decoder_sizes import DecoderSizes
from engines.kit.weights.config_reading import Section, plain_rope, settings_of
from engines.kit.weights.schema import TRANSFORMERS, Every, PositiveFloat, Size, fixed, released, schema, without_effect

__all__ = ["CodecConfig", "CodecDecoderConfig", "GenerationConfig", "Kind", "PredictorConfig", "Qwen3Config", "QwenSpeaker", "TalkerConfig"]

Kind = Literal["base", "custom_voice", "voice_design"]
KINDS: tuple[Kind, ...] = ("base", "custom_voice", "voice_design")
MAIN, CODEC, GENERATION = "config.json", "speech_tokenizer/config.json", "generation_config.json"
DIALECT = "dialect"  # what the names of dialects in codec_language_id have: they are spoken by speakers, and asked for by nobody
SPEAKER_ENCODER = "speaker_encoder."  # what the names of tensors that learn a voice begin with
SAMPLE_RATE = 24_000
MROPE = ("mrope_section", "interleaved", "mrope_interleaved")  # all parts have equal positions, so that the cut between them has no effect
LANGUAGES = {
    "chinese": 2055, "english": 2050, "german": 2053, "italian": 2070, "portuguese": 2071, "spanish": 2054, "japanese": 2058,
    "korean": 2064, "french": 2061, "russian": 2069,
}  # fmt: skip

# Defaults are those of the official configuration classes (qwen-tts 0.1.1), which files may rely on.


@schema
class PredictorConfig(DecoderSizes):
    """The network that completes a frame, codebook by codebook. vocab_size: codes per codebook."""

    vocab_size: Size = 2048
    num_code_groups: Size = 16

    model_type = fixed("qwen3_tts_talker_code_predictor")


@schema
class TalkerConfig(DecoderSizes):
    """The network that speaks, frame by frame. vocab_size: of codebook 0 with its control codes. num_code_groups: codebooks per frame."""

    vocab_size: Size = 3072
    num_code_groups: Size = 16
    text_hidden_size: Size = 2048
    text_vocab_size: Size = 151_936
    codec_eos_token_id: int = released(2150)
    codec_think_id: int = released(2154)
    codec_nothink_id: int = released(2155)
    codec_think_bos_id: int = released(2156)
    codec_think_eos_id: int = released(2157)
    codec_pad_id: int = released(2148)
    codec_bos_id: int = released(2149)
    codec_language_id: Mapping[str, int] = released(LANGUAGES)

    model_type = fixed("qwen3_tts_talker")
    code_predictor_config = without_effect("a section of its own")
    position_id_per_seconds = without_effect("of videos")
    spk_id = spk_is_dialect = without_effect("built-in speakers, read apart")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return plain_rope(section, MROPE)


@dataclass(frozen=True)
class QwenSpeaker:
    """A built-in speaker. row: of the talker's codec embedding. dialect: codec id of what is spoken for Chinese; None: Chinese."""

    name: str
    row: int
    dialect: int | None = None


@schema
class CodecDecoderConfig:
    """The codec's causal decoder. codebook_dim: width out of the quantizers; its tables are half as wide."""

    codebook_size: Size = 2048
    codebook_dim: Size = 512
    hidden_size: Size = released(512, default=1024)
    latent_dim: Size = 1024
    rope_theta: PositiveFloat = 10_000.0
    num_attention_heads: Size = 16
    num_key_value_heads: Size = 16
    head_dim: Size = 64
    sliding_window: Size = 72
    intermediate_size: Size = released(1024, default=3072)
    rms_norm_eps: PositiveFloat = 1e-5
    num_hidden_layers: Size = 8
    num_quantizers: Size = 16
    upsample_rates: tuple[Size, ...] = (8, 5, 4, 3)
    upsampling_ratios: tuple[Size, ...] = (2, 2)
    decoder_dim: Size = 1536

    beside = TRANSFORMERS
    hidden_act = fixed("silu")
    attention_bias = fixed(False)
    layer_types = fixed(None, Every("sliding_attention"))
    num_semantic_quantizers = fixed(1)
    semantic_codebook_size = vector_quantization_hidden_dimension = without_effect("the official code reads codebook_dim and codebook_size")
    max_position_embeddings = without_effect("no table here ends there")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return plain_rope(section)


@schema
class CodecConfig:
    """The speech tokenizer. Rates are samples per frame; encoder_valid_num_quantizers of the encoder's codebooks are used."""

    encoder_config: MimiConfig = MimiConfig()
    decoder_config: CodecDecoderConfig = CodecDecoderConfig()
    encoder_valid_num_quantizers: Size = 16
    input_sample_rate: Size = 24_000
    output_sample_rate: Size = 24_000
    decode_upsample_rate: Size = 1_920
    encode_downsample_rate: Size = 1_920

    beside = TRANSFORMERS
    model_type = fixed("qwen3_tts_tokenizer_12hz")


@schema
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
    max_new_tokens: Size = released(8192, default=2048)

    beside = TRANSFORMERS
    num_beams = fixed(1)
    typical_p = fixed(1.0, None)
    no_repeat_ngram_size = min_length = fixed(0, None)


@dataclass(frozen=True)
class Qwen3Config:
    """The whole checkpoint. Ids are of text tokens; size is the maker's word for it ("0b6", "1b7").

    kind: what its makers trained it for. What it can do is said by its speakers and by its tensors; fine-tunes and merges have both.
    """

    talker: TalkerConfig
    predictor: PredictorConfig
    speaker_encoder: EcapaTdnnConfig
    codec: CodecConfig
    generation: GenerationConfig
    size: str
    im_start_token_id: int
    im_end_token_id: int
    tts_bos_token_id: int
    tts_eos_token_id: int
    tts_pad_token_id: int
    kind: Kind = "base"
    speakers: tuple[QwenSpeaker, ...] = ()

    def learns(self, tensors: Iterable[str]) -> bool:
        """Whether it has what learns a voice. Its file does not say: a fine-tune's is a copy of that of Base.

        tensors: their names, of the main file.
        """
        return self.kind == "base" or any(name.startswith(SPEAKER_ENCODER) for name in tensors)

    @property
    def obeys_instructions(self) -> bool:
        """Whether it was trained with instructions; the small model with built-in speakers was not. Source: generate_custom_voice of
        qwen-tts 0.1.1.
        """
        return self.kind == "voice_design" or (self.kind == "custom_voice" and self.size not in "0b6")

    @classmethod
    def read(cls, folder: Path) -> "Qwen3Config":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        main, codec = Section.read(folder, MAIN), Section.read(folder, CODEC)
        kind = _kind(main)
        generation = Section.read(folder, GENERATION) if (folder / GENERATION).exists() else Section(GENERATION, {})
        talker = main.section("talker_config")
        speaking, model = settings_of(TalkerConfig, talker), settings_of(_ModelConfig, main)
        config = cls(
            talker=speaking,
            predictor=settings_of(PredictorConfig, talker.section("code_predictor_config")),
            speaker_encoder=settings_of(EcapaTdnnConfig, main.section("speaker_encoder_config")),
            codec=settings_of(CodecConfig, codec),
            generation=settings_of(GenerationConfig, generation),
            size=model.tts_model_size,
            im_start_token_id=model.im_start_token_id,
            im_end_token_id=model.im_end_token_id,
            tts_bos_token_id=model.tts_bos_token_id,
            tts_eos_token_id=model.tts_eos_token_id,
            tts_pad_token_id=model.tts_pad_token_id,
            kind=kind,
            speakers=_speakers(talker, speaking),
        )
        _check_fit(config)
        if kind == "base":
            config.check_speaker_encoder()
        return config

    def check_speaker_encoder(self) -> None:
        """Raises CheckpointInvalid where speaker embeddings are not what this talker reads. Of checkpoints that have what makes them."""
        encoder, faults = self.speaker_encoder, []
        if encoder.enc_dim != self.talker.hidden_size:
            faults.append(f"speaker embeddings are {encoder.enc_dim} wide, the talker {self.talker.hidden_size}")
        if not len(encoder.enc_channels) == len(encoder.enc_kernel_sizes) == len(encoder.enc_dilations) > 2:
            faults.append("the lists of the speaker encoder's layers have other lengths than one another")
        if encoder.sample_rate != SAMPLE_RATE:
            faults.append(f"the speaker encoder hears {encoder.sample_rate} Hz of {SAMPLE_RATE}")
        _refuse(faults)


@schema
class _ModelConfig:
    """What stands at the top of config.json."""

    tts_model_size: str = ""
    im_start_token_id: int = 151_644
    im_end_token_id: int = 151_645
    tts_bos_token_id: int = 151_672
    tts_eos_token_id: int = 151_673
    tts_pad_token_id: int = 151_671

    beside = TRANSFORMERS
    model_type = tokenizer_type = tts_model_type = without_effect("checked before")
    speaker_encoder_config = talker_config = without_effect("sections of their own")
    assistant_token_id = without_effect("the tokenizer knows the word")


def _kind(main: Section) -> Kind:
    kind, codec = main.values.get("tts_model_type"), main.values.get("tokenizer_type")
    if main.values.get("model_type") != "qwen3_tts" or kind not in KINDS or codec != "qwen3_tts_tokenizer_12hz":
        what = f"model_type {main.values.get('model_type')!r}, tts_model_type {kind!r}, tokenizer_type {codec!r}"
        hint = "Use one of Base, CustomVoice and VoiceDesign, or what was made of them."
        raise CheckpointInvalid(f"The checkpoint is no Qwen3-TTS 12Hz model: {what}.", hint)
    return kind


def _speakers(section: Section, talker: TalkerConfig) -> tuple[QwenSpeaker, ...]:
    """Of `spk_id` and `spk_is_dialect`, which say nothing where they are absent or null."""
    rows, dialects = (_object(section, key) for key in ("spk_id", "spk_is_dialect"))
    speakers = []
    for name, row in rows.items():
        dialect = dialects.get(name) or False
        if isinstance(row, bool) or not isinstance(row, int) or not 0 <= row < talker.vocab_size:
            section.refuse("spk_id", f"rows of a table of {talker.vocab_size} are expected")
        if dialect is not False and (not isinstance(dialect, str) or dialect not in talker.codec_language_id):
            section.refuse("spk_is_dialect", "false or a name in codec_language_id is expected for each speaker")
        speakers.append(QwenSpeaker(name, row, talker.codec_language_id[dialect] if dialect else None))
    if len({speaker.name.strip().casefold() for speaker in speakers} - {""}) < len(speakers):
        section.refuse("spk_id", "names that differ, also without regard to case, are expected")
    return tuple(speakers)


def _object(section: Section, key: str) -> Mapping:
    return section.section(key).values if section.values.get(key) is not None else {}


def _check_fit(config: Qwen3Config) -> None:
    """What the networks here take for granted of the parts together."""
    talker, codec, mimi, decoder = config.talker, config.codec, config.codec.encoder_config, config.codec.decoder_config
    faults = []
    for name, part in {"talker": talker, "code predictor": config.predictor, "encoder": mimi, "decoder": decoder}.items():
        if part.num_attention_heads % part.num_key_value_heads:
            faults.append(f"the {name} has {part.num_attention_heads} heads over {part.num_key_value_heads} key heads")
    n_codebooks = {talker.num_code_groups, config.predictor.num_code_groups, codec.encoder_valid_num_quantizers, decoder.num_quantizers}
    if len(n_codebooks) > 1 or mimi.num_quantizers < max(n_codebooks):
        faults.append(f"its parts disagree on the number of codebooks: {sorted(n_codebooks)}, {mimi.num_quantizers} in the encoder")
    n_codes = {config.predictor.vocab_size, mimi.codebook_size, decoder.codebook_size}
    if len(n_codes) > 1:
        faults.append(f"its parts disagree on the size of a codebook: {sorted(n_codes)}")
    rates = {codec.input_sample_rate, codec.output_sample_rate}
    frames = {codec.decode_upsample_rate, codec.encode_downsample_rate}
    frames |= {prod(mimi.upsampling_ratios) * DOWNSAMPLING, prod(decoder.upsample_rates) * prod(decoder.upsampling_ratios)}
    if rates != {SAMPLE_RATE} or len(frames) > 1:
        faults.append(f"its sample rates or frame lengths differ: {sorted(rates)} Hz of {SAMPLE_RATE}, {sorted(frames)} samples")
    _refuse(faults)


def _refuse(faults: list[str]) -> None:
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", "Fetch the weights again.")
