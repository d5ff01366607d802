"""Rotary position embedding (Su et al. 2021, arXiv 2104.09864) by halves, as Qwen and Mimi rotate: first half against second half."""

import torch
from torch import Tensor

__all__ = ["apply_rotary", "rotate_half"]


def apply_rotary(heads: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Heads (..., D) turned by angles of which cos and sin, both halves alike, broadcast against them. Sums in the heads' dtype."""
    return heads * cos + rotate_half(heads) * sin


def rotate_half(heads: Tensor) -> Tensor:
    """(x1, x2) -> (-x2, x1) over halves of the last dimension."""
    first, second = heads.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)
