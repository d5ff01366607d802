"""RowMatrix: a matrix that rows are multiplied by, made ready once for the library that is faster at its size on a CPU."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.layers.packed_linear import can_pack, packed_matrix

__all__ = ["RowMatrix"]

# From so many weights on oneDNN's packed product outweighs its start of some 15 us against torch's own of 3 us (16 rows, one core).
LEAST_PACKED_WEIGHTS = 200_000


class RowMatrix(nn.Module):
    """(..., D_in) -> (..., D_out): rows times weight (D_out, D_in) plus bias (D_out,), of float32 on a CPU. For inference."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None):
        super().__init__()
        self.is_packed = weight.numel() >= LEAST_PACKED_WEIGHTS and can_pack(weight)
        weight = weight.detach().contiguous()
        self.register_buffer("weight", packed_matrix(weight) if self.is_packed else weight, persistent=False)
        self.register_buffer("bias", None if bias is None else bias.detach().contiguous(), persistent=False)

    def forward(self, rows: Tensor) -> Tensor:
        """(..., D_in) -> (..., D_out)"""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")
        return F.linear(rows, self.weight, self.bias)

    def gelu(self, rows: Tensor) -> Tensor:
        """The same through GELU in its tanh form (arXiv 1606.08415)."""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "gelu", [], "tanh")
        return F.gelu(F.linear(rows, self.weight, self.bias), approximate="tanh")

    def add_to(self, sums: Tensor, rows: Tensor) -> Tensor:
        """sums (..., D_out), contiguous, plus the product of rows; `sums` may be overwritten. For a matrix without a bias."""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise.binary(rows, sums, self.weight, None, "add")
        sums.view(-1, sums.shape[-1]).addmm_(rows.reshape(-1, rows.shape[-1]), self.weight.T)
        return sums
