"""module_list and module_dict: torch's containers, typed by what they hold. What they give is torch's own, under the same names.

module_bytes: how large modules are.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, cast

from torch import nn

__all__ = ["module_bytes", "module_dict", "module_list"]

M = TypeVar("M")  # a module, or what these two give


def module_list(modules: Iterable[M]) -> Sequence[M]:
    """An nn.ModuleList, which torch types as one of plain modules."""
    return cast(Sequence[M], nn.ModuleList(cast(Iterable[nn.Module], modules)))


def module_dict(modules: Mapping[str, M]) -> Mapping[str, M]:
    """An nn.ModuleDict, which torch types as one of plain modules."""
    return cast(Mapping[str, M], nn.ModuleDict(cast(dict[str, nn.Module], modules)))


def module_bytes(parts: Iterable[nn.Module]) -> int:
    """Memory that their weights and buffers hold."""
    return sum(tensor.nbytes for part in parts for tensor in [*part.parameters(), *part.buffers()])
