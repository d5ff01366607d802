"""Causal convolutions that are fed piece by piece. What the next piece needs goes out as a tail and comes back in with it.

Everything here is channels-last, (B, T, D). A convolution is one matrix product over what its taps see: on a CPU that reaches the speed of
a large matrix product from one row on, where a convolution kernel rearranges its weights at every call.
Parameters have the checkpoint's names until `prepare_weights` replaces them, once after loading, by what is multiplied.
"""

from abc import abstractmethod

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

from engines.kit.codec.snake import Snake, SnakeBeta
from engines.kit.nn.fusable import Fusable
from engines.kit.nn.linear import linear

__all__ = [
    "CausalConv1d",
    "CausalDepthwiseConv1d",
    "CausalDepthwiseTransposedConv1d",
    "CausalTransposedConv1d",
    "ConvNextBlock",
    "PhasedTransposedConv1d",
    "ReflectingCausalConv1d",
    "ReplicatingCausalConv1d",
    "Stateful",
]

MOST_WINDOW_VALUES = 2_000_000  # 8 MB in float32: what a product over all taps copies at once on a CPU, small enough for its caches
MANY_VALUES = 30_000  # from here on oneDNN's convolution outweighs its start on a CPU, and a depthwise one is soon 4 times as fast
MANY_ROWS_PER_CHANNEL = 2  # from here on one of all channels saves more than arranging its weights takes, up to a third of the time


class Stateful(nn.Module):
    """A causal layer `(rows (B, T, D), tail) -> (rows, new tail)` whose outputs do not depend on how the rows were cut into pieces.

    context: input rows before a row that its output still depends on, and rows of the tail. width: of a row of the tail.
    rate: output rows per input row. The tail that goes out is a tensor of its own, the one that comes in is only read.
    """

    context, rate = 0, 1
    width: int

    def start(self, batch: int, like: Tensor) -> Tensor:
        """A tail of silence: (batch, context, width) zeros of the dtype and on the device of `like`."""
        return like.new_zeros(batch, self.context, self.width)

    def tail_before(self, rows: Tensor) -> Tensor:
        """The tail before the first rows (B, T, width): silence, unless the layer continues its left edge otherwise."""
        return self.start(len(rows), rows)


class _Convolution(Stateful):
    """What the convolutions have in common until they are prepared: weight and bias of a module `conv`, as Mimi and qwen-tts name them."""

    conv: nn.Conv1d | nn.ConvTranspose1d
    bias: Tensor | None

    def _take(self) -> Tensor:
        """The weight. It goes from the module, and the bias becomes a buffer of the layer."""
        weight, bias = self.conv.weight.detach(), None if self.conv.bias is None else self.conv.bias.detach()
        del self.conv
        self.register_buffer("bias", bias, persistent=False)
        return weight


