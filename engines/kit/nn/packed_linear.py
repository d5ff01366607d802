"""PackedLinear: a matrix laid out as the CPU's kernels read it (oneDNN's), once, where torch's plain product lays it out in every call.

It pays where rows are few, as in all steps that make a frame: there the weights are read from memory anew in every call, and little else
is done.
"""

import torch
from torch import Tensor, nn

from engines.kit.nn.even_rows import product_of_even_rows

__all__ = ["PackedLinear", "can_pack", "keeps_rows_apart", "pack_linears", "packed_matrix"]


class PackedLinear(nn.Module):
    """nn.Linear of a packed matrix. weight: the same shape, type and size as before, but its elements are nobody's to read.

    The product is the plain one within a rounding, and that of a row does not depend on where it stands and how many others there are, if
    there are any (see even_rows.py).
    """

    def __init__(self, linear: nn.Linear):
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight = nn.Parameter(torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach()), requires_grad=False)
        self.bias = linear.bias

    def forward(self, rows: Tensor) -> Tensor:
        """(..., in_features) -> (..., out_features)"""
        if rows.shape[:-1].numel() == 1:
            return self._product(rows)
        return product_of_even_rows(self._product, rows, self.out_features)

    def _product(self, rows: Tensor) -> Tensor:
        return torch.ops.mkldnn._linear_pointwise(rows, self.weight, self.bias, "none", [], "")


def packed_matrix(weight: Tensor) -> Tensor:
    """(D_out, D_in) float32 laid out for `linear` of kit/nn/linear.py, which then is all that may read it; as it is where it cannot be."""
    is_fit = weight.dtype == torch.float32 and can_pack(weight)
    return torch.ops.mkldnn._reorder_linear_weight(weight.detach()) if is_fit else weight


def can_pack(weight: Tensor) -> bool:
    """Whether this machine has the kernels for a matrix that lies there, in that type."""
    if weight.device.type != "cpu" or not torch.backends.mkldnn.is_available() or torch.ops.mkldnn._is_mkldnn_acl_supported():
        return False
    return weight.dtype == torch.float32 or (weight.dtype == torch.bfloat16 and torch.ops.mkldnn._is_mkldnn_bf16_supported())


def keeps_rows_apart(network: nn.Module) -> bool:
    """Whether every matrix in the network is packed, so that two rows and more have the bits that they have in any company."""
    return not any(type(module) is nn.Linear for module in network.modules())


def pack_linears(network: nn.Module) -> None:
    """Pack every nn.Linear in the network that can be; the plain matrices are given up, one after the other. Not where layers are compiled.

    Weights that were a file's own memory become the process's.
    """
    for parent in [module for module in network.modules() if type(module) is not nn.Linear]:  # who kept those would keep their matrices
        for name, child in parent.named_children():
            if type(child) is nn.Linear and can_pack(child.weight):
                setattr(parent, name, PackedLinear(child))
