"""The same of audio decoders: claims that interpreted_kernels.py makes, in whose process they are."""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor

from engines.kit.codec import causal_chain
from engines.kit.codec.anti_aliased import AntiAliasedSnake
from engines.kit.codec.causal_chain import CausalChain, ResidualUnit
from engines.kit.codec.causal_conv import CausalConv1d, CausalDepthwiseConv1d, CausalTransposedConv1d
from engines.kit.codec.snake import ScaleBias, Snake, SnakeBeta
from engines.kit.fused import wave_operations
from engines.kit.fused.self_check import KERNELS
from engines.kit.nn.fusable import fuse

__all__ = ["DTYPES", "anti_aliased", "causal_chains", "coarse", "depthwise_conv", "residual_unit", "snake"]

DTYPES = (torch.float32, torch.bfloat16)


def coarse(*shape: int, dtype: torch.dtype) -> Tensor:
    """Multiples of an eighth, with squares that float32 sums exactly."""
    return (torch.randint(-25, 26, shape) / 8).to(dtype)


def snake() -> bool:
    """bfloat16 bit for bit; float32 but for the last bit of the sine."""
    rows, frequency, amplitude = torch.randn(4, 5, 24) * 3, torch.rand(24) * 4, torch.rand(24)
    narrow = [tensor.bfloat16() for tensor in (rows[..., ::2].contiguous(), frequency[:12], amplitude[:12])]
    same = torch.equal(wave_operations.snake(*narrow), plain_snake(*narrow))
    return same and torch.allclose(
        wave_operations.snake(rows, frequency, amplitude), plain_snake(rows, frequency, amplitude), rtol=1e-6, atol=1e-6
    )


def depthwise_conv() -> bool:
    """Tails shorter and longer than the rows, with and without bias, the tail a slice; float32 sums are exact here in whatever order."""
    same = True
    for dtype, n_rows, dilation in itertools.product(DTYPES, (1, 5, 40), (1, 3)):
        for kernel, bias in ((7, True), (2, False), (1, True)):
            conv = CausalDepthwiseConv1d(24, kernel, dilation=dilation, bias=bias).requires_grad_(False)
            for parameter in conv.parameters():
                parameter.copy_(coarse(*parameter.shape, dtype=dtype))
            conv.prepare_weights()
            rows, tail = coarse(3, n_rows, 24, dtype=dtype), coarse(3, conv.context + 5, 24, dtype=dtype)[:, 2 : 2 + conv.context]
            expected, expected_tail = conv(rows.float(), tail.float())
            conv.taps, conv.bias = conv.taps.to(dtype), None if conv.bias is None else conv.bias.to(dtype)
            fuse(conv, KERNELS)
            made, new_tail = conv(rows, tail)
            same &= torch.equal(made, expected.to(dtype)) and torch.equal(new_tail, expected_tail.to(dtype))
    return same


@torch.inference_mode()
def anti_aliased() -> bool:
    """Filters of all channels and of each; in pieces of fewer rows than the tail has and of more, the same to the last bit."""
    same = True
    for n_filters in (1, 10):
        layer = AntiAliasedSnake(10, n_filters).requires_grad_(False)
        for parameter in layer.parameters():
            parameter.uniform_(-0.4, 0.5)
        layer.prepare_weights()
        rows = torch.randn(2, 25, 10)
        start = layer.tail_before(rows)
        expected, pieces = layer(rows, start), []
        fuse(layer, KERNELS)
        tail = layer.tail_before(rows)
        whole = layer(rows, tail)
        for piece in rows.split([1, 1, 4, 18, 1], dim=1):
            out, tail = layer(piece, tail)
            pieces.append(out)
        same &= torch.equal(torch.cat(pieces, dim=1), whole[0]) and torch.equal(tail, whole[1])
        for made in (whole, layer(rows, start)):  # the latter behind a tail that is there
            same &= all(torch.allclose(*pair, atol=3e-6, rtol=0) for pair in zip(made, expected, strict=True))
    return same


