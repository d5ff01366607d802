"""Graphs for a CPU that behave as CUDA graphs do: what was recorded is done again on the same tensors, and no Python runs again."""

from collections.abc import Callable, Hashable

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from engines.layers.cuda_graphs import Graphs

__all__ = ["ReplayedGraphs"]

# They wait for the device, or (the last) bring a number from the host.
WAITS = ("aten::_local_scalar_dense", "aten::item", "aten::nonzero", "aten::masked_select", "aten::is_nonzero", "aten::lift_fresh")


class _Recorder(TorchDispatchMode):
    """Keeps every operation with its arguments and results, and refuses those that would wait for a device."""

    def __init__(self):
        super().__init__()
        self.done = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.name().partition(".")[0] in WAITS:
            raise AssertionError(f"{func.name()} waits for the device: no graph can hold it")
        result = func(*args, **(kwargs or {}))
        self.done.append((func, args, kwargs or {}, result))
        return result


class ReplayedGraphs(Graphs):
    """Counts replays, so that a test can tell that there were some."""

    def __init__(self):
        super().__init__(torch.device("cpu"))
        self._recorded: dict[Hashable, list] = {}
        self.replays = 0

    def capture(self, key: Hashable, work: Callable[[], None]) -> None:
        work()
        with _Recorder() as recorder:
            work()
        self._recorded[key] = recorder.done

    def run(self, key: Hashable, work: Callable[[], None]) -> None:
        if key not in self._recorded:
            super().run(key, work)
            return
        self.replays += 1
        for func, args, kwargs, result in self._recorded[key]:
            _overwrite(result, func(*args, **kwargs), tree_leaves((args, kwargs)))


def _overwrite(recorded, new, given) -> None:
    """Results go where they went when recorded; a result that is a view of an argument, or the argument itself, is there already."""
    storages = {leaf.untyped_storage().data_ptr() for leaf in given if isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided}
    for old, value in zip(tree_leaves(recorded), tree_leaves(new), strict=True):
        if isinstance(old, torch.Tensor) and old.untyped_storage().data_ptr() not in storages:
            old.copy_(value)
