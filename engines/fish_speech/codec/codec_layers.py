"""Layers that encoder and decoder of Fish's codec share. Names follow codec.pth."""

from dataclasses import replace

from engines.fish_speech.codec.codec_config import FishTransformerSizes
from engines.kit.codec.causal_chain import ResidualUnit
from engines.kit.codec.causal_conv import CausalConv1d, CausalTransposedConv1d, ConvNextBlock
from engines.kit.codec.factorized_quantizer import FactorizedLookup, FactorizedQuantizer
from engines.kit.codec.snake import Snake
from engines.kit.nn.attention import AttentionConfig, RotaryConfig
from engines.kit.nn.tensor_names import LLAMA_NAMES
from engines.kit.nn.windowed_transformer import WindowedTransformer, WindowedTransformerConfig

__all__ = ["FISH_CODEC_NAMES", "PREPARED", "codec_transformer", "residual_units"]

# dac_modules of vllm-omni 0.30.0
KERNEL, DILATIONS = 7, (1, 3, 9)
ROPE_BASE, NORM_EPS = 10_000.0, 1e-5

# Kinds of layers that prepare their weights.
PREPARED = CausalConv1d | CausalTransposedConv1d | ConvNextBlock | Snake | WindowedTransformer | FactorizedLookup | FactorizedQuantizer

FISH_CODEC_NAMES = replace(
    LLAMA_NAMES, qkv=("attention.wqkv",), attention_scale="attention_layer_scale.gamma", mlp_scale="ffn_layer_scale.gamma"
)


def codec_transformer(sizes: FishTransformerSizes, width: int, head_dim: int) -> WindowedTransformer:
    """WindowLimitedTransformer: neighboring channels turned by cosines and sines of bfloat16, in float32; a norm at the end."""
    rotary = RotaryConfig("interleaved", theta=ROPE_BASE, bfloat16_table=True, in_float32=True)
    n_heads = width // head_dim
    attention = AttentionConfig(width, n_heads, n_heads, head_dim, rotary, norm_eps=NORM_EPS)
    layers = (sizes.intermediate_size, sizes.n_layer, sizes.window_size)
    return WindowedTransformer(WindowedTransformerConfig("rms_swiglu", attention, *layers, FISH_CODEC_NAMES, last_norm=True))


def residual_units(width: int) -> list[ResidualUnit]:
    """Three, that look further and further back."""
    return [
        ResidualUnit(Snake, CausalConv1d(width, width, KERNEL, dilation=dilation), CausalConv1d(width, width, 1)) for dilation in DILATIONS
    ]
