"""SEANet (arXiv 2009.02095) of Pocket TTS' Mimi: causal convolutions between samples and rows, fed piece by piece.

Channels-last, (B, T, D), as in kit/codec/causal_conv.py. Here what a convolution sees is written once, activated, behind its tail, and sums
are taken where a product ends. Upstream, also for the names of tensors: SEANetEncoder and SEANetDecoder of pocket-tts 4.0.1.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from math import gcd

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.kit.nn.batch_check import least_rows
from engines.kit.nn.module_list import module_dict
from engines.pocket_tts.config import SeanetConfig
from engines.pocket_tts.vae.codec_matrix import CodecMatrix
from engines.pocket_tts.vae.scratch import Scratch

__all__ = ["SeanetDecoder", "SeanetEncoder"]

USUAL_COLUMNS = 48  # of a product's result: three registers of AVX-512, what torch's products are fastest for where columns are few
MOST_TOGETHER = 4  # divides the rows of a frame wherever there are few channels


def elu(rows: Tensor, out: Tensor | None = None) -> Tensor:
    """ELU (arXiv 1511.07289) as the larger of x and exp(min(x, 0)) - 1: within 6e-8 of torch's, which takes twice the time of all four."""
    out = torch.clamp(rows, max=0.0, out=out).exp_().sub_(1.0)
    return torch.maximum(rows, out, out=out)


class _Seanet(nn.Module):
    """A chain of layers, `model.N`; N counts activations too, which belong to the layers behind them."""

    model: "Mapping[str, _Layer]"

    def prepare_weights(self) -> None:
        """Arrange the kernels. Once, after loading."""
        for layer in self.model.values():
            layer.prepare_weights()

    def start(self, batch: int) -> tuple[Tensor, ...]:
        """Tails of silence: per layer (batch, context, width) zeros."""
        return tuple(torch.zeros(batch, layer.context, layer.width) for layer in self.model.values())

    def forward(self, rows: Tensor, tails: Iterable[Tensor], scratch: Scratch) -> tuple[Tensor, tuple[Tensor, ...]]:
        """(B, T, D_in), tails -> (B, T * rates, D_out), new tails."""
        new = []
        for layer, tail in zip(self.model.values(), tails, strict=True):
            rows, new_tail = layer.advance(rows, tail, scratch)
            new.append(new_tail)
        return rows, tuple(new)


class SeanetEncoder(_Seanet):
    """(B, T, 1) samples -> (B, T / hop_samples, dimension)."""

    def __init__(self, config: SeanetConfig):
        super().__init__()
        width = config.n_filters
        layers: dict[int, _Layer] = {0: SeanetConv1d(1, width, config.kernel_size, activated=False)}
        for index, stride in enumerate(reversed(config.ratios)):
            layers[1 + 3 * index] = SeanetResidual(config, width)
            layers[3 + 3 * index] = SeanetConv1d(width, 2 * width, 2 * stride, stride=stride)
            width *= 2
        layers[2 + 3 * len(config.ratios)] = SeanetConv1d(width, config.dimension, config.last_kernel_size)
        self.model = module_dict({str(number): layer for number, layer in layers.items()})