class _SlidingConv1d(_Convolution):
    """A kernel over the present and the past.

    The past of the first row is zeros; at the right, zeros complete the last stride, so T rows give ceil(T / stride). After such a
    completion the stream is at its end.
    """

    def __init__(self, conv: nn.Conv1d):
        super().__init__()
        self.width, self.stride, self.dilation = conv.in_channels, conv.stride[0], conv.dilation[0]
        self.span = (conv.kernel_size[0] - 1) * self.dilation + 1
        self.context = self.span - self.stride
        self.conv = conv

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, ceil(T / stride), D_out), new tail."""
        missing = -rows.shape[1] % self.stride
        if self.context:
            rows = torch.cat([tail, rows], dim=1)
            tail = rows[:, rows.shape[1] - self.context :].clone()
        return self._convolve(F.pad(rows, (0, 0, 0, missing)) if missing else rows), tail

    @abstractmethod
    def _kernel(self) -> Tensor:
        """(D_out, D_in of a group, 1, K)."""

    @abstractmethod
    def _convolve(self, rows: Tensor) -> Tensor:
        """Rows with their past (B, T, D_in) -> (B, places, D_out)."""

    def _windows(self, rows: Tensor) -> Tensor:
        """(B, T, D, K), a view: what the kernel sees at each of its places in time."""
        return rows.unfold(1, self.span, self.stride)[..., :: self.dilation]

    def _convolve_by_onednn(self, rows: Tensor) -> Tensor:
        """One pass over the memory. As a convolution of two dimensions, since torch hands on no other in this layout.

        It knows the layout by its strides, for which reason a dimension of one is put in by `unsqueeze` and not by a reshape.
        """
        kernel = self._kernel()
        steps, groups = ((1, self.stride), (0, 0), (1, self.dilation)), self.width // kernel.shape[1]
        return F.conv2d(rows.mT.unsqueeze(2), kernel, self.bias, *steps, groups).squeeze(2).mT


class CausalConv1d(Fusable, _SlidingConv1d):
    """Conv1d that sees the present and the past. Upstream: CausalConvNet of qwen-tts 0.1.1, MimiConv1d of transformers 4.57.3.

    fused: where one channel comes out of many.
    """

    FUSED_BY = frozenset({"one_channel_conv"})

    taps: Tensor  # (D_out, K * D_in)

    def __init__(self, width_in: int, width_out: int, kernel: int, *, stride: int = 1, dilation: int = 1, bias: bool = True):
        super().__init__(nn.Conv1d(width_in, width_out, kernel, stride=stride, dilation=dilation, bias=bias))

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix. Once, after loading."""
        self.register_buffer("taps", rearrange(self._take(), "o i k -> o (k i)").contiguous(), persistent=False)

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, ceil(T / stride), D_out), new tail."""
        if self.fused and self._is_sum:
            return torch.ops.engines.one_channel_conv(rows, tail, self.taps, self.bias, dilation=self.dilation)
        return super().forward(rows, tail)

    @property
    def _is_sum(self) -> bool:
        return len(self.taps) == 1 < self.width and self.stride == 1

    def _kernel(self) -> Tensor:
        return rearrange(self.taps, "o (k i) -> o i 1 k", i=self.width)

    def _convolve(self, rows: Tensor) -> Tensor:
        if self._is_sum:
            return self._sum_products(rows)
        if self.span > self.stride == 1 and rows.shape[1] >= MANY_ROWS_PER_CHANNEL * self.width and _are_for_onednn(rows):
            return self._convolve_by_onednn(rows)
        windows = rearrange(self._windows(rows), "b t i k -> b t k i")
        at_once = windows.shape[1] if rows.is_cuda else max(1, MOST_WINDOW_VALUES // windows[:, 0].numel())
        out = [linear(part.flatten(2), self.taps, self.bias) for part in windows.split(at_once, dim=1)]
        return out[0] if len(out) == 1 else torch.cat(out, dim=1)

    def _sum_products(self, rows: Tensor) -> Tensor:
        """One channel out of many: what each tap makes of every row, then sums along it. No windows are copied, K times as much."""
        products = linear(rows, rearrange(self.taps, "1 (k i) -> k i", i=self.width))  # (B, T, K)
        summed = self._windows(products).diagonal(dim1=2, dim2=3).sum(-1, keepdim=True)
        return summed if self.bias is None else summed + self.bias


class ReplicatingCausalConv1d(CausalConv1d):
    """The past of the first row is that row. Upstream: pad_mode "replicate" of Mimi's and Voxtral's codecs, at the left."""

    def tail_before(self, rows: Tensor) -> Tensor:
        """The first row, again and again."""
        return rows[:, :1].expand(-1, self.context, -1)


class ReflectingCausalConv1d(CausalConv1d):
    """The past of the first row is its future, mirrored. Upstream: pad_mode "reflect" of Voxtral's codec, at the left."""

    def tail_before(self, rows: Tensor) -> Tensor:
        """Rows 1 to `context`, backwards. Raises ValueError where the first piece is shorter."""
        if rows.shape[1] <= self.context:
            raise ValueError(f"A first piece of {rows.shape[1]} rows: to be mirrored at its edge it must have more than {self.context}.")
        return rows[:, 1 : self.context + 1].flip(1)


