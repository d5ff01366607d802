"""Sizes and rules of a Pocket TTS model, under the names of the makers' YAML files. No torch here: catalogs read configurations."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType
from typing import Literal

from engines.kit.weights.schema import PositiveFloat, Size, fixed, schema, without_effect

__all__ = [
    "BackboneConfig", "CodecTransformerConfig", "FlowLmConfig", "HeadConfig", "PocketConfig", "SeanetConfig", "TextRules",
    "TokenTableConfig", "VaeConfig",
]  # fmt: skip

FRAME_SAMPLES = 1920  # 80 ms at 24 kHz: mimi.frame_rate is 12.5


@schema
class HeadConfig:
    """flow_lm.flow: the network that makes a latent of noise. dim: its width.

    type: "lsd" goes from noise to latent in steps (Lagrangian self distillation, arXiv 2505.18825); "pointwise" adds its output to the
    noise, once; "drifting" gives the latent itself.
    """

    depth: Size
    dim: Size
    type: Literal["lsd", "pointwise", "drifting"] = "lsd"


@schema
class BackboneConfig:
    """flow_lm.transformer. attn_dim: width of all query heads, d_model where it is None; num_kv_heads: num_heads where None;
    dim_feedforward: hidden_scale times d_model where None.
    """

    d_model: Size
    num_heads: Size
    num_layers: Size
    hidden_scale: Size = 4
    max_period: PositiveFloat = 10_000.0
    attn_dim: Size | None = None
    num_kv_heads: Size | None = None
    dim_feedforward: Size | None = None

    @property
    def head_dim(self) -> int:
        return (self.attn_dim or self.d_model) // self.num_heads

    @property
    def n_kv_heads(self) -> int:
        return self.num_kv_heads or self.num_heads

    @property
    def intermediate_size(self) -> int:
        return self.dim_feedforward or self.hidden_scale * self.d_model


@schema
class TokenTableConfig:
    """flow_lm.lookup_table: n_bins text tokens, and one for padding that nobody says. rank: of a table in two factors; None: one table."""

    dim: Size
    n_bins: Size
    rank: Size | None = None

    tokenizer_path = without_effect("an address: what is read is the file beside this one")
    tokenizer = without_effect("says which file that is")


@schema
class FlowLmConfig:
    """flow_lm. insert_bos_before_voice: whether a row of its own stands before the voice. z_dim: width of what the heads read, by a
    projection; None: they read the backbone's rows.
    """

    flow: HeadConfig
    transformer: BackboneConfig
    lookup_table: TokenTableConfig
    insert_bos_before_voice: bool = False
    z_dim: Size | None = None

    dtype, weights_path = fixed("float32"), fixed(None)


@schema
class SeanetConfig:
    """mimi.seanet, mimi.decoder_seanet: convolutions between samples and rows of `dimension`; ratios in the order of a decoder."""

    dimension: Size
    n_filters: Size
    ratios: tuple[Size, ...]
    kernel_size: Size
    residual_kernel_size: Size
    last_kernel_size: Size
    compress: Size

    channels = n_residual_layers = fixed(1)
    pad_mode = fixed("constant")
    dilation_base = without_effect("of residual layers after the first: its power is the first layer's dilation, 1")

    @property
    def hop_samples(self) -> int:
        return prod(self.ratios)


@schema
class CodecTransformerConfig:
    """mimi.transformer, mimi.decoder_transformer. context: rows that a row sees, itself included."""

    d_model: Size
    num_heads: Size
    num_layers: Size
    context: Size
    dim_feedforward: Size
    max_period: PositiveFloat = 10_000.0

    layer_scale = without_effect("of training: the first value of what the weights hold")
    input_dimension = output_dimensions = without_effect("compared with d_model")


@schema
class VaeConfig:
    """mimi: 24 kHz samples to latents, 12.5 a second, and latents to samples.

    inner_dim: of a latent of a voice, as the encoder gives it. latent_dim: of one that is spoken (quantizer.dimension). outer_dim: of what
    the decoder makes of it first.
    """

    seanet: SeanetConfig
    transformer: CodecTransformerConfig
    decoder_seanet: SeanetConfig
    decoder_transformer: CodecTransformerConfig
    inner_dim: Size
    latent_dim: Size
    outer_dim: Size

    dtype, sample_rate, frame_rate, channels = fixed("float32"), fixed(24_000), fixed(12.5), fixed(1)
    weights_path = fixed(None)
    quantizer = without_effect("read as a section of its own")

    @property
    def upsampling(self) -> int:
        """Rows of the decoder's transformer per latent; those of the encoder's are as many."""
        return FRAME_SAMPLES // self.decoder_seanet.hop_samples


@schema
class TextRules:
    """How a text is written before it is read: what the model's training text never held. replace_characters: "" deletes."""

    replace_characters: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    remove_semicolons: bool = False
    append_terminal_punctuation: bool = True
    capitalize_first_letter: bool = True
    pad_with_spaces_for_short_inputs: bool = False
    model_recommended_frames_after_eos: int | None = None

    weights_path = weights_path_without_voice_cloning = without_effect("addresses: what is read is the file beside this one")
    flow_lm = mimi = default_temperature = default_eos_threshold = without_effect("read beside the rules of text")


@dataclass(frozen=True)
class PocketConfig:
    """One model. tokenizer: the kind of file, "tokenizers" (tokenizer.json) or "sentencepiece" (tokenizer.model).

    default_temperature: variance of the noise. default_eos_threshold: a logit above it ends the speech.
    """

    flow_lm: FlowLmConfig
    mimi: VaeConfig
    text: TextRules
    tokenizer: Literal["tokenizers", "sentencepiece"] = "tokenizers"
    default_temperature: float = 0.3
    default_eos_threshold: float = -4.0
