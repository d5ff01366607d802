"""prepare_parts: makes what a network multiplies from what the checkpoint has, part by part."""

from types import UnionType
from typing import Protocol, cast

from torch import nn

__all__ = ["prepare_parts"]


class _Prepared(Protocol):
    def prepare_weights(self) -> None: ...


def prepare_parts(network: nn.Module, kinds: type[_Prepared] | UnionType) -> None:
    """Have every part of these kinds (a class with `prepare_weights`, or a union of such) prepare its weights. Once, after loading.

    Parts replace their own parameters, so that they are listed before the first does.
    """
    for part in [cast(_Prepared, module) for module in network.modules() if isinstance(module, kinds)]:
        part.prepare_weights()
    network.requires_grad_(False)
