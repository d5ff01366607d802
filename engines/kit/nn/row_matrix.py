"""Matrices that a CPU multiplies few rows by, laid out once for that: in float32, or in 8 bits.

In both, the product of a row does not depend on the number of other rows, if there are any. For a row alone a library may sum in another
order (see batch_check.py).
"""

from functools import cache
from typing import Protocol

import torch
from torch import Tensor

__all__ = ["Float32Matrix", "Int8Matrix", "RowProduct", "can_quantize"]

INT8_LEVELS = 127  # of one sign
WIDEST_TRIED = 64  # columns of the largest numbers there are
SMALLEST_PEAK = 1e-30  # of a row: below it a row counts as zeros


class RowProduct(Protocol):
    """Of D_in rows and D_out columns."""

    bytes: int

    def __call__(self, rows: Tensor) -> Tensor:
        """(B, D_in) -> (B, D_out)"""
        ...

    def add_to(self, base: Tensor, rows: Tensor) -> Tensor:
        """(B, D_out) and the product of (B, D_in): their sum."""
        ...


class Float32Matrix:
    """weight: (D_out, D_in), which is laid out the other way round: then four rows cost a CPU hardly more than one, and a product costs
    torch 2 us, where oneDNN's packed matrices take 10 more.
    """

    def __init__(self, weight: Tensor):
        self._columns = weight.detach().t().contiguous()
        self.bytes = self._columns.nbytes

    def __call__(self, rows: Tensor) -> Tensor:
        return torch.mm(rows, self._columns)

    def add_to(self, base: Tensor, rows: Tensor) -> Tensor:
        return torch.addmm(base, rows, self._columns)


class Int8Matrix:
    """weight: (D_out, D_in), in 8 bits with a scale per output; every row that comes is brought to 8 bits by its own peak.

    torch's kernel takes one scale for all rows that it is given. So that no row depends on its neighbors, each is brought to a peak of one
    first, and a last row says that one is the range. Where the CPU sums products of 8 bits in 16, which overflow, rows have 7 bits.
    """

    def __init__(self, weight: Tensor):
        weight = weight.detach().float()
        scales = (weight.abs().amax(1) / INT8_LEVELS).clamp_min(SMALLEST_PEAK).double()
        offsets = torch.zeros(len(weight), dtype=torch.int64)
        quantized = torch.quantize_per_channel(weight, scales, offsets, 0, torch.qint8)
        self._packed = torch.ops.quantized.linear_prepack(quantized, None)
        self._range = torch.zeros(1, weight.shape[1])
        self._range[0, 0], self._range[0, -1] = 1, -1
        self._has_7_bits = _overflows()
        self.bytes = weight.numel() + 8 * len(weight)

    def __call__(self, rows: Tensor) -> Tensor:
        product, peaks = self._product(rows)
        return product.mul_(peaks)

    def add_to(self, base: Tensor, rows: Tensor) -> Tensor:
        return torch.addcmul(base, *self._product(rows))

    def _product(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        peaks = torch.linalg.vector_norm(rows, torch.inf, 1, keepdim=True).clamp_min_(SMALLEST_PEAK)
        scaled = torch.cat([rows / peaks, self._range])
        return torch.ops.quantized.linear_dynamic(scaled, self._packed, self._has_7_bits)[: len(rows)], peaks


@cache
def _overflows() -> bool:
    """Whether this machine's kernel loses what does not fit 16 bits, as FBGEMM's does without VNNI instructions: tried, not looked up."""
    scales, offsets = torch.full((8,), 1 / INT8_LEVELS, dtype=torch.float64), torch.zeros(8, dtype=torch.int64)
    ones = torch.quantize_per_channel(torch.ones(8, WIDEST_TRIED), scales, offsets, 0, torch.qint8)
    product = torch.ops.quantized.linear_dynamic(torch.ones(2, WIDEST_TRIED), torch.ops.quantized.linear_prepack(ones, None))
    return bool((product - WIDEST_TRIED).abs().max() > 0.01 * WIDEST_TRIED)


def can_quantize() -> bool:
    """Whether this machine has kernels for Int8Matrix."""
    return torch.backends.quantized.engine in ("x86", "fbgemm", "onednn")
