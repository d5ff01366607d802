"""MimiConfig: the sizes of a Mimi encoder, and what else its section may say. No torch here: catalogs read configurations."""

from dataclasses import dataclass

from engines.kit.weights.config_reading import TRANSFORMERS, PositiveFloat, Rules, Size

__all__ = ["DOWNSAMPLING", "MIMI", "MimiConfig"]

FRAME_RATE = 12.5  # 24,000 Hz over frames of 1,920 samples
DOWNSAMPLING = 2  # after the strides of upsampling_ratios, 25 to 12.5 rows a second; transformers 4.57.3, MimiModel.downsample


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


MIMI = TRANSFORMERS | Rules(
    only={
        "model_type": ("mimi",),
        "_frame_rate": (None, FRAME_RATE),
        "frame_rate": (None, FRAME_RATE),
        "sampling_rate": (24_000,),
        "audio_channels": (1,),
        "attention_bias": (False,),
        "hidden_act": ("gelu",),
        "normalize": (False,),
        "pad_mode": ("constant",),
        "use_causal_conv": (True,),
        "use_conv_shortcut": (False,),
        "use_streaming": (False,),
    },
    inert={
        "not obeyed by the official code either, see MimiEncoder": "sliding_window",
        "of Mimi's own decoder, which is not in the checkpoint": "trim_right_ratio upsample_groups",
        "compared with codebook_dim": "vector_quantization_hidden_dimension",
        "no table here ends there": "max_position_embeddings",
    },
)
