"""Causal convolutions that can be fed piece by piece: what the next piece needs goes out as a tail and comes back in with it.

Everything here is channels-last, (B, T, D). A convolution is a sum of matrix products, one per tap: on a CPU that reaches the speed of a
large matrix product from one row on, where a convolution kernel rearranges its weights at every call.
Parameters have the checkpoint's names until `prepare_weights` replaces them, once after loading, by what is multiplied.
"""

from collections.abc import Iterator, Sequence

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

__all__ = ["CausalChain", "CausalConv1d", "CausalTransposedConv1d", "ConvNextBlock", "SnakeBeta", "Stateful"]

FEW_CHANNELS = 8  # below it, one product over all taps beats a product per tap


class Stateful(nn.Module):
    """A causal layer `(rows (B, T, D), tail) -> (rows, new tail)` whose outputs do not depend on how the rows were cut into pieces.

    context: input rows before a row that its output still depends on, and rows of the tail. width: of a row of the tail.
    rate: output rows per input row. A tail of zeros is silence before the start. The tail that goes out is a tensor of its own, the one
    that comes in is only read.
    """

    context: int = 0
    width: int
    rate: int = 1

    def start(self, batch: int, like: Tensor) -> Tensor:
        """The tail before the first row: (batch, context, width) zeros of the dtype and on the device of `like`."""
        return like.new_zeros(batch, self.context, self.width)


class CausalConv1d(Stateful):
    """Conv1d that sees the present and the past. Upstream: CausalConvNet of qwen-tts 0.1.1, MimiConv1d of transformers 4.57.3.

    The past of the first row is zeros; at the right, zeros complete the last stride, so T rows give ceil(T / stride). After such a
    completion the stream is at its end.
    """

    taps: Tensor  # (K, D_in, D_out)

    def __init__(self, width_in: int, width_out: int, kernel: int, *, stride: int = 1, dilation: int = 1, bias: bool = True):
        super().__init__()
        self.width, self.stride, self.dilation = width_in, stride, dilation
        self.span = (kernel - 1) * dilation + 1
        self.context = self.span - stride
        self.conv = nn.Conv1d(width_in, width_out, kernel, stride=stride, dilation=dilation, bias=bias)

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix per tap. Once, after loading."""
        self.register_buffer("taps", rearrange(self.conv.weight.detach(), "o i k -> k i o").contiguous(), persistent=False)
        self.register_buffer("bias", None if self.conv.bias is None else self.conv.bias.detach(), persistent=False)
        del self.conv

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, ceil(T / stride), D_out), new tail."""
        missing = -rows.shape[1] % self.stride
        rows = torch.cat([tail, rows], dim=1) if self.context else rows
        new_tail = rows[:, rows.shape[1] - self.context :].clone()
        return self._convolve(F.pad(rows, (0, 0, 0, missing)) if missing else rows), new_tail

    def _convolve(self, rows: Tensor) -> Tensor:
        if len(self.taps) > 1 and (rows.is_cuda or self.width < FEW_CHANNELS):
            windows = rows.unfold(1, self.span, self.stride)[..., :: self.dilation]  # (B, T, D_in, K); one kernel on a GPU instead of K
            product = rearrange(windows, "b t i k -> b t (k i)") @ self.taps.flatten(0, 1)
            return product if self.bias is None else product + self.bias
        reach = rows.shape[1] - self.span + 1
        out = None
        for index, tap in enumerate(self.taps[:, None].expand(-1, len(rows), -1, -1)):
            seen = rows[:, index * self.dilation : index * self.dilation + reach : self.stride]
            if out is not None:
                out.baddbmm_(seen, tap)
            else:
                out = torch.bmm(seen, tap) if self.bias is None else torch.baddbmm(self.bias, seen, tap)
        return out


