"""CosyVoice3Config: the configuration of a Fun-CosyVoice3 checkpoint, checked and frozen. No torch here."""

from collections.abc import Mapping
from pathlib import Path

from engines.cosyvoice3.config_file import (
    AGAIN,
    HOP_SAMPLES,
    N_MELS,
    SAMPLE_RATE,
    TOKENS_PER_SECOND,
    DecoderKeys,
    EstimatorKeys,
    FlowKeys,
    GuidanceKeys,
    LanguageKeys,
    LookaheadKeys,
    MelKeys,
    PitchKeys,
    SpectrumKeys,
    TokenizerKeys,
    made_by,
    read_file,
)
from engines.errors import CheckpointInvalid
from engines.kit.nn.decoder_sizes import DecoderSizes
from engines.kit.weights.config_reading import Section, plain_rope, settings_of
from engines.kit.weights.schema import PositiveFloat, Size, fixed, released, released_of, rules_of, schema, without_effect

__all__ = [
    "SIZES", "TEXT_FOLDER", "CosyVoice3Config", "FlowConfig", "LanguageConfig", "SamplingConfig", "VocoderConfig", "released_config",
]  # fmt: skip

SIZES = ("0.5B",)

TEXT_FOLDER = (
    "CosyVoice-BlankEN"  # of the checkpoint's: the Qwen2 that the language model grew from, of which sizes and vocabulary are read
)
PITCH_LOOK_RIGHT = 3  # frames (cosyvoice/hifigan/f0_predictor.py @ ace7c47, CausalConvRNNF0Predictor: a kernel of 4, causal to the right)
CONV_GROUPS = 16  # of the convolutions that tell positions (cosyvoice/flow/DiT/modules.py @ ace7c47, CausalConvPositionEmbedding)
CONTROL_ROWS = 200  # of CosyVoice3LM (cosyvoice/llm/llm.py @ ace7c47): its tables have speech_token_size + 200 rows


@schema
class LanguageConfig:
    """The Qwen2 decoder that says speech tokens. Field names are those of CosyVoice-BlankEN/config.json, but for the speech tables.

    speech_token_size: codes of the speech tokenizer; the tables of speech go beyond them by CONTROL_ROWS, of which the first are the
    beginning of a sequence and the turn to speech, and all of which end speech where they are drawn.
    """

    hidden_size: Size = released(896)
    intermediate_size: Size = released(4864)
    num_hidden_layers: Size = released(24)
    num_attention_heads: Size = released(14)
    num_key_value_heads: Size = released(2)
    vocab_size: Size = released(151_936)
    rope_theta: PositiveFloat = released(1_000_000.0)
    rms_norm_eps: PositiveFloat = released(1e-6)
    speech_token_size: Size = released(6561)

    beside = rules_of(DecoderSizes)
    model_type = fixed("qwen2")
    tie_word_embeddings = fixed(True, False)  # whether the table of text gives logits too changes nothing: nobody asks for those

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def n_speech_rows(self) -> int:
        """Of the table of speech, and of the head."""
        return self.speech_token_size + CONTROL_ROWS


@schema
class SamplingConfig:
    """Repetition-aware sampling (VALL-E 2, arXiv 2406.05370): top_p and top_k of the first draw, whose code is drawn again from all others
    where it is among the last win_size at least win_size * tau_r times.
    """

    top_p: PositiveFloat = released(0.8)
    top_k: Size = released(25)
    win_size: Size = released(10)
    tau_r: PositiveFloat = released(0.1)


@schema
class FlowConfig:
    """Speech tokens to mel frames, by a diffusion transformer of `dim` channels, `depth` layers and `heads` heads of dim_head.

    vocab_size: codes of speech tokens. mel_dim: channels of a mel frame, and width of a token's row. spk_embed_dim: of a speaker's
    embedding. token_mel_ratio: mel frames per token. pre_lookahead_len: tokens after a token that its row depends on;
    lookahead_channels: of the convolution that sees them. chunk_tokens: tokens of a chunk, whose frames see one another and all before.
    guidance: classifier-free, the weight w of (1 + w) conditioned - w unconditioned.
    """

    vocab_size: Size = released(6561)
    mel_dim: Size = released(80)
    spk_embed_dim: Size = released(192)
    token_mel_ratio: Size = released(2)
    pre_lookahead_len: Size = released(3)
    lookahead_channels: Size = released(1024)
    dim: Size = released(1024)
    depth: Size = released(22)
    heads: Size = released(16)
    dim_head: Size = released(64)
    ff_mult: Size = released(2)
    chunk_tokens: Size = released(25)
    guidance: PositiveFloat = released(0.7)

    @property
    def chunk_frames(self) -> int:
        return self.chunk_tokens * self.token_mel_ratio


