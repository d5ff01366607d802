"""MimiConfig: the sizes of a Mimi encoder, and what else its section may say. No torch here: catalogs read configurations."""

from engines.kit.weights.config_reading import Section, plain_rope
from engines.kit.weights.schema import TRANSFORMERS, PositiveFloat, Size, fixed, schema, without_effect

__all__ = ["DOWNSAMPLING", "MimiConfig"]

FRAME_RATE = 12.5  # 24,000 Hz over frames of 1,920 samples
DOWNSAMPLING = 2  # after the strides of upsampling_ratios, 25 to 12.5 rows a second; transformers 4.57.3, MimiModel.downsample


@schema
class MimiConfig:
    """Causal convolutions, a transformer, residual quantizers. Names and defaults are those of MimiConfig in transformers 4.57.3."""

    hidden_size: Size = 512
    num_filters: Size = 64
    num_residual_layers: int = 1
    upsampling_ratios: tuple[Size, ...] = (8, 6, 5, 4)  # in the order of a decoder; the encoder strides in reverse
    kernel_size: Size = 7
    last_kernel_size: Size = 3
    residual_kernel_size: Size = 3
    dilation_growth_rate: Size = 2
    compress: Size = 2
    codebook_size: Size = 2048
    codebook_dim: Size = 256
    num_quantizers: Size = 32
    num_semantic_quantizers: Size = 1
    num_hidden_layers: Size = 8
    intermediate_size: Size = 2048
    num_attention_heads: Size = 8
    num_key_value_heads: Size = 8
    head_dim: Size = 64
    norm_eps: PositiveFloat = 1e-5
    rope_theta: PositiveFloat = 10_000.0

    beside = TRANSFORMERS
    model_type = fixed("mimi")
    _frame_rate = frame_rate = fixed(None, FRAME_RATE)
    sampling_rate = fixed(24_000)
    audio_channels = fixed(1)
    attention_bias = normalize = use_conv_shortcut = use_streaming = fixed(False)
    hidden_act = fixed("gelu")
    pad_mode = fixed("constant")
    use_causal_conv = fixed(True)
    sliding_window = without_effect("not obeyed by the official code either, see MimiEncoder")
    trim_right_ratio = upsample_groups = without_effect("of Mimi's own decoder, which is not in the checkpoint")
    max_position_embeddings = without_effect("no table here ends there")
    vector_quantization_hidden_dimension = without_effect("compared with codebook_dim")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        section = plain_rope(section)
        if section.values.get("vector_quantization_hidden_dimension") not in (None, section.values.get("codebook_dim")):
            section.refuse("vector_quantization_hidden_dimension", "implemented is that of codebook_dim", "Use the checkpoint as released.")
        return section
