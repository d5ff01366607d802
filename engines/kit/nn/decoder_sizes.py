"""DecoderSizes: what the configuration section of a plain decoder says, and what it may not say. No torch here: catalogs read
configurations.
"""

from engines.kit.weights.config_reading import Section, plain_rope
from engines.kit.weights.schema import TRANSFORMERS, Every, PositiveFloat, Size, fixed, schema, without_effect

__all__ = ["DecoderSizes"]


@schema
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

    beside = TRANSFORMERS
    hidden_act = fixed("silu")
    attention_bias = use_sliding_window = fixed(False)
    layer_types = fixed(None, Every("full_attention"))
    sliding_window = max_window_layers = without_effect("of use_sliding_window")
    max_position_embeddings = without_effect("no table here ends there")

    @classmethod
    def as_read(cls, section: Section) -> Section:
        return plain_rope(section)
