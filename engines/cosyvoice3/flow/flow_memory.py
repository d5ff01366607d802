"""FlowMemory: what the flow network remembers of finished frames. So the next frames cost no more than themselves."""

import mmap
import sys
from math import prod
from typing import NamedTuple, Self

import torch
from torch import Tensor

__all__ = ["N_GUIDED", "FlowMemory", "SavedFlow"]

N_GUIDED = 2  # rows of one stream: conditioned, and without conditions (classifier-free guidance)


class SavedFlow(NamedTuple):
    """A row after `end` frames. keys_values: (steps, layers, 2, 2, 1, heads, end, dim_head). contexts: (steps, 2, 2, 1, context, dim)."""

    keys_values: Tensor
    contexts: Tensor

    @property
    def bytes(self) -> int:
        return self.keys_values.nbytes + self.contexts.nbytes


class FlowMemory:
    """keys_values: (Euler steps, layers, keys and values, guided rows, B, heads, length + 1, dim_head).

    contexts: (Euler steps, convolutions, guided rows, B, frames, dim): the last input frames of both position convolutions.
    Guided rows are the conditioned one, then the other. Every number is finite, read or not: what a mask hides is multiplied by zero.
    The last position is nobody's: frames that pad a row are written there, and nothing reads it.
    """

    def __init__(self, keys_values: Tensor, contexts: Tensor):
        self.keys_values, self.contexts = keys_values, contexts

    @classmethod
    def zeros(
        cls, keys_values: tuple[int, ...], contexts: tuple[int, ...], dtypes: tuple[torch.dtype, torch.dtype], device: torch.device
    ) -> Self:
        """Of those shapes and types: before the first frame of every row. On a CPU room that is not used takes no memory."""
        shapes = zip((keys_values, contexts), dtypes, strict=True)
        make = _untouched_zeros if device.type == "cpu" else torch.zeros
        return cls(*(make(shape, dtype=dtype, device=device) for shape, dtype in shapes))

    @property
    def batch(self) -> int:
        """B, streams."""
        return self.keys_values.shape[4]

    @property
    def length(self) -> int:
        """Frames that a row has room for."""
        return self.keys_values.shape[6] - 1

    @property
    def bytes(self) -> int:
        """Of all the room there is."""
        return self.keys_values.nbytes + self.contexts.nbytes

    def row(self, index: int) -> "FlowMemory":
        """One of the B rows, the same memory as one of batch 1."""
        at = slice(index, index + 1)
        return FlowMemory(self.keys_values[:, :, :, :, at], self.contexts[:, :, :, at])

    def forget(self) -> None:
        """Every row is before its first frame again. Keys and values stay and are written over before they are seen."""
        self.contexts.zero_()

    def saved(self, end: int) -> SavedFlow:
        """A copy of all rows as they are now, after `end` frames."""
        return SavedFlow(self.keys_values[..., :end, :].clone(), self.contexts.clone())

    def keep(self, other: "FlowMemory", end: int) -> None:
        """Be what another memory is after `end` frames, which is not copied in between."""
        self.keys_values[..., :end, :].copy_(other.keys_values[..., :end, :])
        self.contexts.copy_(other.contexts)

    def restore(self, saved: SavedFlow) -> None:
        """Be what `saved` gave of this or another memory of the same sizes but for length, type and device."""
        self.keys_values[..., : saved.keys_values.shape[6], :].copy_(saved.keys_values)
        self.contexts.copy_(saved.contexts)


def _untouched_zeros(shape: tuple[int, ...], dtype: torch.dtype, device: torch.device) -> Tensor:
    """torch.zeros writes every zero; pages of a fresh mapping are zeros that exist once they are written. A frame takes megabytes here."""
    count = prod(shape)
    return torch.frombuffer(_fresh_mapping(count * dtype.itemsize), dtype=dtype, count=count).view(shape)


def _fresh_mapping(n_bytes: int) -> mmap.mmap:
    if sys.platform == "win32":  # whose mappings without a file are nobody else's
        return mmap.mmap(-1, n_bytes)
    return mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
