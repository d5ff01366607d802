"""Fusable: a layer that lets a few kernels do its operations, if those kernels are trusted. fuse says which are."""

from collections.abc import Set
from typing import ClassVar

from torch import nn

__all__ = ["Fusable", "fuse"]


class Fusable:
    """Of modules. FUSED_BY: the operations of fused/operations.py that the layer calls, by name; only where `fused` says so."""

    FUSED_BY: ClassVar[frozenset[str]]
    fused: bool = False


def fuse(network: nn.Module, kernels: Set[str]) -> None:
    """Have all layers of the network that need no other kernels than these use them, and the others none."""
    for module in network.modules():
        if isinstance(module, Fusable):
            module.fused = kernels >= module.FUSED_BY
