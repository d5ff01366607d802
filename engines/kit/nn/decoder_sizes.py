"""DecoderSizes: what the configuration section of a plain decoder says, and what it may not say. No torch here: catalogs read
configurations.
"""

from dataclasses import dataclass

from engines.kit.weights.config_reading import TRANSFORMERS, Every, PositiveFloat, Rules, Size

__all__ = ["PLAIN_DECODER", "DecoderSizes"]


@dataclass(frozen=True)
class DecoderSizes:
    """Names are those of Qwen2Config and Qwen3Config in transformers 4.57.3, defaults those of the latter."""

    hidden_size: Size
    intermediate_size: Size
    num_hidden_layers: Size
    num_attention_heads: Size
    num_key_value_heads: Size
    head_dim: Size = 128
    rms_norm_eps: PositiveFloat = 1e-6
    rope_theta: PositiveFloat = 10_000.0


PLAIN_DECODER = TRANSFORMERS | Rules(
    only={
        "hidden_act": ("silu",),
        "attention_bias": (False,),
        "use_sliding_window": (False,),
        "layer_types": (None, Every("full_attention")),
    },
    inert={
        "of use_sliding_window": "sliding_window max_window_layers",
        "no table here ends there": "max_position_embeddings",
    },
)