class CausalDepthwiseConv1d(Fusable, _SlidingConv1d):
    """Conv1d with a kernel of its own for every channel. Upstream: the residual units of VoxCPM2's AudioVAE, ConvNeXt's first layer."""

    FUSED_BY = frozenset({"depthwise_conv"})

    taps: Tensor  # (K, D)

    def __init__(self, width: int, kernel: int, *, stride: int = 1, dilation: int = 1, bias: bool = True):
        super().__init__(nn.Conv1d(width, width, kernel, stride=stride, dilation=dilation, groups=width, bias=bias))

    def prepare_weights(self) -> None:
        """Arrange the kernels as one row per tap. Once, after loading."""
        self.register_buffer("taps", rearrange(self._take(), "d 1 k -> k d").contiguous(), persistent=False)

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), (B, context, D) -> (B, ceil(T / stride), D), new tail."""
        return self._fused(rows, tail, []) if self.fused and self.stride == 1 else super().forward(rows, tail)

    def forward_through(self, activation: nn.Module, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """The same, its outputs activated: in the same kernel where that is fused and the activation a Snake that is."""
        if self.fused and self.stride == 1 and isinstance(activation, Snake | SnakeBeta) and activation.fused:
            return self._fused(rows, tail, [activation.frequency, activation.amplitude])
        rows, tail = self(rows, tail)
        return activation(rows), tail

    def _fused(self, rows: Tensor, tail: Tensor, wave: list[Tensor]) -> tuple[Tensor, Tensor]:
        return torch.ops.engines.depthwise_conv(rows, tail, self.taps, self.bias, wave, dilation=self.dilation)

    def _kernel(self) -> Tensor:
        return rearrange(self.taps, "k d -> d 1 1 k")

    def _convolve(self, rows: Tensor) -> Tensor:
        if rows.is_cuda:
            return self._sum_over_windows(rows)
        return self._convolve_by_onednn(rows) if _are_for_onednn(rows) else self._sum_over_taps(rows)

    def _sum_over_windows(self, rows: Tensor) -> Tensor:
        """Three kernels on a GPU, whatever K."""
        mixed = (self._windows(rows) * self.taps.T).sum(-1)
        return mixed if self.bias is None else mixed + self.bias

    def _sum_over_taps(self, rows: Tensor) -> Tensor:
        """The fastest for a few rows."""
        reach = rows.shape[1] - self.span + 1
        seen = [rows[:, first : first + reach : self.stride] for first in range(0, self.span, self.dilation)]
        out = seen[0] * self.taps[0] if self.bias is None else torch.addcmul(self.bias, seen[0], self.taps[0])
        for rows_of_tap, tap in zip(seen[1:], self.taps[1:], strict=True):
            out.addcmul_(rows_of_tap, tap)
        return out


class PhasedTransposedConv1d(_Convolution):
    """ConvTranspose1d of kernel `stride` or `2 * stride`, as `stride` convolutions over the present row and, in the second case, the row
    before, whose outputs take turns.
    """

    phases: Tensor  # (stride * D_out, D_in or 2 * D_in): of the row before, of the present row

    def __init__(self, width_in: int, width_out: int, kernel: int, stride: int, *, bias: bool = True):
        super().__init__()
        self.width, self.rate, self.context = width_in, stride, _rows_before(kernel, stride)
        self.conv = nn.ConvTranspose1d(width_in, width_out, kernel, stride=stride, bias=bias)

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix, and the bias as often as its outputs take turns. Once, after loading."""
        kernel = rearrange(self._take(), "i o (n s) -> n s i o", s=self.rate).flip(0)
        self.register_buffer("phases", rearrange(kernel, "n s i o -> (s o) (n i)").contiguous(), persistent=False)
        self.bias = None if self.bias is None else self.bias.repeat(self.rate)

    def take_turns(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, T * stride, D_out), new tail."""
        if self.context:
            rows = torch.cat([tail, rows], dim=1)
            tail, rows = rows[:, -1:].clone(), torch.cat([rows[:, :-1], rows[:, 1:]], dim=2)
        return self.of_seen(rows), tail

    def of_seen(self, rows: Tensor) -> Tensor:
        """The same of rows that have the row before beside them, if it is looked at: (B, T, D_in or 2 * D_in)."""
        return linear(rows, self.phases, self.bias).unflatten(2, (self.rate, -1)).flatten(1, 2)


class CausalTransposedConv1d(Fusable, PhasedTransposedConv1d):
    """The same, cut at the right. Upstream: CausalTransConvNet of qwen-tts 0.1.1. fused: with the Snake before it, see CausalChain."""

    FUSED_BY = frozenset({"rising_snake"})

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """As `take_turns`."""
        return self.take_turns(rows, tail)


class CausalDepthwiseTransposedConv1d(Stateful):
    """The same with a kernel of its own for every channel, without bias. Upstream: the upsampling of Mimi (pocket-tts)."""

    phases: Tensor  # (1 or 2, stride, D): of the present row, of the row before

    def __init__(self, width: int, kernel: int, stride: int):
        super().__init__()
        self.width, self.rate, self.context = width, stride, _rows_before(kernel, stride)
        self.conv = nn.ConvTranspose1d(width, width, kernel, stride=stride, groups=width, bias=False)

    def prepare_weights(self) -> None:
        """Arrange the kernels as one row per phase. Once, after loading."""
        phases = rearrange(self.conv.weight.detach(), "d 1 (n s) -> n s d", s=self.rate).contiguous()
        self.register_buffer("phases", phases, persistent=False)
        del self.conv

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), (B, context, D) -> (B, T * stride, D), new tail."""
        turns = rows[:, :, None] * self.phases[0]
        if self.context:
            turns.addcmul_(torch.cat([tail, rows[:, :-1]], dim=1)[:, :, None], self.phases[1])
            tail = rows[:, -1:].clone()
        return turns.flatten(1, 2), tail


