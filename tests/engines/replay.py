"""Graphs for a CPU that behave as CUDA graphs do: what was recorded is done again on the same tensors, and no Python runs again."""

from collections.abc import Callable, Hashable
from typing import NamedTuple

import torch
from torch.utils._pytree import tree_leaves

from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.gauges.dispatch_gauge import DispatchGauge

__all__ = ["ReplayedGraphs"]

# They wait for the device, or (the last) bring a number from the host.
WAITS = ("aten::_local_scalar_dense", "aten::item", "aten::nonzero", "aten::masked_select", "aten::is_nonzero", "aten::lift_fresh")


class _Recorder(DispatchGauge):
    """Keeps every operation that computes, with its arguments and where its results go, and refuses those that would wait for a device."""

    def __init__(self):
        super().__init__()
        self.done: list[_Operation] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.name().partition(".")[0] in WAITS:
            raise AssertionError(f"{func.name()} waits for the device: no graph can hold it")
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        storages = {leaf.untyped_storage().data_ptr() for leaf in tree_leaves((args, kwargs)) if _is_dense(leaf)}
        own = [
            (place, leaf)
            for place, leaf in enumerate(tree_leaves(result))
            if isinstance(leaf, torch.Tensor) and leaf.untyped_storage().data_ptr() not in storages
        ]
        if own or func._schema.is_mutable:  # another view of an argument is there already
            self.done.append(_Operation(func, args, kwargs, own))
        return result


class _Operation(NamedTuple):
    """own: which of the results are neither an argument nor a view of one, and where they went."""

    func: Callable
    args: tuple
    kwargs: dict
    own: list[tuple[int, torch.Tensor]]

    def repeat(self) -> None:
        """Results go where they went when recorded."""
        new = self.func(*self.args, **self.kwargs)
        results = [new] if isinstance(new, torch.Tensor) else tree_leaves(new)
        for place, old in self.own:
            old.copy_(results[place])


class ReplayedGraphs(Graphs):
    """Counts replays, so that a test can tell that there were some."""

    def __init__(self):
        super().__init__(torch.device("cpu"))
        self._recorded: dict[Hashable, list[_Operation]] = {}
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
        for operation in self._recorded[key]:
            operation.repeat()


def _is_dense(leaf: object) -> bool:
    """A tensor whose elements others may see, too; a packed matrix has none to see."""
    return isinstance(leaf, torch.Tensor) and leaf.layout is torch.strided