class CausalTransposedConv1d(Stateful):
    """ConvTranspose1d of kernel `stride` or `2 * stride`, cut at the right. Upstream: CausalTransConvNet of qwen-tts 0.1.1.

    That is `stride` convolutions over the present row and, in the second case, the row before, whose outputs take turns.
    """

    phases: Tensor  # (1 or 2, stride, D_in, D_out): of the present row, of the row before

    def __init__(self, width_in: int, width_out: int, kernel: int, stride: int):
        super().__init__()
        if kernel not in (stride, 2 * stride):
            raise ValueError(f"A transposed convolution of kernel {kernel} and stride {stride}: the kernel must be stride or 2 * stride.")
        self.width, self.rate, self.context = width_in, stride, kernel // stride - 1
        self.conv = nn.ConvTranspose1d(width_in, width_out, kernel, stride=stride)

    def prepare_weights(self) -> None:
        """Arrange the kernel as one matrix per phase. Once, after loading."""
        phases = rearrange(self.conv.weight.detach(), "i o (n s) -> n s i o", s=self.rate).contiguous()
        self.register_buffer("phases", phases, persistent=False)
        self.register_buffer("bias", self.conv.bias.detach(), persistent=False)
        del self.conv

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, T * stride, D_out), new tail."""
        batch, n_rows, n_phases = *rows.shape[:2], self.rate
        out = torch.bmm(rows.flatten(0, 1).expand(n_phases, -1, -1), self.phases[0])
        if self.context:
            before = torch.cat([tail, rows[:, :-1]], dim=1).flatten(0, 1)
            out.baddbmm_(before.expand(n_phases, -1, -1), self.phases[1])
            tail = rows[:, -1:].clone()
        turns = rows.new_empty(batch, n_rows, n_phases, len(self.bias))
        torch.add(rearrange(out, "s (b t) o -> b t s o", b=batch), self.bias, out=turns)
        return turns.flatten(1, 2), tail


class _CausalDepthwiseConv1d(Stateful):
    """Conv1d with a kernel of its own for every channel."""

    taps: Tensor  # (D, K)

    def __init__(self, width: int, kernel: int):
        super().__init__()
        self.width, self.kernel, self.context = width, kernel, kernel - 1
        self.conv = nn.Conv1d(width, width, kernel, groups=width)

    def prepare_weights(self) -> None:
        self.register_buffer("taps", self.conv.weight.detach()[:, 0].contiguous(), persistent=False)
        self.register_buffer("bias", self.conv.bias.detach(), persistent=False)
        del self.conv

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        rows = torch.cat([tail, rows], dim=1)
        return (rows.unfold(1, self.kernel, 1) * self.taps).sum(-1) + self.bias, rows[:, -self.context :].clone()


class ConvNextBlock(Stateful):
    """Depthwise causal conv of 7, LayerNorm, a GELU network four times as wide, a learnt scale, residual. Upstream: qwen-tts 0.1.1."""

    KERNEL, NORM_EPS, WIDENING = 7, 1e-6, 4  # ConvNeXt (arXiv 2201.03545), kept upstream

    def __init__(self, width: int):
        super().__init__()
        self.dwconv = _CausalDepthwiseConv1d(width, self.KERNEL)
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


class SnakeBeta(nn.Module):
    """x + sin(x * e^alpha)^2 / e^beta, alpha and beta learnt per channel: arXiv 2006.08195 with a magnitude of its own."""

    LEAST_DIVISOR = 1e-9  # qwen-tts 0.1.1, SnakeBeta.no_div_by_zero

    def __init__(self, width: int):
        super().__init__()
        self.alpha = nn.Parameter(torch.empty(width))
        self.beta = nn.Parameter(torch.empty(width))

    def prepare_weights(self) -> None:
        """Frequency and amplitude from their logarithms. Once, after loading."""
        self.register_buffer("frequency", self.alpha.detach().exp(), persistent=False)
        self.register_buffer("amplitude", 1 / (self.beta.detach().exp() + self.LEAST_DIVISOR), persistent=False)
        del self.alpha, self.beta

    def forward(self, rows: Tensor) -> Tensor:
        """(B, T, D) -> (B, T, D)."""
        return torch.addcmul(rows, (rows * self.frequency).sin_().square_(), self.amplitude)


class CausalChain:
    """Layers one after another, Stateful ones and ones that look at single rows; the tails of the chain are one tuple.

    It holds no parameters of its own: the layers belong to the module that names them as the checkpoint does.
    """

    def __init__(self, layers: Sequence[nn.Module]):
        self._layers = tuple(layers)
        self._n_rows_that_matter = self._count_rows_that_matter()

    def start(self, batch: int, like: Tensor) -> tuple[Tensor, ...]:
        """The tails before the first row, of the dtype and on the device of `like`."""
        return tuple(layer.start(batch, like) for layer in self._layers if isinstance(layer, Stateful) and layer.context)

    def __call__(self, rows: Tensor, tails: Sequence[Tensor]) -> tuple[Tensor, tuple[Tensor, ...]]:
        """(B, T, D), tails -> (B, T * rates, D_out), new tails."""
        left, new = iter(tails), []
        for layer in self._layers:
            rows, tail = _advance(layer, rows, left)
            new += tail
        return rows, tuple(new)

    def tails_after(self, rows: Tensor) -> tuple[Tensor, ...]:
        """The tails that calling with all rows from the start would leave, from the last few rows alone. rows: (B, T, D).

        Before each layer, rows on which no tail from there on depends are dropped. What the zeros in the place of their past make wrong
        is dropped before the next one. So a thousand frames cost about as much as one.
        """
        left, new = iter(self.start(len(rows), rows)), []
        for layer, n_rows in zip(self._layers, self._n_rows_that_matter, strict=True):
            rows, tail = _advance(layer, rows[:, max(0, rows.shape[1] - n_rows) :], left)
            new += tail
        return tuple(new)

    def _count_rows_that_matter(self) -> list[int]:
        """For each layer, how many of its last input rows its tail and all later tails depend on."""
        counts, needed = [], 0
        for layer in reversed(self._layers):
            if isinstance(layer, Stateful):
                needed = -(-needed // layer.rate) + layer.context
            counts.append(needed)
        return counts[::-1]


def _advance(layer: nn.Module, rows: Tensor, left: Iterator[Tensor]) -> tuple[Tensor, list[Tensor]]:
    """Rows through one layer; the next of the tails that are left goes in, the new one comes out, where the layer has one."""
    if not isinstance(layer, Stateful):
        return layer(rows), []
    rows, tail = layer(rows, next(left) if layer.context else rows[:, :0])
    return rows, [tail] if layer.context else []