class ConvNextBlock(Stateful):
    """Depthwise causal conv of 7, LayerNorm, a GELU network four times as wide, a learned scale, residual. Upstream: qwen-tts 0.1.1."""

    KERNEL, NORM_EPS, WIDENING = 7, 1e-6, 4  # ConvNeXt (arXiv 2201.03545), kept upstream

    def __init__(self, width: int):
        super().__init__()
        self.dwconv = CausalDepthwiseConv1d(width, self.KERNEL)
        self.norm = nn.LayerNorm(width, eps=self.NORM_EPS)
        self.pwconv1 = nn.Linear(width, self.WIDENING * width)
        self.pwconv2 = nn.Linear(self.WIDENING * width, width)
        self.gamma = nn.Parameter(torch.empty(width))
        self.context, self.width = self.dwconv.context, width

    def prepare_weights(self) -> None:
        """Fold the scale into the last layer. Once, after loading."""
        self.dwconv.prepare_weights()
        self.pwconv2.weight = nn.Parameter(self.pwconv2.weight.detach() * self.gamma.detach()[:, None], requires_grad=False)
        self.pwconv2.bias = nn.Parameter(self.pwconv2.bias.detach() * self.gamma.detach(), requires_grad=False)
        del self.gamma

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D), (B, 6, D) -> (B, T, D), new tail."""
        mixed, tail = self.dwconv(rows, tail)
        return rows + self.pwconv2(F.gelu(self.pwconv1(self.norm(mixed)))), tail


def _are_for_onednn(rows: Tensor) -> bool:
    is_float32_on_cpu = rows.device.type == "cpu" and rows.dtype == torch.float32
    return is_float32_on_cpu and rows.numel() >= MANY_VALUES and torch.backends.mkldnn.is_available()


def _rows_before(kernel: int, stride: int) -> int:
    """How many rows before its own an output of a transposed convolution depends on. Raises ValueError for other kernels."""
    if kernel not in (stride, 2 * stride):
        raise ValueError(f"A transposed convolution of kernel {kernel} and stride {stride}: the kernel must be stride or 2 * stride.")
    return kernel // stride - 1
