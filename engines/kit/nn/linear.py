"""linear: multiplies rows by a matrix, with the library that is fastest at it on a CPU. For inference: it has no gradient."""

import torch
import torch.nn.functional as F
from torch import Tensor

__all__ = ["linear"]

HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def linear(rows: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """rows (..., D_in) times weight (D_out, D_in) plus bias (D_out,), (..., D_out): F.linear, of float32 on a CPU done by oneDNN.

    torch asks MKL for it, which uses half the width of CPUs that are not Intel's (AVX2 of AVX-512): oneDNN is there twice as fast from some
    rows on, and no slower for one. torch's own compiler calls this operation, too, where it may choose.
    """
    if HAS_ONEDNN and rows.device.type == "cpu" and rows.dtype == torch.float32:
        return torch.ops.mkldnn._linear_pointwise(rows, weight, bias, "none", [], "")
    return F.linear(rows, weight, bias)
