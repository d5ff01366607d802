"""Fusable: a layer that lets a few kernels do its operations, if those kernels are trusted. fuse says which are."""

from collections.abc import Set
from typing import ClassVar

from torch import nn

__all__ = ["LAYER_WAYS", "OVERLAPPING", "Fusable", "fuse"]

# Ways to compute a layer, which stand beside the names of kernels where they are faster on the device (fused/layer_trial.py): by five
# kernels, of passes with so many rows; and so that each kernel begins before the one before it has ended.
LAYER_WAYS = {"layers_of_few_rows": range(1, 33), "layers_of_some_rows": range(33, 257), "layers_of_many_rows": range(257, 2049)}
OVERLAPPING = "overlapping_layers"


class Fusable:
    """Of modules. FUSED_BY: the operations of fused/operations.py that the layer calls, by name; only where `fused` says so."""

    FUSED_BY: ClassVar[frozenset[str]]
    fused: bool = False

    def use(self, kernels: Set[str]) -> None:
        """Have the layer call these, if it needs no other ones."""
        self.fused = kernels >= self.FUSED_BY


def fuse(network: nn.Module, kernels: Set[str]) -> None:
    """Have all layers of the network that need no other kernels than these use them, and the others none."""
    for module in network.modules():
        if isinstance(module, Fusable):
            module.use(kernels)