class SeanetDecoder(_Seanet):
    """(B, T, dimension) -> (B, T * hop_samples, 1) samples."""

    def __init__(self, config: SeanetConfig):
        super().__init__()
        width = config.n_filters * 2 ** len(config.ratios)
        layers: dict[int, _Layer] = {0: SeanetConv1d(config.dimension, width, config.kernel_size, activated=False)}
        for index, stride in enumerate(config.ratios):
            layers[2 + 3 * index] = SeanetUpsampling(width, width // 2, stride)
            layers[3 + 3 * index] = SeanetResidual(config, width // 2)
            width //= 2
        layers[2 + 3 * len(config.ratios)] = SeanetConv1d(width, 1, config.last_kernel_size)
        self.model = module_dict({str(number): layer for number, layer in layers.items()})


class _Layer(nn.Module, ABC):
    """What looks back over `context` rows of `width`, its tail. It advances by T rows, a multiple of what it takes together."""

    width: int
    context: int

    @abstractmethod
    def prepare_weights(self) -> None:
        """Arrange the kernels. Once, after loading."""

    @abstractmethod
    def advance(self, rows: Tensor, tail: Tensor, scratch: Scratch) -> tuple[Tensor, Tensor]:
        """(B, T, width), (B, context, width) -> rows, new tail."""


class SeanetConv1d(_Layer):
    """A causal convolution of activated rows; T is a multiple of the stride. The past of the first row is zeros."""

    def __init__(self, width_in: int, width_out: int, kernel: int, *, stride: int = 1, activated: bool = True):
        super().__init__()
        self.width, self.stride, self.kernel, self.activated = width_in, stride, kernel, activated
        self.context, self.is_one_channel = kernel - stride, width_out == 1
        self.conv = nn.Conv1d(width_in, width_out, kernel, stride=stride)

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix over all that is seen, or for one channel as one row per tap. Once, after loading."""
        assert self.conv.bias is not None
        kernel, bias = self.conv.weight.detach(), self.conv.bias.detach()
        if self.is_one_channel:
            self.taps, self.bias = F.pad(kernel[0].T, (0, 0, 0, max(0, least_rows() - self.kernel))).contiguous(), bias  # (K or more, D)
        else:
            self.matrix = CodecMatrix(kernel.transpose(1, 2).flatten(1), bias)
        del self.conv

    def advance(self, rows: Tensor, tail: Tensor, scratch: Scratch) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, T / stride, D_out), new tail."""
        seen = _behind(tail, rows, scratch) if self.activated else torch.cat([tail, rows], dim=1)
        tail = seen[:, rows.shape[1] :].clone()
        if self.is_one_channel:
            return self._sum_products(seen, rows.shape[1]), tail
        return self.matrix(_windows(seen, self.kernel, self.stride, scratch)).view(len(rows), -1, self.matrix.width), tail

    def _sum_products(self, seen: Tensor, n_rows: int) -> Tensor:
        """What each tap makes of every row, one time beside the other, then their sums: K vectors instead of windows."""
        first, *others = torch.matmul(self.taps, seen.mT)[:, : self.kernel].unbind(1)  # K times (B, context + T)
        summed = first[:, :n_rows] + self.bias
        for tap, products in enumerate(others, start=1):
            summed += products[:, tap : tap + n_rows]
        return summed[:, :, None]


class SeanetUpsampling(_Layer):
    """A transposed convolution of activated rows, kernel 2 * stride, cut at the right: `stride` rows from every one and the one before."""

    def __init__(self, width_in: int, width_out: int, stride: int):
        super().__init__()
        self.width, self.rate, self.context = width_in, stride, 1
        self.convtr = nn.ConvTranspose1d(width_in, width_out, 2 * stride, stride=stride)

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix: rows are phases and their channels, columns the row before and the present one."""
        assert self.convtr.bias is not None
        kernel = self.convtr.weight.detach().unflatten(2, (2, self.rate)).flip(2)  # (D_in, D_out, 2, stride)
        self.phases = CodecMatrix(kernel.permute(3, 1, 2, 0).flatten(2).flatten(0, 1), self.convtr.bias.detach().repeat(self.rate))
        del self.convtr

    def advance(self, rows: Tensor, tail: Tensor, scratch: Scratch) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, 1, D_in) -> (B, T * stride, D_out), new tail."""
        seen = _behind(tail, rows, scratch)
        turns = self.phases(_windows(seen, 2, 1, scratch), scratch.take("turns", rows.shape[0] * rows.shape[1], self.phases.width))
        return turns.view(len(rows), rows.shape[1] * self.rate, -1), seen[:, -1:].clone()


class SeanetResidual(_Layer):
    """rows + narrow(elu(wide(elu(rows)))), the sum taken in the rows' own place.

    together: outputs of neighboring rows that are made in one row of a product, by a matrix that holds the kernel so many times beside
    zeros: where channels are few, more of them copy less and multiply faster.
    """

    def __init__(self, config: SeanetConfig, width: int):
        super().__init__()
        inner, kernel = width // config.compress, config.residual_kernel_size
        self.width, self.inner, self.kernel, self.context = width, inner, kernel, kernel - 1
        self.together = gcd(MOST_TOGETHER, USUAL_COLUMNS // inner) if inner <= USUAL_COLUMNS else 1
        blocks = {"1": nn.Conv1d(width, inner, kernel), "3": nn.Conv1d(inner, width, 1)}
        self.block = module_dict({name: module_dict({"conv": conv}) for name, conv in blocks.items()})

    def prepare_weights(self) -> None:
        """Arrange both kernels as matrices. Once, after loading."""
        wide, narrow = self.block["1"]["conv"], self.block["3"]["conv"]
        assert wide.bias is not None and narrow.bias is not None
        taps = wide.weight.detach().transpose(1, 2).flatten(1)
        shifted = [F.pad(taps, (first * self.width, (self.together - 1 - first) * self.width)) for first in range(self.together)]
        self.wide = CodecMatrix(torch.cat(shifted), wide.bias.detach().repeat(self.together))
        self.narrow, self.bias = CodecMatrix(narrow.weight.detach()[:, :, 0]), narrow.bias.detach().repeat(self.together)
        del self.block

    def advance(self, rows: Tensor, tail: Tensor, scratch: Scratch) -> tuple[Tensor, Tensor]:
        """(B, T, D), overwritten, (B, context, D) -> (B, T, D), new tail."""
        seen = _behind(tail, rows, scratch)
        mixed = self.wide(_windows(seen, self.kernel + self.together - 1, self.together, scratch))
        rows.view(-1, len(self.bias)).add_(self.bias)
        summed = self.narrow.add_to(rows.view(-1, self.width), elu(mixed).view(-1, self.inner))
        return summed.view(rows.shape), seen[:, rows.shape[1] :].clone()


def _behind(tail: Tensor, rows: Tensor, scratch: Scratch) -> Tensor:
    """(B, context + T, D): rows, activated, behind the tail, which is already."""
    context = tail.shape[1]
    seen = scratch.take("seen", rows.shape[0], context + rows.shape[1], rows.shape[2])
    seen[:, :context] = tail
    elu(rows, out=seen[:, context:])
    return seen


def _windows(seen: Tensor, kernel: int, stride: int, scratch: Scratch) -> Tensor:
    """(B, context + T, D) -> (B * T / stride, kernel * D), copied: neighboring rows lie behind one another already."""
    batch, n_rows, width = seen.shape
    shape = batch, (n_rows - kernel) // stride + 1, kernel * width
    windows = scratch.take("windows", *shape).copy_(seen.as_strided(shape, (n_rows * width, stride * width, 1)))
    return windows.view(-1, shape[2])
