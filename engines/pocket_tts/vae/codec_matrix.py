"""CodecMatrix: a matrix that rows are multiplied by, prepared once for the library that is faster at its size on a CPU."""

import torch
from torch import Tensor, nn

from engines.kit.nn.batch_check import least_rows
from engines.kit.nn.packed_linear import can_pack, packed_matrix

__all__ = ["CodecMatrix"]

# From so many weights on oneDNN's packed product outweighs its start, some 15 us against 3 of torch's own (16 rows, one core). Below, a
# matrix that lies column by column saves torch the turning round of it in every call: up to half the time of 16 rows.
LEAST_PACKED_WEIGHTS = 2**18
GELU_SLOPE, GELU_BEND = 1.5957691216057308, 0.044715  # 2 sqrt(2 / pi), and the factor of the cube: arXiv 1606.08415, section 2


class CodecMatrix(nn.Module):
    """(N, D_in) -> (N, D_out): rows times weight (D_out, D_in) plus bias (D_out,), of float32 on a CPU. For inference."""

    weight: Tensor
    bias: Tensor | None
    _slope: Tensor

    def __init__(self, weight: Tensor, bias: Tensor | None = None):
        super().__init__()
        self.width, self.is_packed = len(weight), weight.numel() >= LEAST_PACKED_WEIGHTS and can_pack(weight)
        weight = packed_matrix(weight.detach().contiguous()) if self.is_packed else weight.detach().T.contiguous()
        self.register_buffer("weight", weight, persistent=False)
        self.register_buffer("bias", None if bias is None else bias.detach().contiguous(), persistent=False)
        self.register_buffer("_slope", torch.tensor(GELU_SLOPE), persistent=False)

    def forward(self, rows: Tensor, out: Tensor | None = None) -> Tensor:
        """(N, D_in) -> (N, D_out). out: memory for it that may be used."""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")
        if len(rows) < least_rows():
            return self(_in_company(rows))[: len(rows)]
        return torch.mm(rows, self.weight, out=out) if self.bias is None else torch.addmm(self.bias, rows, self.weight, out=out)

    __call__ = forward  # no hooks: they cost as much as a small kernel

    def gelu(self, rows: Tensor) -> Tensor:
        """The same through GELU in its tanh form, as x * sigmoid(slope * (x + bend * x^3)): torch's own takes twice the time."""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "gelu", [], "tanh")
        raised = self(rows)
        return torch.addcmul(self._slope, raised, raised, value=GELU_SLOPE * GELU_BEND).mul_(raised).sigmoid_().mul_(raised)

    def add_to(self, sums: Tensor, rows: Tensor) -> Tensor:
        """sums (N, D_out) plus the product of rows (N, D_in); `sums` may be overwritten. For a matrix without a bias."""
        if self.is_packed:
            return torch.ops.mkldnn._linear_pointwise.binary(rows, sums, self.weight, None, "add")
        if len(rows) < least_rows():
            return _in_company(sums).addmm_(_in_company(rows), self.weight)[: len(rows)]
        return sums.addmm_(rows, self.weight)


def _in_company(rows: Tensor) -> Tensor:
    """Few rows with the first again and again: of so few alone torch takes another sum."""
    return torch.cat([rows, rows[:1].expand(least_rows() - len(rows), -1)])
