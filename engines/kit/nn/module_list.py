"""module_list and module_dict: torch's containers, typed by what they hold. What they give is torch's own, under the same names.

module_bytes: how large modules are. LoadedNetworks: what the networks of any checkpoint tell of themselves.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar, cast

import torch
from torch import nn

__all__ = ["LoadedNetworks", "module_bytes", "module_dict", "module_list"]

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


class _Speaking(Protocol):
    """A module that knows its dtype."""

    @property
    def dtype(self) -> torch.dtype: ...


class LoadedNetworks(ABC):
    """All networks of a checkpoint."""

    @property
    @abstractmethod
    def modules(self) -> Sequence[nn.Module]:
        """Those that hold weights. The first one is the language model, which has a `dtype`."""

    @property
    def dtype(self) -> torch.dtype:
        """Of rows and hidden states, and of patches where there are some: the language model's."""
        return cast(_Speaking, self.modules[0]).dtype

    @property
    def bytes(self) -> int:
        """Memory that the weights hold on the device."""
        return module_bytes(self.modules)
