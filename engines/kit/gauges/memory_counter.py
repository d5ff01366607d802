"""MemoryCounter: bytes of the tensors that work makes on a GPU, alive at once at most, and alive when it ends.

A bound of what a graph's capture takes, from operations alone: what one operation needs for itself is not seen, and the allocator rounds.
"""

import weakref
from collections import Counter

from torch import Tensor
from torch.utils._pytree import tree_leaves

from engines.kit.gauges.dispatch_gauge import DispatchGauge

__all__ = ["MemoryCounter"]

BLOCK_BYTES = 512  # that the allocator hands out at least, and in multiples (kMinBlockSize of c10/cuda/CUDACachingAllocator.cpp)


class MemoryCounter(DispatchGauge):
    """Counts while it is entered, tensors on a GPU alone. peak_bytes: most at once. alive_bytes: by now."""

    def __init__(self):
        super().__init__()
        self.peak_bytes = self.alive_bytes = 0
        self._views: Counter[int] = Counter()  # storage -> tensors that share it

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        given = {_storage(leaf) for leaf in tree_leaves((args, kwargs)) if isinstance(leaf, Tensor)}
        result = func(*args, **(kwargs or {}))
        for made in tree_leaves(result):
            if isinstance(made, Tensor) and made.is_cuda:
                self._made(made, is_given=_storage(made) in given)
        return result

    def _made(self, tensor: Tensor, *, is_given: bool) -> None:
        """is_given: its storage was an argument's; where that is not one of those that are counted, it is older than the work."""
        storage = _storage(tensor)
        if is_given and storage not in self._views:
            return
        n_bytes = -(-tensor.untyped_storage().nbytes() // BLOCK_BYTES) * BLOCK_BYTES
        if storage not in self._views:
            self.alive_bytes += n_bytes
            self.peak_bytes = max(self.peak_bytes, self.alive_bytes)
        self._views[storage] += 1
        weakref.finalize(tensor, self._freed, storage, n_bytes).atexit = False

    def _freed(self, storage: int, n_bytes: int) -> None:
        self._views[storage] -= 1
        if not self._views[storage]:
            del self._views[storage]
            self.alive_bytes -= n_bytes


def _storage(tensor: Tensor) -> int:
    return tensor.untyped_storage()._cdata
