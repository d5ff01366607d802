"""CosyVoice3Config: the sizes of a Fun-CosyVoice3 checkpoint, checked and frozen. No torch here."""

from dataclasses import dataclass

from engines.layers.config_reading import PositiveFloat, Size

__all__ = ["CosyVoice3Config", "FlowConfig", "LanguageConfig", "SamplingConfig", "VocoderConfig"]

CONTROL_ROWS = 200  # of CosyVoice3LM (cosyvoice/llm/llm.py @ ace7c47): its tables have speech_token_size + 200 rows


@dataclass(frozen=True)
class LanguageConfig:
    """The Qwen2 decoder that says speech tokens. Field names are those of CosyVoice-BlankEN/config.json, but for the speech tables.

    speech_token_size: codes of the speech tokenizer; the tables of speech go beyond them by CONTROL_ROWS, of which the first are the
    beginning of a sequence and the turn to speech, and all of which end speech where they are drawn.
    """

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Size
    num_attention_heads: Size
    num_key_value_heads: Size
    vocab_size: Size
    rope_theta: PositiveFloat
    rms_norm_eps: PositiveFloat
    speech_token_size: Size

    @property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_attention_heads

    @property
    def n_speech_rows(self) -> int:
        """Of the table of speech, and of the head."""
        return self.speech_token_size + CONTROL_ROWS


@dataclass(frozen=True)
class SamplingConfig:
    """Repetition-aware sampling (VALL-E 2, arXiv 2406.05370): top_p and top_k of the first draw, whose code is drawn again from all others
    where it is among the last win_size at least win_size * tau_r times.
    """

    top_p: PositiveFloat
    top_k: Size
    win_size: Size
    tau_r: PositiveFloat


@dataclass(frozen=True)
class FlowConfig:
    """Speech tokens to mel frames, by a diffusion transformer of `dim` channels, `depth` layers and `heads` heads of dim_head.

    vocab_size: codes of speech tokens. mel_dim: channels of a mel frame, and width of a token's row. spk_embed_dim: of a speaker's
    embedding. token_mel_ratio: mel frames per token. pre_lookahead_len: tokens after a token that its row depends on;
    lookahead_channels: of the convolution that sees them. chunk_tokens: tokens of a chunk, whose frames see one another and all before.
    guidance: classifier-free, the weight w of (1 + w) conditioned - w unconditioned.
    """

    vocab_size: Size
    mel_dim: Size
    spk_embed_dim: Size
    token_mel_ratio: Size
    pre_lookahead_len: Size
    lookahead_channels: Size
    dim: Size
    depth: Size
    heads: Size
    dim_head: Size
    ff_mult: Size
    chunk_tokens: Size
    guidance: PositiveFloat

    @property
    def chunk_frames(self) -> int:
        return self.chunk_tokens * self.token_mel_ratio


@dataclass(frozen=True)
class VocoderConfig:
    """Mel frames to sound: HiFT, a neural source filter with an inverse STFT (cosyvoice/hifigan/generator.py, CausalHiFTGenerator).

    in_channels: of a mel frame. base_channels: after the first convolution, halved by every stage. nb_harmonics: above the fundamental.
    nsf_alpha: amplitude of the sines; nsf_sigma: of the noise beside them; nsf_voiced_threshold: Hz above which a frame is voiced.
    f0_channels: of the predictor of the fundamental frequency.
    """

    in_channels: Size
    base_channels: Size
    nb_harmonics: Size
    sampling_rate: Size
    nsf_alpha: PositiveFloat
    nsf_sigma: PositiveFloat
    nsf_voiced_threshold: PositiveFloat
    upsample_rates: tuple[int, ...]
    upsample_kernel_sizes: tuple[int, ...]
    n_fft: Size
    hop_len: Size
    resblock_kernel_sizes: tuple[int, ...]
    resblock_dilation_sizes: tuple[tuple[int, ...], ...]
    source_resblock_kernel_sizes: tuple[int, ...]
    source_resblock_dilation_sizes: tuple[tuple[int, ...], ...]
    lrelu_slope: PositiveFloat
    audio_limit: PositiveFloat
    conv_pre_look_right: Size
    f0_channels: Size

    @property
    def frame_samples(self) -> int:
        """Samples per mel frame."""
        samples = self.hop_len
        for rate in self.upsample_rates:
            samples *= rate
        return samples


@dataclass(frozen=True)
class CosyVoice3Config:
    """The whole checkpoint but its two ONNX files, which say themselves what they are."""

    language: LanguageConfig
    sampling: SamplingConfig
    flow: FlowConfig
    vocoder: VocoderConfig