@torch.inference_mode()
def residual_unit() -> bool:
    """What the plain layers give, and in pieces the same to the last bit: of few channels by one kernel, and of others up to the last
    product, whose rounding is not the kernels'.
    """
    at_most, causal_chain.MOST_CHANNELS = causal_chain.MOST_CHANNELS, 0
    up_to_the_product = units_alike(with_product=False)
    causal_chain.MOST_CHANNELS = at_most
    return up_to_the_product and units_alike(with_product=True)


def units_alike(*, with_product: bool) -> bool:
    """Without it: the last product changes nothing."""
    made, plain = (ResidualUnit(Snake, CausalDepthwiseConv1d(24, 7, dilation=3), CausalConv1d(24, 24, 1)) for _ in range(2))
    for parameter in plain.parameters():
        parameter.uniform_(0.2, 1)
    made.load_state_dict(plain.state_dict())
    for unit in (made, plain):
        for part in unit.block:
            part.prepare_weights()
        if not with_product:
            unit.block[3].forward = lambda rows, tail: (rows, tail)
    fuse(made, KERNELS)
    rows, tail = torch.randn(2, 25, 24), torch.randn(2, 18, 24)
    whole, expected, pieces = made(rows, tail), plain(rows, tail), []
    for piece in rows.split([1, 4, 19, 1], dim=1):
        out, tail = made(piece, tail)
        pieces.append(out)
    same = torch.equal(torch.cat(pieces, dim=1), whole[0]) and torch.equal(tail, whole[1])
    return same and nearly(whole, expected)


def nearly(made: Sequence[Tensor], plain: Sequence[Tensor]) -> bool:
    """Within a few roundings of the largest value of each."""
    return all(bool((one - other).abs().max() < 1e-6 * other.abs().max()) for one, other in zip(made, plain, strict=True))


@torch.inference_mode()
def causal_chains() -> bool:
    """What rises, with a factor before it and with none, units that add what the next one looks at, and samples at the end: whole as plain
    layers give it, and in pieces, of which one row is no more than a tail, up to the rounding of products.
    """

    def layers() -> torch.nn.ModuleList:
        units = (ResidualUnit(Snake, CausalDepthwiseConv1d(6, 3, dilation=n), CausalConv1d(6, 6, 1)) for n in (1, 2))
        rises = (ScaleBias(), Snake(12), CausalTransposedConv1d(12, 6, 4, 2)), (SnakeBeta(6), CausalTransposedConv1d(6, 6, 2, 2))
        return torch.nn.ModuleList([*rises[0], *units, *rises[1], Snake(6), CausalConv1d(6, 1, 3)])

    made, plain = layers(), layers()
    for parameter in plain.parameters():
        parameter.uniform_(0.2, 1)
    made.load_state_dict(plain.state_dict())
    for network in (made, plain):
        network[0].scale, network[0].bias = torch.linspace(0.5, 2, 12), torch.linspace(-1, 1, 12)
        for part in network.modules():
            if hasattr(part, "prepare_weights"):
                part.prepare_weights()
    fuse(made, KERNELS)
    rows, (fused, chain), pieces = torch.randn(2, 7, 12), (CausalChain(made), CausalChain(plain)), []
    tails = chain.start(2, rows)
    whole, expected = fused(rows, tails), chain(rows, tails)
    for piece in rows.split([1, 4, 2], dim=1):
        out, tails = fused(piece, tails)
        pieces.append(out)
    whole, expected = (whole[0], *whole[1]), (expected[0], *expected[1])
    return nearly(whole, expected) and nearly((torch.cat(pieces, dim=1), *tails), whole)


def plain_snake(rows: Tensor, frequency: Tensor, amplitude: Tensor) -> Tensor:
    layer = Snake(len(frequency))
    layer.frequency, layer.amplitude = frequency, amplitude
    return layer(rows)
