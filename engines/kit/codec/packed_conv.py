"""PackedConv1d: a kernel in the layout of the CPU's kernels (oneDNN's), packed once. torch's plain convolution packs it in every call."""

import torch
from torch import Tensor, nn

from engines.kit.nn import packed_linear

__all__ = ["PackedConv1d"]

USUAL_ROWS = 512  # of outputs that oneDNN is told to expect where it chooses the layout; any number may come


class PackedConv1d(nn.Module):
    """(B, T, D) -> (B, places, D_out): rows channels-last, a kernel at every place where it fits, nothing padded.

    weight: (D_out, D / groups, K), as nn.Conv1d has it, one that `can_pack`; its elements are nobody's to read afterwards. K is above 1:
    for single rows there is PackedLinear, and oneDNN may take thirty times as long where it laid out such a kernel for other numbers.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, stride: int = 1, dilation: int = 1, groups: int = 1):
        super().__init__()
        self._shapes = ([0, 0], [1, stride], [1, dilation], groups)
        expected = [1, weight.shape[1] * groups, 1, (USUAL_ROWS - 1) * stride + (weight.shape[2] - 1) * dilation + 1]
        kernel = weight.detach().unsqueeze(2).contiguous(memory_format=torch.channels_last)
        self.weight = nn.Parameter(torch.ops.mkldnn._reorder_convolution_weight(kernel, *self._shapes, expected), requires_grad=False)
        self.bias = None if bias is None else nn.Parameter(bias.detach(), requires_grad=False)

    @staticmethod
    def can_pack(weight: Tensor) -> bool:
        """Whether it is worth it, and this machine has the kernels for a weight that lies there, in that type."""
        return weight.shape[2] > 1 and packed_linear.can_pack(weight)

    def forward(self, rows: Tensor) -> Tensor:
        """As a convolution of two dimensions: torch hands on no other in this layout, which it knows by the strides of `unsqueeze`."""
        seen = rows.mT.unsqueeze(2)
        return torch.ops.mkldnn._convolution_pointwise(seen, self.weight, self.bias, *self._shapes, "none", [], "").squeeze(2).mT
