"""StreamState: what a network that is fed piece by piece remembers between two pieces: a value made of tensors.

packed, unpacked: the tensors of many such, one row of numbers for each stream, and back.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Self

import torch
from torch import Tensor

__all__ = ["StreamState", "packed", "unpacked"]


@dataclass(frozen=True, eq=False)
class StreamState:
    """Base of frozen dataclasses whose fields are tensors and tuples of tensors, with the streams of a batch along dimension 0."""

    @property
    def tensors(self) -> tuple[Tensor, ...]:
        """All of them, in the order of the fields."""
        return tuple(tensor for value in self._values() for tensor in (value if isinstance(value, tuple) else (value,)))

    @property
    def n_bytes(self) -> int:
        """Memory of all tensors."""
        return sum(tensor.nbytes for tensor in self.tensors)

    def of(self, tensors: Iterable[Tensor]) -> Self:
        """A state of the same form that holds these, in the order of `tensors`."""
        left = iter(tensors)
        return type(self)(*(tuple(next(left) for _ in value) if isinstance(value, tuple) else next(left) for value in self._values()))

    def copy(self) -> Self:
        """A state with tensors of its own."""
        return self.of(tensor.clone() for tensor in self.tensors)

    def copy_(self, other: Self) -> None:
        """Overwrite the tensors in place, for a CUDA graph whose input they are. One launch for all neighbors of one dtype."""
        pairs = zip(self.tensors, other.tensors, strict=True)
        for _, alike in groupby(pairs, key=lambda pair: pair[0].dtype):
            targets, sources = zip(*alike, strict=True)
            torch._foreach_copy_(targets, sources)  # pyright: ignore[reportPrivateImportUsage]  # its one name, which torch.optim uses

    def _values(self) -> Iterable[Tensor | tuple[Tensor, ...]]:
        return (getattr(self, field.name) for field in fields(self))


def packed(tensors: Sequence[Tensor]) -> Tensor:
    """(B, ...) each, side by side as (B, N)."""
    return torch.cat([tensor.flatten(1) for tensor in tensors], dim=1)


def unpacked(rows: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """Views of (B, N) in the shapes of tensors of one row each."""
    parts = rows.split([tensor[0].numel() for tensor in like], dim=1)
    return [part.view(len(rows), *tensor.shape[1:]) for part, tensor in zip(parts, like, strict=True)]
