"""Random weights of the two networks of extraction, by formula: a small speech tokenizer, and the speaker encoder at its only size.

Names are those that the released ONNX files have or leave out (shared facts in tests/released); batch norms are not folded yet, as in the
modules that the files were exported from. Equal tensors would be merged by an exporter, so that no two are.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from tests.stand_ins.random_checkpoint import uniform

__all__ = ["RECIPE", "RELEASED_TOKENIZER", "TOKENIZER", "TokenizerSize", "folded", "speaker_encoder", "speech_tokenizer"]

RECIPE = "cosyvoice3-extraction/1"  # changes when the same seed gives other numbers
EPSILON = 1e-5  # of a batch norm
BLOCKS = ((12, 1), (24, 2), (16, 2))  # layers and dilation of CAM++'s dense blocks
GROWTH, BOTTLENECK, SEGMENT_WIDTH = 32, 128, 64

Tensors = dict[str, np.ndarray]
Shapes = Iterator[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True)
class TokenizerSize:
    """heads: of 64 channels each."""

    heads: int
    layers: int

    @property
    def width(self) -> int:
        return 64 * self.heads


TOKENIZER = TokenizerSize(heads=2, layers=2)
RELEASED_TOKENIZER = TokenizerSize(heads=20, layers=12)


def speech_tokenizer(seed: int, size: TokenizerSize = TOKENIZER) -> Tensors:
    """Weights of the S3 tokenizer, linear ones as torch has them (out, in)."""
    return {name: uniform(RECIPE, seed, f"s3.{name}", shape, _tokenizer_scale(name, shape)) for name, shape in _tokenizer_shapes(size)}


def speaker_encoder(seed: int) -> Tensors:
    """Weights of CAM++, every batch norm beside its convolution."""
    return {name: uniform(RECIPE, seed, f"campplus.{name}", shape, _encoder_scale(name, shape)) for name, shape in _encoder_shapes()}


def folded(tensors: Mapping[str, np.ndarray]) -> Tensors:
    """The same network as the release stores it: batch norms that follow a convolution are in its weight and its bias."""
    left = dict(tensors)
    pairs = [(f"{conv}.weight", norm) for conv, norm in _followed_by_norm(tensors)]
    for weight, norm in pairs:
        gain, offset, mean, variance = (left.pop(f"{norm}.{part}") for part in ("weight", "bias", "running_mean", "running_var"))
        scale = gain / np.sqrt(variance + np.float32(EPSILON))
        kernel = left[weight]
        left[weight] = kernel * scale.reshape(-1, *(1,) * (kernel.ndim - 1))
        left[weight.replace(".weight", ".bias")] = offset - mean * scale
    return left


def _followed_by_norm(tensors: Mapping[str, np.ndarray]) -> Iterator[tuple[str, str]]:
    """Convolution and norm: FCM, tdnn, the first linear of each layer, and the last transition."""
    for name in tensors:
        head = re.fullmatch(r"(head\.(?:layer\d\.\d\.)?)conv(\d)\.weight", name)
        if head:
            yield f"{head[1]}conv{head[2]}", f"{head[1]}bn{head[2]}"
        elif re.fullmatch(r"head\.layer\d\.0\.shortcut\.0\.weight", name):
            yield name.removesuffix(".weight"), name.replace("0.weight", "1")
        elif re.fullmatch(r"xvector\.block\d\.tdnnd\d+\.linear1\.weight", name):
            yield name.removesuffix(".weight"), name.replace("linear1.weight", "nonlinear2.batchnorm")
    yield "xvector.tdnn.linear", "xvector.tdnn.nonlinear.batchnorm"
    yield "xvector.transit3.linear", "xvector.out_nonlinear.batchnorm"


def _tokenizer_shapes(size: TokenizerSize) -> Shapes:
    width = size.width
    yield from (("conv1.weight", (width, 128, 3)), ("conv1.bias", (width,)))
    yield from (("conv2.weight", (width, width, 3)), ("conv2.bias", (width,)))
    for layer in range(size.layers):
        at = f"blocks.{layer}."
        yield from ((f"{at}{norm}.{part}", (width,)) for norm in ("attn_ln", "mlp_ln") for part in ("weight", "bias"))
        for name in ("query", "key", "value", "out"):
            yield f"{at}attn.{name}.weight", (width, width)
            if name != "key":
                yield f"{at}attn.{name}.bias", (width,)
        yield f"{at}attn.fsmn_block.weight", (width, 1, 31)
        yield from ((f"{at}mlp.0.weight", (4 * width, width)), (f"{at}mlp.0.bias", (4 * width,)))
        yield from ((f"{at}mlp.2.weight", (width, 4 * width)), (f"{at}mlp.2.bias", (width,)))
    yield from (("quantizer.project_in.weight", (8, width)), ("quantizer.project_in.bias", (8,)))


def _tokenizer_scale(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if name.endswith("_ln.weight"):
        return 0.3, 1.0
    if name.endswith("bias"):
        return 0.2, 0.0
    gain = {"quantizer.project_in.weight": 0.7}.get(name, 1.5 if "query" in name or "key" in name else 1.0)
    return gain * math.sqrt(3 / math.prod(shape[1:])), 0.0


def _encoder_shapes() -> Shapes:
    yield from _fcm_shapes()
    yield "xvector.tdnn.linear.weight", (128, 320, 5)
    yield from _norm("xvector.tdnn.nonlinear.batchnorm", 128)
    channels = 128
    for number, (layers, _) in enumerate(BLOCKS, start=1):
        for layer in range(layers):
            yield from _dense_layer_shapes(f"xvector.block{number}.tdnnd{layer + 1}", channels + layer * GROWTH)
        channels += layers * GROWTH
        yield from _norm(f"xvector.transit{number}.nonlinear.batchnorm", channels)
        yield f"xvector.transit{number}.linear.weight", (channels // 2, channels, 1)
        channels //= 2
    yield from _norm("xvector.out_nonlinear.batchnorm", channels)
    yield "xvector.dense.linear.weight", (192, 2 * channels, 1)
    yield from (("xvector.dense.nonlinear.batchnorm.running_mean", (192,)), ("xvector.dense.nonlinear.batchnorm.running_var", (192,)))


def _fcm_shapes() -> Shapes:
    yield "head.conv1.weight", (32, 1, 3, 3)
    yield from _norm("head.bn1", 32)
    for layer in (1, 2):
        for block in (0, 1):
            at = f"head.layer{layer}.{block}."
            for conv in (1, 2):
                yield f"{at}conv{conv}.weight", (32, 32, 3, 3)
                yield from _norm(f"{at}bn{conv}", 32)
            if not block:
                yield f"{at}shortcut.0.weight", (32, 32, 1, 1)
                yield from _norm(f"{at}shortcut.1", 32)
    yield "head.conv2.weight", (32, 32, 3, 3)
    yield from _norm("head.bn2", 32)


def _dense_layer_shapes(at: str, channels: int) -> Shapes:
    yield from _norm(f"{at}.nonlinear1.batchnorm", channels)
    yield f"{at}.linear1.weight", (BOTTLENECK, channels, 1)
    yield from _norm(f"{at}.nonlinear2.batchnorm", BOTTLENECK)
    yield f"{at}.cam_layer.linear_local.weight", (GROWTH, BOTTLENECK, 3)
    yield from ((f"{at}.cam_layer.linear1.weight", (SEGMENT_WIDTH, BOTTLENECK, 1)), (f"{at}.cam_layer.linear1.bias", (SEGMENT_WIDTH,)))
    yield from ((f"{at}.cam_layer.linear2.weight", (GROWTH, SEGMENT_WIDTH, 1)), (f"{at}.cam_layer.linear2.bias", (GROWTH,)))


def _norm(name: str, channels: int) -> Shapes:
    yield from ((f"{name}.{part}", (channels,)) for part in ("weight", "bias", "running_mean", "running_var"))


def _encoder_scale(name: str, shape: tuple[int, ...]) -> tuple[float, float]:
    if name.endswith(("running_var", ".weight")) and len(shape) == 1:
        return 0.3, 1.0
    if len(shape) == 1:
        return 0.2, 0.0
    return math.sqrt(6 / math.prod(shape[1:])) * (0.25 if name == "head.conv1.weight" else 1.0), 0.0