@schema
class VocoderConfig:
    """Mel frames to sound: HiFT, a neural source filter with an inverse STFT (cosyvoice/hifigan/generator.py, CausalHiFTGenerator).

    in_channels: of a mel frame. base_channels: after the first convolution, halved by every stage. nb_harmonics: above the fundamental.
    nsf_alpha: amplitude of the sines; nsf_sigma: of the noise beside them; nsf_voiced_threshold: Hz above which a frame is voiced.
    f0_channels: of the predictor of the fundamental frequency.
    """

    in_channels: Size = released(80)
    base_channels: Size = released(512)
    nb_harmonics: Size = released(8)
    sampling_rate: Size = released(24_000)
    nsf_alpha: PositiveFloat = released(0.1)
    nsf_sigma: PositiveFloat = released(0.003)
    nsf_voiced_threshold: PositiveFloat = released(10.0)
    upsample_rates: tuple[Size, ...] = released((8, 5, 3))
    upsample_kernel_sizes: tuple[Size, ...] = released((16, 11, 7))
    n_fft: Size = released(16)
    hop_len: Size = released(4)
    resblock_kernel_sizes: tuple[Size, ...] = released((3, 7, 11))
    resblock_dilation_sizes: tuple[tuple[Size, ...], ...] = released(((1, 3, 5),) * 3)
    source_resblock_kernel_sizes: tuple[Size, ...] = released((7, 7, 11))
    source_resblock_dilation_sizes: tuple[tuple[Size, ...], ...] = released(((1, 3, 5),) * 3)
    lrelu_slope: PositiveFloat = released(0.1)
    audio_limit: PositiveFloat = released(0.99)
    conv_pre_look_right: Size = released(4)
    f0_channels: Size = released(512)

    istft_params = f0_predictor = without_effect("read as sections of their own")

    @property
    def frame_samples(self) -> int:
        """Samples per mel frame."""
        samples = self.hop_len
        for rate in self.upsample_rates:
            samples *= rate
        return samples


@schema
class CosyVoice3Config:
    """The whole checkpoint but its two ONNX files, which say themselves what they are."""

    language: LanguageConfig
    sampling: SamplingConfig
    flow: FlowConfig
    vocoder: VocoderConfig

    # Of cosyvoice3.yaml, which names classes and functions; arguments are those of the official package (CosyVoice @ ace7c47). What other
    # keys refer to is read where they stand.
    sample_rate, token_frame_rate = fixed(SAMPLE_RATE), fixed(TOKENS_PER_SECOND)
    llm = hift = feat_extractor = get_tokenizer = without_effect("read as sections of their own")
    llm_input_size = llm_output_size = spk_embed_dim = token_mel_ratio = chunk_size = without_effect("referred to")
    num_decoding_left_chunks = qwen_pretrain_path = without_effect("referred to")
    seeds = without_effect(
        "seeds of what is drawn when the official package begins; here noise is a function of a speech's seed and of its place",
        "__set_seed1 __set_seed2 __set_seed3 __set_seed4",
    )
    allowed_special = without_effect("the tokenizer takes no notice of it")
    mel_spec_transform1 = hifigan = data_pipeline_gan = train_conf_gan = without_effect("of training the vocoder")
    recordings = without_effect(
        "of training: how recordings are read, cut, sorted and put together",
        "parquet_opener tokenize filter resample truncate compute_fbank compute_f0 parse_embedding shuffle sort batch padding"
        " data_pipeline",
    )
    train_conf = without_effect("of training")

    @classmethod
    def read(cls, folder: Path) -> "CosyVoice3Config":
        """The configuration of a checkpoint folder. Raises CheckpointInvalid for files, keys or kinds of model that do not fit."""
        file = read_file(folder)
        parts = {"language": _language(file, folder), "sampling": _sampling(file), "flow": _flow(file), "vocoder": _vocoder(file)}
        _check_others(file)
        config = settings_of(cls, file, parts)
        _check_fit(config)
        return config


def released_config(size: str) -> CosyVoice3Config:
    """What the files of FunAudioLLM/Fun-CosyVoice3-0.5B-2512 say, one of SIZES, as its name has it; tests/released compares."""
    return {"0.5B": released_of(CosyVoice3Config)}[size]


