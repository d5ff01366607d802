"""Fish codecs of toy size in the official layout: codec.pth with both styles of weight norms, and the entries of an older build."""

import math
from pathlib import Path

import torch

from engines.fish_speech.codec.codec_config import RELEASED, FishCodecConfig, FishTransformerSizes
from tests.stand_ins.random_checkpoint import uniform

__all__ = ["TINY", "codec_tensors", "write_codec"]

RECIPE = "fish codec"
TINY = FishCodecConfig(
    encoder_dim=4,
    encoder_rates=(2, 4, 8, 8),
    encoder_transformer=FishTransformerSizes(n_layer=2, intermediate_size=96, window_size=RELEASED.encoder_transformer.window_size),
    latent_dim=64,
    downsample_factor=(2, 2),
    pre_module=FishTransformerSizes(n_layer=2, intermediate_size=96, window_size=RELEASED.pre_module.window_size),
    post_module=FishTransformerSizes(n_layer=3, intermediate_size=80, window_size=RELEASED.post_module.window_size),
    semantic_codebook_size=64,
    n_residual_codebooks=9,
    codebook_size=32,
    codebook_dim=8,
    decoder_dim=32,
    decoder_rates=(8, 8, 4, 2),
)
STRAY = ("encoder.block.4.block.5", "quantizer.pre_module", "quantizer.post_module")
N_STRAY = 24  # positions of a table and of a mask that nobody reads


def write_codec(folder: Path, config: FishCodecConfig = TINY, seed: int = 0) -> Path:
    """Write codec.pth into the folder; returns its path."""
    tensors = {name: torch.from_numpy(_values(name, shape, config, seed)) for name, shape in codec_tensors(config).items()}
    for name in STRAY:
        tensors[f"{name}.freqs_cis"] = torch.ones(N_STRAY, 32, 2, dtype=torch.bfloat16)
        tensors[f"{name}.causal_mask"] = torch.ones(N_STRAY, N_STRAY, dtype=torch.bool)
    torch.save(tensors, folder / "codec.pth")
    return folder / "codec.pth"


def codec_tensors(config: FishCodecConfig) -> dict[str, tuple[int, ...]]:
    """Name -> shape of everything but the entries of an older build."""
    return _encoder(config) | _quantizer(config) | _decoder(config)


def _encoder(config: FishCodecConfig) -> dict[str, tuple[int, ...]]:
    width, shapes = config.encoder_dim, _normed("encoder.block.0", (config.encoder_dim, 1, 7))
    n_stages = len(config.encoder_rates)
    for stage, rate in enumerate(config.encoder_rates, start=1):
        at = f"encoder.block.{stage}.block"
        for unit in range(3):
            shapes |= _residual_unit(f"{at}.{unit}.block", width)
        shapes |= {f"{at}.3.alpha": (1, width, 1)} | _normed(f"{at}.4", (2 * width, width, 2 * rate))
        width *= 2
    if config.encoder_transformer:
        shapes |= _transformer(f"encoder.block.{n_stages}.block.5", width, config.encoder_transformer)
    last = {f"encoder.block.{n_stages + 1}.alpha": (1, width, 1)}
    return shapes | last | _normed(f"encoder.block.{n_stages + 2}", (config.latent_dim, width, 3))


def _quantizer(config: FishCodecConfig) -> dict[str, tuple[int, ...]]:
    width, shapes = config.latent_dim, {}
    for way, factors in (("downsample", config.downsample_factor), ("upsample", config.downsample_factor[::-1])):
        for index, factor in enumerate(factors):
            at = f"quantizer.{way}.{index}"
            shapes |= {f"{at}.0.conv.weight": (width, width, factor), f"{at}.0.conv.bias": (width,)} | _convnext(f"{at}.1", width)
    for name in ("pre_module", "post_module"):
        shapes |= _transformer(f"quantizer.{name}", width, getattr(config, name))
    for part, sizes in (("semantic_quantizer", config.codebook_sizes[:1]), ("quantizer", config.residual_codebook_sizes)):
        for index, size in enumerate(sizes):
            shapes |= _book(f"quantizer.{part}.quantizers.{index}", size, config)
    return shapes


