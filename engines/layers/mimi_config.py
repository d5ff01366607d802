"""MimiConfig: the sizes of a Mimi encoder. No torch here: catalogs read configurations."""

from dataclasses import dataclass

from engines.layers.config_reading import PositiveFloat, Size

__all__ = ["MimiConfig"]


@dataclass(frozen=True)
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
