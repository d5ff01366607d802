"""Layers that a style moves: adaptive norms, and blocks of two convolutions. Rows are channels-last, (B, T, D)."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.grad import conv2d_input

from engines.kit.codec.packed_conv import PackedConv1d
from engines.kokoro.network.row_flow import WHOLE, RowFlow

__all__ = ["AdaptiveNorm", "StyledBlock", "StyledLayerNorm", "arrange_kernels", "convolve", "keep_precise", "scaled_rows"]

EPSILON = 1e-5  # nn.InstanceNorm1d
SLOPE = 0.2  # of the leaky ReLU


def arrange_kernels(network: nn.Module, learned_through: nn.Module) -> None:
    """Have the kernels of all convolutions lie as the CPU reads them, packed where it can be. Once, after loading.

    learned_through: the part through which gradients go; its convolutions keep their plain kernels beside the packed ones.
    """
    kept = set(learned_through.modules())
    for part in network.modules():
        if not isinstance(part, nn.Conv1d) or part.kernel_size[0] == 1:
            continue
        part.weight.data = part.weight.data.transpose(1, 2).contiguous().transpose(1, 2)
        if PackedConv1d.can_pack(part.weight) and part.out_channels > 1:
            part.packed = PackedConv1d(part.weight.contiguous(), part.bias, stride=part.stride[0], dilation=part.dilation[0])
            if part not in kept:
                part.weight.data = part.weight.new_empty(0)


def keep_precise(network: nn.Module) -> None:
    """Have small parameters in float32 whose rounding everything would bear: what styles say, and the waves of snakes. Before loading."""
    for name, parameter in network.named_parameters():
        if ".fc." in name or ".alpha" in name or "m_source" in name:
            parameter.data = parameter.data.float()


def convolve(conv: nn.Conv1d, rows: Tensor, flow: RowFlow = WHOLE) -> Tensor:
    """(B, T, D_in) -> (B, T', D_out), zeros on both sides as the layer's padding says.

    As a convolution of two dimensions: torch hands on no other to oneDNN in this layout, which it knows by the strides of `unsqueeze`.
    """
    stride, dilation = conv.stride[0], conv.dilation[0]
    span = (conv.kernel_size[0] - 1) * dilation + 1
    rows = flow.padded(rows, padding_of(conv), span, stride)
    if span == 1:
        return F.linear(rows, conv.weight[:, :, 0], conv.bias)
    if rows.shape[1] < span:
        return rows.new_empty(len(rows), 0, conv.out_channels)
    if rows.requires_grad:
        return _FrozenConvolution.apply(rows, conv)
    return _convolved(rows, conv)


def padding_of(conv: nn.Conv1d | nn.ConvTranspose1d) -> int:
    """Rows of zeros on either side; none of these layers says it by a word."""
    padding = conv.padding[0]
    assert isinstance(padding, int)
    return padding


def _convolved(rows: Tensor, conv: nn.Conv1d) -> Tensor:
    if (packed := getattr(conv, "packed", None)) is not None:
        return packed(rows)
    seen, kernel = rows.mT.unsqueeze(2), conv.weight.unsqueeze(2)
    return F.conv2d(seen, kernel, conv.bias, (1, conv.stride[0]), 0, (1, conv.dilation[0])).squeeze(2).mT


class _FrozenConvolution(torch.autograd.Function):
    """A convolution whose weights learn nothing: it keeps no rows for its gradient, which torch's own does. It reaches the rows."""

    @staticmethod
    def forward(ctx, rows: Tensor, conv: nn.Conv1d) -> Tensor:
        ctx.conv, ctx.shape = conv, (rows.shape[0], rows.shape[2], 1, rows.shape[1])
        return _convolved(rows, conv)

    @staticmethod
    def backward(ctx, *grad_outputs: Tensor):
        conv, seen = ctx.conv, grad_outputs[0].mT.unsqueeze(2)
        stride, dilation = (1, conv.stride[0]), (1, conv.dilation[0])
        kernel = conv.weight.unsqueeze(2)
        rows = conv2d_input(ctx.shape, kernel, seen, stride, 0, dilation)  # pyright: ignore[reportArgumentType]  # torch takes pairs
        return rows.squeeze(2).mT, None


class AdaptiveNorm(nn.Module):
    """Each channel normalized over time, then scaled and shifted as the style says (Huang and Belongie 2017, arXiv 1703.06868)."""

    def __init__(self, style: int, channels: int):
        super().__init__()
        self.fc = nn.Linear(style, 2 * channels)

    def scale_shift(self, style: Tensor) -> tuple[Tensor, Tensor]:
        """(B, 1, D) each, of (B, S), in float32."""
        gamma, beta = self.fc(style)[:, None].chunk(2, 2)
        return 1 + gamma, beta

    def forward(self, rows: Tensor, style: Tensor) -> Tensor:
        mean, spread = moments(rows)
        scale, shift = self.scale_shift(style)
        return scaled_rows(rows, scale / spread, shift - mean * scale / spread)


def moments(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation over time, (1, 1, D) float32, of (1, T, D).

    Taken from torch's batch norm, whose pass over such rows takes a sixth of what sums over them do, and a seventh of `var_mean`.
    """
    width = rows.shape[2]
    weight, bias = rows.new_ones(width, dtype=torch.float32), rows.new_zeros(width, dtype=torch.float32)
    _, mean, inverse = torch.native_batch_norm(rows[0], weight, bias, None, None, True, 0.0, EPSILON)
    return mean.view(1, 1, -1), (1 / inverse).view(1, 1, -1)


def scaled_rows(rows: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """rows * scale + shift in one pass, in the type of the rows."""
    return torch.addcmul(shift.to(rows.dtype), rows, scale.to(rows.dtype))


class StyledBlock(nn.Module):
    """Two convolutions of three rows, each behind an AdaptiveNorm, added to what came in; twice as many rows where it upsamples."""

    def __init__(self, style: int, width_in: int, width_out: int, *, upsample: bool = False):
        super().__init__()
        self.norm1, self.norm2 = AdaptiveNorm(style, width_in), AdaptiveNorm(style, width_out)
        self.conv1 = nn.Conv1d(width_in, width_out, 3, padding=1)
        self.conv2 = nn.Conv1d(width_out, width_out, 3, padding=1)
        self.conv1x1 = nn.Conv1d(width_in, width_out, 1, bias=False) if width_in != width_out else None
        self.pool = nn.ConvTranspose1d(width_in, width_in, 3, 2, 1, 1, groups=width_in) if upsample else None

    def forward(self, rows: Tensor, style: Tensor) -> Tensor:
        new = F.leaky_relu_(self.norm1(rows, style), SLOPE)
        if self.pool is not None:
            new, rows = self._upsampled(new, self.pool), rows.repeat_interleave(2, 1)
        new = convolve(self.conv1, new)
        new = convolve(self.conv2, F.leaky_relu_(self.norm2(new, style), SLOPE))
        if self.conv1x1 is not None:
            rows = convolve(self.conv1x1, rows)
        return (rows + new).mul_(math.sqrt(0.5))

    def _upsampled(self, rows: Tensor, pool: nn.ConvTranspose1d) -> Tensor:
        """The depthwise transposed convolution: every row, and between two neighbors a mixture of them."""
        first, middle, last = pool.weight[:, 0].T
        behind = F.pad(rows[:, 1:], (0, 0, 0, 1))
        pairs = torch.stack([rows * middle, torch.addcmul(behind * first, rows, last)], 2)
        assert pool.bias is not None
        return pairs.flatten(1, 2) + pool.bias


class StyledLayerNorm(nn.Module):
    """A norm over channels that a style scales and shifts."""

    def __init__(self, style: int, width: int):
        super().__init__()
        self.fc = nn.Linear(style, 2 * width)

    def forward(self, rows: Tensor, style: Tensor) -> Tensor:
        gamma, beta = self.fc(style)[:, None].chunk(2, 2)
        return scaled_rows(F.layer_norm(rows, rows.shape[2:]), 1 + gamma, beta)
