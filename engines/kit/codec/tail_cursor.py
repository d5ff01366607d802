"""TailCursor: walks through the layers and tails of a network in one order. The network is fed piece by piece."""

from collections.abc import Iterable

import torch
from torch import Tensor

from engines.kit.codec.causal_conv import Stateful

__all__ = ["TailCursor"]


class TailCursor:
    """Gives every layer the tail that it left last time, in the order of calls, and collects the new ones."""

    def __init__(self, tails: Iterable[Tensor] | None):
        """tails: None at the first rows of all, where each layer has the tail before them."""
        self._left = None if tails is None else iter(tails)
        self.kept: list[Tensor] = []

    def through(self, layer: Stateful, rows: Tensor, edge: Tensor | None = None) -> Tensor:
        """(B, T, D) -> (B, T', D_out): rows through a layer. edge: (B, N, D), rows that take the place of the tail's last N."""
        if not layer.context:
            return layer(rows, rows[:, :0])[0]
        tail = layer.tail_before(rows) if self._left is None else next(self._left)
        rows, tail = layer(rows, tail if edge is None else torch.cat([tail[:, edge.shape[1] :], edge], dim=1))
        self.kept.append(tail)
        return rows