def _decoder(config: FishCodecConfig) -> dict[str, tuple[int, ...]]:
    width, n_stages = config.decoder_dim, len(config.decoder_rates)
    shapes = _normed("decoder.model.0", (width, config.latent_dim, 7))
    for stage, rate in enumerate(config.decoder_rates, start=1):
        at = f"decoder.model.{stage}.block"
        shapes |= {f"{at}.0.alpha": (1, width, 1)} | _normed(f"{at}.1", (width, width // 2, 2 * rate), bias=width // 2)
        width //= 2
        for unit in range(3):
            shapes |= _residual_unit(f"{at}.{2 + unit}.block", width)
    return shapes | {f"decoder.model.{n_stages + 1}.alpha": (1, width, 1)} | _normed(f"decoder.model.{n_stages + 2}", (1, width, 7))


def _normed(at: str, shape: tuple[int, ...], bias: int | None = None) -> dict[str, tuple[int, ...]]:
    """A convolution of a gain and a direction; the gain is of dimension 0, which are the input's channels where it is transposed."""
    weight = f"{at}.conv.parametrizations.weight"
    return {f"{weight}.original0": (shape[0], 1, 1), f"{weight}.original1": shape, f"{at}.conv.bias": (bias or shape[0],)}


def _residual_unit(at: str, width: int) -> dict[str, tuple[int, ...]]:
    snakes = {f"{at}.{index}.alpha": (1, width, 1) for index in (0, 2)}
    return snakes | _normed(f"{at}.1", (width, width, 7)) | _normed(f"{at}.3", (width, width, 1))


def _transformer(at: str, width: int, sizes: FishTransformerSizes) -> dict[str, tuple[int, ...]]:
    shapes: dict[str, tuple[int, ...]] = {f"{at}.norm.weight": (width,)}
    for index in range(sizes.n_layer):
        layer, inner = f"{at}.layers.{index}", sizes.intermediate_size
        shapes |= {f"{layer}.attention.wqkv.weight": (3 * width, width), f"{layer}.attention.wo.weight": (width, width)}
        shapes |= {f"{layer}.feed_forward.{name}.weight": (inner, width) for name in ("w1", "w3")}
        shapes |= {f"{layer}.feed_forward.w2.weight": (width, inner)}
        shapes |= {f"{layer}.{name}.weight": (width,) for name in ("attention_norm", "ffn_norm")}
        shapes |= {f"{layer}.{name}_layer_scale.gamma": (width,) for name in ("attention", "ffn")}
    return shapes


def _convnext(at: str, width: int) -> dict[str, tuple[int, ...]]:
    shapes = {f"{at}.dwconv.conv.weight": (width, 1, 7), f"{at}.dwconv.conv.bias": (width,), f"{at}.gamma": (width,)}
    shapes |= {f"{at}.norm.weight": (width,), f"{at}.norm.bias": (width,)}
    shapes |= {f"{at}.pwconv1.weight": (4 * width, width), f"{at}.pwconv1.bias": (4 * width,)}
    return shapes | {f"{at}.pwconv2.weight": (width, 4 * width), f"{at}.pwconv2.bias": (width,)}


def _book(at: str, size: int, config: FishCodecConfig) -> dict[str, tuple[int, ...]]:
    shapes = {f"{at}.codebook.weight": (size, config.codebook_dim)}
    for name, n_in, n_out in (("in_proj", config.latent_dim, config.codebook_dim), ("out_proj", config.codebook_dim, config.latent_dim)):
        shapes |= {f"{at}.{name}.weight_g": (n_out, 1, 1), f"{at}.{name}.weight_v": (n_out, n_in, 1), f"{at}.{name}.bias": (n_out,)}
    return shapes


def _values(name: str, shape: tuple[int, ...], config: FishCodecConfig, seed: int):
    return uniform(RECIPE, seed, name, shape, _scale_and_offset(name, shape, config))


def _scale_and_offset(name: str, shape: tuple[int, ...], config: FishCodecConfig) -> tuple[float, float]:
    """So that what goes in comes out about as loud, and every code is heard."""
    if name.endswith("alpha") or "norm.weight" in name:
        return 0.3, 1.0
    if name.endswith("gamma"):
        return 0.5, 0.2
    if name.endswith(("original0", "weight_g")):
        return 0.2, _gain(name, config)
    if name.endswith("bias"):
        return 0.1, 0.0
    return (1.0, 0.0) if "codebook" in name else (math.sqrt(3 / math.prod(shape[1:])), 0.0)


def _gain(name: str, config: FishCodecConfig) -> float:
    """A transposed convolution of stride s and twice as many taps makes everything quieter by the root of s / 2; the last is soft."""
    parts = name.split(".")
    stage = int(parts[2]) if parts[0] == "decoder" else 0
    if stage == len(config.decoder_rates) + 2:
        return 0.1
    if stage and parts[4] == "1" and len(parts) == 9:
        return math.sqrt(config.decoder_rates[stage - 1] / 2)
    return 1.0 if parts[0] != "decoder" or stage == 0 else 0.6
