"""How operations lay out what kernels are given: rows, blocks, and settings that all launches share."""

import torch
from torch import Tensor

__all__ = ["LARGEST_BLOCK", "PLAIN_SUMS", "flat_rows", "new_like", "power_of_two"]

LARGEST_BLOCK = 1024  # elements of one program where a row is cut into blocks
PLAIN_SUMS = {"enable_fp_fusion": False}  # a product is rounded before it is added to, as between two operations


def flat_rows(tensor: Tensor) -> Tensor:
    """(..., D) -> (R, D) with neighboring channels next to each other."""
    flat = tensor.reshape(-1, tensor.shape[-1])
    return flat if flat.stride(1) == 1 else flat.contiguous()


def new_like(tensor: Tensor, dtype: torch.dtype | None = None) -> Tensor:
    return torch.empty_like(tensor, dtype=dtype, memory_format=torch.contiguous_format)


def power_of_two(count: int) -> int:
    """The next one, as blocks of channels must be."""
    return 1 << (count - 1).bit_length()
