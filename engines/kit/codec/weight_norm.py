"""Folds weight normalization (Salimans and Kingma 2016, arXiv 1602.07868) at load: gain and direction of the file become one weight."""

import re
from functools import cached_property

import torch
from torch import Tensor

from engines.errors import CheckpointInvalid
from engines.kit.weights.checkpoint import Checkpoint

__all__ = ["FoldedCheckpoint", "fold_weight_norm"]

# How torch.nn.utils.weight_norm and torch.nn.utils.parametrizations.weight_norm name the gain; then the direction's and the weight's name.
_STYLES = (
    (re.compile(r"(.*\.|)(\w+)_g"), r"\1\2_v", r"\1\2"),
    (re.compile(r"(.*\.|)parametrizations\.(\w+)\.original0"), r"\1parametrizations.\2.original1", r"\1\2"),
)


def fold_weight_norm(gain: Tensor, direction: Tensor) -> Tensor:
    """gain * direction / |direction|, float32: bit for bit what torch's own parametrisation computes from float32.

    direction: (D_0, ..., D_n). gain: the same with 1 in the place of all dimensions but one, over which no norm is taken: dimension 0 for
    most convolutions, the input channels for transposed ones, the last for HuBERT's positions. It keeps its sign: released gains may be
    negative. Raises CheckpointInvalid where the shapes do not belong together.
    """
    kept = [dim for dim, size in enumerate(direction.shape) if gain.shape == _gain_shape(direction, dim, size)]
    if not kept:
        shapes = f"a gain {tuple(gain.shape)} for a direction {tuple(direction.shape)}"
        raise CheckpointInvalid(f"The checkpoint's weight normalisation has {shapes}.", "Fetch the weights again.")
    return torch.ops.aten._weight_norm(direction.float(), gain.float(), kept[0])


class FoldedCheckpoint(Checkpoint):
    """A checkpoint whose weight-normalized tensors are read as the weights that they stand for; all others as they are.

    A gain without its direction, or beside a weight of the same name, is left under its own name: strict reading reports it.
    """

    @cached_property
    def _halves(self) -> dict[str, tuple[str, str]]:
        return _pairs(super().names)

    @property
    def names(self) -> frozenset[str]:
        return (super().names - {name for halves in self._halves.values() for name in halves}) | self._halves.keys()

    def tensor(self, name: str) -> Tensor:
        """The tensor as stored, or the folded weight, float32; on the CPU. Raises CheckpointInvalid for a name that is not there."""
        if name not in self._halves:
            return super().tensor(name)
        self._used.add(name)
        gain, direction = self._halves[name]
        return fold_weight_norm(super().tensor(gain), super().tensor(direction))

    def dtype(self, name: str) -> torch.dtype:
        """Of the tensor as stored, or float32 of a folded weight. Raises CheckpointInvalid for halves that are none of weights."""
        if name not in self._halves:
            return super().dtype(name)
        for half in self._halves[name]:
            if not (kind := super().dtype(half)).is_floating_point:
                return kind
        return torch.float32

    def shape(self, name: str) -> tuple[int, ...]:
        """Of the tensor as stored, or of the folded weight, which is its direction's."""
        return super().shape(self._halves[name][1] if name in self._halves else name)


def _gain_shape(direction: Tensor, dim: int, size: int) -> tuple[int, ...]:
    return tuple(size if index == dim else 1 for index in range(direction.ndim))


def _pairs(names: frozenset[str]) -> dict[str, tuple[str, str]]:
    """Name of a folded weight -> names of its gain and its direction."""
    pairs = {}
    for name in names:
        for gain, direction, weight in _STYLES:
            match = gain.fullmatch(name)
            if match and match.expand(direction) in names and match.expand(weight) not in names:
                pairs[match.expand(weight)] = (name, match.expand(direction))
    return pairs