def _language(file: Section, folder: Path) -> LanguageConfig:
    llm = made_by(file, "llm", "new:cosyvoice.llm.llm.CosyVoice3LM")
    widths = settings_of(LanguageKeys, llm)
    made_by(llm, "llm", "new:cosyvoice.llm.llm.Qwen2Encoder")
    qwen = plain_rope(Section.read(folder, f"{TEXT_FOLDER}/config.json"))
    config = settings_of(LanguageConfig, qwen, {"speech_token_size": widths.speech_token_size})
    if config.hidden_size % config.num_attention_heads:
        qwen.refuse("hidden_size", f"a multiple of its {config.num_attention_heads} heads is expected")
    if qwen.values.get("head_dim") not in (None, config.head_dim):
        qwen.refuse("head_dim", f"implemented is {config.head_dim}, as wide as {config.num_attention_heads} heads fill")
    if {widths.llm_input_size, widths.llm_output_size} != {config.hidden_size}:
        said = f"{widths.llm_input_size} and {widths.llm_output_size} of llm_input_size and llm_output_size"
        raise CheckpointInvalid(f"The checkpoint does not fit together: {said}, {config.hidden_size} in {qwen.where}.", AGAIN)
    return config


def _sampling(file: Section) -> SamplingConfig:
    llm = made_by(file, "llm", "new:cosyvoice.llm.llm.CosyVoice3LM")
    return settings_of(SamplingConfig, made_by(llm, "sampling", "name:cosyvoice.utils.common.ras_sampling"))


def _flow(file: Section) -> FlowConfig:
    flow = made_by(file, "flow", "new:cosyvoice.flow.flow.CausalMaskedDiffWithDiT")
    ahead = made_by(flow, "pre_lookahead_layer", "new:cosyvoice.transformer.upsample_encoder.PreLookaheadLayer")
    decoder = made_by(flow, "decoder", "new:cosyvoice.flow.flow_matching.CausalConditionalCFM")
    guidance = made_by(decoder, "cfm_params", "new:omegaconf.DictConfig").section("content")
    _require(guidance, "solver", "t_scheduler")
    estimator = made_by(decoder, "estimator", "new:cosyvoice.flow.DiT.dit.DiT")
    own, net = settings_of(FlowKeys, flow), settings_of(EstimatorKeys, estimator)
    seen, speaker = settings_of(LookaheadKeys, ahead), settings_of(DecoderKeys, decoder)
    if net.static_chunk_size % own.token_mel_ratio:
        estimator.refuse("static_chunk_size", f"whole tokens are expected, which have {own.token_mel_ratio} frames")
    if seen.pre_lookahead_len != own.pre_lookahead_len:
        ahead.refuse("pre_lookahead_len", f"{own.pre_lookahead_len} is expected, as the flow has it")
    for section, key, width in (
        (flow, "output_size", own.output_size),
        (ahead, "in_channels", seen.in_channels),
        (decoder, "spk_emb_dim", speaker.spk_emb_dim),
        *((estimator, key, getattr(net, key)) for key in ("mel_dim", "mu_dim", "spk_dim", "out_channels")),
    ):
        if width != own.input_size:
            section.refuse(key, f"{own.input_size} is expected, the channels of a frame")
    return FlowConfig(
        vocab_size=own.vocab_size,
        mel_dim=own.input_size,
        spk_embed_dim=own.spk_embed_dim,
        token_mel_ratio=own.token_mel_ratio,
        pre_lookahead_len=own.pre_lookahead_len,
        lookahead_channels=seen.channels,
        dim=net.dim,
        depth=net.depth,
        heads=net.heads,
        dim_head=net.dim_head,
        ff_mult=net.ff_mult,
        chunk_tokens=net.static_chunk_size // own.token_mel_ratio,
        guidance=settings_of(GuidanceKeys, guidance).inference_cfg_rate,
    )


def _vocoder(file: Section) -> VocoderConfig:
    hift = made_by(file, "hift", "new:cosyvoice.hifigan.generator.CausalHiFTGenerator")
    pitch_section = made_by(hift, "f0_predictor", "new:cosyvoice.hifigan.f0_predictor.CausalConvRNNF0Predictor")
    spectrum, pitch = (
        settings_of(SpectrumKeys, hift.section("istft_params")),
        settings_of(PitchKeys, pitch_section),
    )
    parts = {"n_fft": spectrum.n_fft, "hop_len": spectrum.hop_len, "f0_channels": pitch.cond_channels}
    parts |= {key: _lists(hift, key) for key in ("resblock_dilation_sizes", "source_resblock_dilation_sizes")}
    config = settings_of(VocoderConfig, hift, parts)
    if pitch.in_channels != config.in_channels:
        pitch_section.refuse("in_channels", f"{config.in_channels} is expected, the channels of a frame")
    return config


