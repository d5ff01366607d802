"""Convolutions of HiFT: causal ones with kernels packed on a CPU, and ones over repeated rows that compute no row twice.

Channels-last, (B, T, D); parameters have the checkpoint's names, within a module `conv`, until `prepare_weights`, once after loading.
"""

from einops import rearrange
from torch import Tensor

from engines.kit.codec.causal_conv import CausalConv1d
from engines.kit.codec.packed_conv import PackedConv1d

__all__ = ["RepeatedRowsConv1d", "VocoderConv1d"]


class VocoderConv1d(CausalConv1d):
    """The causal convolution of the kit; on a CPU its kernel is packed. Upstream: CausalConv1d, causal_type "left"."""

    def __init__(self, width_in: int, width_out: int, kernel: int, **shape):
        super().__init__(width_in, width_out, kernel, **shape)
        self.packed: PackedConv1d | None = None

    def prepare_weights(self) -> None:
        """Pack the kernel, or arrange it as one matrix. Once, after loading."""
        self._arrange(self._take())

    def _arrange(self, weight: Tensor) -> None:
        """weight: (D_out, D_in, K)."""
        if PackedConv1d.can_pack(weight):
            self.packed = PackedConv1d(weight, self.bias, stride=self.stride, dilation=self.dilation)
        else:
            self.register_buffer("taps", rearrange(weight, "o i k -> o (k i)").contiguous(), persistent=False)

    def _convolve(self, rows: Tensor) -> Tensor:
        return super()._convolve(rows) if self.packed is None else self.packed(rows)


class RepeatedRowsConv1d(VocoderConv1d):
    """`rate` copies of every row, then a causal convolution over them. Upstream: CausalConv1dUpsample.

    All copies of a row are the same, so that for each of the `rate` outputs of a row the taps that meet copies of one row are one tap,
    their sum: a convolution over the rows themselves, of fewer taps and `rate` times the channels.
    """

    def __init__(self, width_in: int, width_out: int, kernel: int, rate: int):
        super().__init__(width_in, width_out, kernel)
        self.rate, self.context = rate, -(-(kernel - 1) // rate)
        self.span = self.context + 1

    def prepare_weights(self) -> None:
        """Sum the taps, and repeat the bias as often as outputs take turns. Once, after loading."""
        weight = self._take()
        width_out, width_in, kernel = weight.shape
        summed = weight.new_zeros(self.rate, width_out, width_in, self.span)
        for turn in range(self.rate):
            for tap in range(kernel):
                summed[turn, :, :, self.context + (turn + tap - kernel + 1) // self.rate] += weight[:, :, tap]
        assert self.bias is not None
        self.bias = self.bias.repeat(self.rate)
        self._arrange(summed.flatten(0, 1))

    def forward(self, rows: Tensor, tail: Tensor) -> tuple[Tensor, Tensor]:
        """(B, T, D_in), (B, context, D_in) -> (B, T * rate, D_out), new tail."""
        rows, tail = super().forward(rows, tail)
        return rows.unflatten(2, (self.rate, -1)).flatten(1, 2), tail
