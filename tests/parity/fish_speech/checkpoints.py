"""The toy checkpoints that both sides read: the shapes that the engine's own tests have, each with another codec, and one more."""

from dataclasses import replace
from pathlib import Path

from engines.fish_speech.codec.codec_config import FishCodecConfig, FishTransformerSizes
from tests.engines.fish_speech.random_checkpoint import RandomCheckpoint, write_language_model
from tests.engines.fish_speech.random_codec import TINY, write_codec
from tests.engines.fish_speech.tiny_checkpoint import tiny

__all__ = ["SEEDS", "SHAPES", "codec_of", "language_model_of", "write_checkpoint"]

SHAPES = ("usual", "sparse", "deep")
SEEDS = dict.fromkeys(SHAPES, 0)  # of all weights of a shape: no choice in any golden hangs on rounding


def language_model_of(shape: str, ends_after: int | None = None) -> RandomCheckpoint:
    """deep: more layers than width, heads of 8, key heads of three queries each, both transformers with norms of heads, other rotations."""
    if shape != "deep":
        return tiny(shape, seed=SEEDS[shape], ends_after=ends_after)
    made = tiny("usual", seed=SEEDS[shape], ends_after=ends_after)
    slow = {"dim": 40, "intermediate_size": 56, "n_layer": 5, "n_head": 6, "n_local_heads": 2, "head_dim": 8, "rope_base": 500}
    fast = {"dim": 40, "text_dim": 40, "intermediate_size": 72, "n_layer": 3, "n_head": 4, "n_local_heads": 4, "head_dim": 12}
    fast |= {"attention_qk_norm": True, "norm_eps": 1e-4}
    config = dict(made.config)
    config["text_config"] = config["text_config"] | slow
    config["audio_decoder_config"] = config["audio_decoder_config"] | fast
    return replace(made, config=config)


def codec_of(shape: str) -> FishCodecConfig:
    """sparse: frames so short that clips of tests outlast every window. deep: no transformer in the encoder, one step between rates."""
    if shape == "deep":
        rates = {"encoder_rates": (5, 16), "downsample_factor": (4,), "decoder_rates": (4, 10, 2)}
        pre, post = (FishTransformerSizes(n_layers, width, TINY.pre_module.window_size) for n_layers, width in ((3, 80), (1, 112)))
        sizes = {"encoder_dim": 6, "latent_dim": 128, "decoder_dim": 40, "pre_module": pre, "post_module": post}
        return replace(TINY, **rates, **sizes, encoder_transformer=None)
    # three times as wide inside, which the official class has no other number for
    config = replace(TINY, encoder_transformer=replace(TINY.encoder_transformer, intermediate_size=3 * 64))
    if shape == "usual":
        return config
    rates = {"encoder_rates": (2, 3, 2), "decoder_rates": (3, 2, 2)}
    return replace(config, **rates, encoder_dim=8, decoder_dim=48, codebook_dim=6)


def write_checkpoint(folder: Path, shape: str, ends_after: int | None = None) -> Path:
    """Write it into `folder`; returns the folder. ends_after: see RandomCheckpoint."""
    write_language_model(folder, language_model_of(shape, ends_after))
    write_codec(folder, codec_of(shape), SEEDS[shape])
    return folder