def _lists(section: Section, key: str) -> tuple[tuple[int, ...], ...]:
    """Lists of whole numbers above zero."""
    value = section.values.get(key)
    if not isinstance(value, list) or not all(isinstance(row, list) and all(type(n) is int and n > 0 for n in row) for row in value):
        section.refuse(key, "a list of lists of whole numbers above zero is expected")
    return tuple(map(tuple, value))


def _check_others(file: Section) -> None:
    """What must be as it is implemented, and is in no dataclass."""
    mel = made_by(file, "feat_extractor", "name:matcha.utils.audio.mel_spectrogram")
    tokenizer = made_by(file, "get_tokenizer", "name:cosyvoice.tokenizer.tokenizer.get_qwen_tokenizer")
    for section, kind in ((file, CosyVoice3Config), (mel, MelKeys), (tokenizer, TokenizerKeys)):
        _require(section, *rules_of(kind).only)
    settings_of(MelKeys, mel)
    settings_of(TokenizerKeys, tokenizer)


def _require(section: Section, *keys: str) -> None:
    missing = [key for key in keys if key not in section.values]
    if missing:
        raise CheckpointInvalid(f"{section.where} of the checkpoint lacks {', '.join(missing)}.", AGAIN)


def _check_fit(config: CosyVoice3Config) -> None:
    """What the networks here take for granted of the parts together."""
    language, flow, vocoder = config.language, config.flow, config.vocoder
    faults = []
    if language.num_attention_heads % language.num_key_value_heads:
        faults.append(f"{language.num_attention_heads} heads over {language.num_key_value_heads} key heads")
    faults += [f"heads are {width} wide, and channels are rotated in pairs" for width in (language.head_dim, flow.dim_head) if width % 2]
    if flow.vocab_size != language.speech_token_size:
        faults.append(f"{language.speech_token_size} codes are spoken, and the flow has {flow.vocab_size}")
    if flow.dim % CONV_GROUPS:
        faults.append(f"the flow is {flow.dim} wide, in {CONV_GROUPS} groups")
    if not flow.mel_dim == vocoder.in_channels == N_MELS:
        faults.append(f"the flow's frames have {flow.mel_dim} channels, the vocoder's {vocoder.in_channels}, those of recordings 80")
    rate, hop = SAMPLE_RATE, HOP_SAMPLES
    if (vocoder.sampling_rate, vocoder.frame_samples) != (rate, hop):
        faults.append(
            f"the vocoder makes {vocoder.frame_samples} samples of a frame at {vocoder.sampling_rate} Hz; {hop} at {rate} expected"
        )
    if TOKENS_PER_SECOND * flow.token_mel_ratio * hop != rate:
        faults.append(f"a token has {flow.token_mel_ratio} frames; {rate // (TOKENS_PER_SECOND * hop)} expected")
    faults += _stage_faults(vocoder)
    if faults:
        raise CheckpointInvalid(f"The checkpoint does not fit together: {'; '.join(faults)}.", AGAIN)


def _stage_faults(vocoder: VocoderConfig) -> list[str]:
    lists: Mapping[str, tuple] = vars(vocoder)
    n_stages = len(vocoder.upsample_rates)
    pairs = [
        ("upsample_kernel_sizes", n_stages),
        ("source_resblock_kernel_sizes", n_stages),
        ("source_resblock_dilation_sizes", n_stages),
        ("resblock_dilation_sizes", len(vocoder.resblock_kernel_sizes)),
    ]
    faults = [f"{name} are {len(lists[name])}, {expected} expected" for name, expected in pairs if len(lists[name]) != expected]
    if vocoder.n_fft % (2 * vocoder.hop_len):
        faults.append(f"windows of {vocoder.n_fft} samples every {vocoder.hop_len}, which do not meet in pairs")
    if vocoder.conv_pre_look_right <= PITCH_LOOK_RIGHT:
        faults.append(f"the vocoder looks {vocoder.conv_pre_look_right} frames ahead; more than its pitch's {PITCH_LOOK_RIGHT} expected")
    if vocoder.base_channels % 2**n_stages:
        faults.append(f"{vocoder.base_channels} channels cannot be halved {n_stages} times")
    return faults
