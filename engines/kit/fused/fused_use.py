"""FusedUse: who is to use fused kernels, for which they are checked and tried."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from engines.kit.nn.attention import AttentionConfig

__all__ = ["Case", "Check", "FusedUse"]


@dataclass(frozen=True)
class FusedUse:
    """Who is to use the kernels: the attention of a decoder, whose sizes all kernels are compiled for, the dtype and the device."""

    attention: AttentionConfig
    dtype: torch.dtype
    device: torch.device

    def drawn(self, *shape: int, seed: int = 0) -> Tensor:
        """Normal numbers, the same on every device."""
        return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(self.device, self.dtype)


Case = tuple[Tensor, Tensor]  # what the kernel made, what the formula makes
Check = Callable[[FusedUse], Iterator[Case]]
