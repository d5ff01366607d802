"""Scratch: memory for values that live no longer than a layer. Every call on a thread uses it again."""

import threading
from math import prod
from typing import Self

import torch
from torch import Tensor

__all__ = ["Scratch"]

MOST_SHAPES = 200  # of a few layers times a few lengths and numbers of streams


class Scratch(threading.local):
    """Named float32 buffers of each thread's own; they stay as large as was ever asked for, until the thread or this ends.

    What malloc gives back to the system is got again page by page: of a buffer of half a megabyte that takes longer than to fill it.
    """

    def __init__(self):
        super().__init__()
        self._buffers: dict[str, Tensor] = {}
        self._shown: dict[tuple, Tensor] = {}  # buffers in the shapes they were asked for in: one look-up instead of two views

    def __reduce__(self) -> tuple[type[Self], tuple]:
        return type(self), ()  # a copy begins empty

    def take(self, name: str, *shape: int) -> Tensor:
        """A tensor of that shape, holding anything; what was taken under that name before is overwritten with it."""
        shown = self._shown.get((name, shape))
        return self._show(name, shape) if shown is None else shown

    def _show(self, name: str, shape: tuple[int, ...]) -> Tensor:
        buffer, n_values = self._buffers.get(name), prod(shape)
        if buffer is None or len(buffer) < n_values:
            with torch.inference_mode(False):  # a tensor of that mode could not be written to outside it
                buffer = self._buffers[name] = torch.empty(n_values)
            self._shown = {key: shown for key, shown in self._shown.items() if key[0] != name}
        if len(self._shown) >= MOST_SHAPES:
            self._shown.clear()
        self._shown[name, shape] = buffer[:n_values].view(shape)
        return self._shown[name, shape]
