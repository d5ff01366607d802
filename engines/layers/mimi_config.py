"""MimiConfig: the sizes of a Mimi encoder. No torch here: catalogs read configurations."""

from dataclasses import dataclass

__all__ = ["MimiConfig"]


@dataclass(frozen=True)
class MimiConfig:
    """Causal convolutions, a transformer, residual quantizers. Names and defaults are those of MimiConfig in transformers 4.57.3."""

    hidden_size: int = 512
    num_filters: int = 64
    num_residual_layers: int = 1
    upsampling_ratios: tuple[int, ...] = (8, 6, 5, 4)  # in the order of a decoder; the encoder strides in reverse
    kernel_size: int = 7
    last_kernel_size: int = 3
    residual_kernel_size: int = 3
    dilation_growth_rate: int = 2
    compress: int = 2
    codebook_size: int = 2048
    codebook_dim: int = 256
    num_quantizers: int = 32
    num_semantic_quantizers: int = 1
    num_hidden_layers: int = 8
    intermediate_size: int = 2048
    num_attention_heads: int = 8
    num_key_value_heads: int = 8
    head_dim: int = 64
    norm_eps: float = 1e-5
    rope_theta: float = 10_000.0
