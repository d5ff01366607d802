"""Voxtral codecs of toy size: the tensors of a checkpoint, bfloat16 as released, with the encoder that the release lacks or without."""

import math
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from torch import nn

from engines.kit.codec.weight_norm import FoldedCheckpoint
from engines.kit.weights.checkpoint import without_memory
from engines.voxtral.config import VoxtralCodecConfig
from tests.stand_ins.random_checkpoint import uniform, write_tensors

__all__ = ["PREFIX", "TOY_CODEC", "codec_shapes", "opened_codec", "write_codec"]

N = TypeVar("N", bound=nn.Module)

RECIPE, PREFIX = "voxtral codec", "audio_tokenizer."
# Strides, kernels and windows of the release. Heads are no power of two and share keys, and are together not as wide as rows.
TOY_CODEC = VoxtralCodecConfig(
    sampling_rate=24000,
    pretransform_patch_size=6,
    patch_proj_kernel_size=7,
    semantic_codebook_size=40,
    semantic_dim=10,
    acoustic_codebook_size=21,
    acoustic_dim=4,
    attn_sliding_window_size=16,
    dim=20,
    hidden_dim=28,
    head_dim=4,
    n_heads=6,
    n_kv_heads=2,
    decoder_transformer_lengths_str="2,2,2,2",
    decoder_convs_kernels_str="3,4,4,4",
    decoder_convs_strides_str="1,2,2,2",
    voice={},
)
N_UNUSED_ENTRIES = 3  # of the semantic book, at its start, as if training had never come to them


def write_codec(file: Path, config: VoxtralCodecConfig = TOY_CODEC, *, encoder: bool = True) -> Path:
    """One safetensors file."""
    table = {PREFIX + name: (shape, "BF16") for name, shape in codec_shapes(config, encoder=encoder).items()}
    write_tensors(file, table, _values)
    return file


def opened_codec(kind: type[N], file: Path, config: VoxtralCodecConfig = TOY_CODEC, dtype: torch.dtype = torch.float64) -> N:
    """The encoder or the decoder of the file, ready. Nothing else is in the file."""
    network = without_memory(lambda: kind(config), dtype)
    with FoldedCheckpoint(file) as checkpoint:
        checkpoint.load_into(network, PREFIX, ignore=network.UNUSED, packs=network.packs)
        checkpoint.check_all_used()
    network.prepare_weights()
    return network


def codec_shapes(config: VoxtralCodecConfig, *, encoder: bool = True) -> dict[str, tuple[int, ...]]:
    """Name -> shape, without the prefix."""
    dim, patch, kernel = config.dim, config.pretransform_patch_size, config.patch_proj_kernel_size
    book = (config.semantic_codebook_size, config.semantic_dim)
    shapes = {"quantizer.semantic_codebook.cluster_usage": book[:1], "quantizer.semantic_codebook.embedding_sum": book}
    shapes |= _normed("output_proj", (patch, dim, kernel))
    for stage, kernel_here in enumerate(config.decoder_kernels):
        shapes |= _normed(f"decoder_blocks.{2 * stage}", (dim, dim if stage else config.latent_dim, kernel_here))
        shapes |= _transformer(f"decoder_blocks.{2 * stage + 1}", config, config.decoder_lengths[stage])
    if encoder:
        shapes |= _normed("input_proj", (dim, patch, kernel))
        outputs = [dim] * (len(config.encoder_kernels) - 1) + [config.latent_dim]
        for stage, (width, kernel_here) in enumerate(zip(outputs, config.encoder_kernels, strict=True)):
            shapes |= _transformer(f"encoder_blocks.{2 * stage}", config, config.encoder_lengths[stage])
            shapes |= _normed(f"encoder_blocks.{2 * stage + 1}", (width, dim, kernel_here))
    return shapes


def _normed(at: str, shape: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    weight = f"{at}.conv.parametrizations.weight"
    return {f"{weight}.original0": (shape[0], 1, 1), f"{weight}.original1": shape}


def _transformer(at: str, config: VoxtralCodecConfig, n_layers: int) -> dict[str, tuple[int, ...]]:
    dim, inner = config.dim, config.hidden_dim
    queries, keys = config.n_heads * config.head_dim, config.n_kv_heads * config.head_dim
    shapes: dict[str, tuple[int, ...]] = {}
    for layer in (f"{at}.layers.{index}" for index in range(n_layers)):
        matrices = {
            "wq": (queries, dim),
            "wk": (keys, dim),
            "wv": (keys, dim),
            "wo": (dim, queries),
            "q_norm": (queries,),
            "k_norm": (keys,),
        }
        shapes |= {f"{layer}.attention.{name}.weight": shape for name, shape in matrices.items()}
        shapes |= {
            f"{layer}.feed_forward.w{index}.weight": shape for index, shape in enumerate(((inner, dim), (dim, inner), (inner, dim)), 1)
        }
        shapes |= {f"{layer}.{half}_norm.weight": (dim,) for half in ("attention", "ffn")}
        shapes |= {f"{layer}.{half}_scale": (dim,) for half in ("attention", "ffn")}
    return shapes


def _values(name: str, shape: tuple[int, ...]) -> np.ndarray:
    values = uniform(RECIPE, 0, name, shape, _scale_and_offset(name, shape))
    if name.endswith("original0"):
        values[::3] *= -1  # as gains of the release are
    if name.endswith("cluster_usage"):
        values[:N_UNUSED_ENTRIES] = 0
    if name.endswith("embedding_sum"):
        values[:N_UNUSED_ENTRIES] *= 1e-5
    return values


def _scale_and_offset(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    """So that what goes in comes out about as loud, all of the past is heard, and no norm, scale or use of an entry is one."""
    if name.endswith(("norm.weight", "_scale")):
        return 0.3, 1.0
    if name.endswith("cluster_usage"):
        return 2.0, 3.0
    if name.endswith("original0"):
        return 0.3, 3.0 if "input_proj" in name else 0.2 if "output_proj" in name else 1.0
    return (3.0, 0.0) if name.endswith("embedding_sum") else (math.sqrt(3 / math.prod(shape[1:])), 0.0)
