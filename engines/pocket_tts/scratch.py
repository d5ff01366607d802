"""Scratch: memory for what lives no longer than a layer, used again by every call on a thread."""

import threading
from typing import Self

import torch
from torch import Tensor

__all__ = ["Scratch"]


class Scratch(threading.local):
    """Named float32 buffers of each thread's own; they stay as large as was ever asked for, until the thread or this ends.

    What malloc gives back to the system is got again page by page: of a buffer of half a megabyte that takes longer than to fill it.
    """

    def __init__(self):
        super().__init__()
        self._buffers: dict[str, Tensor] = {}

    def __reduce__(self) -> tuple[type[Self], tuple]:
        return type(self), ()  # a copy begins empty

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor of that shape, holding anything; what was taken under that name before is overwritten with it."""
        n_values = torch.Size(shape).numel()
        buffer = self._buffers.get(name)
        if buffer is None or len(buffer) < n_values:
            buffer = self._buffers[name] = torch.empty(n_values)
        return buffer[:n_values].view(shape)
