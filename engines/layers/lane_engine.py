"""LaneEngine: what engines have in common whose streams are rows of one lane, over networks on one device."""

from typing import Protocol

import torch

from engines.contract import Engine
from engines.layers.cuda_graphs import Graphs, empty_cache
from engines.layers.prepared_states import PreparedStates

__all__ = ["LaneEngine"]


class _Held(Protocol):
    @property
    def bytes(self) -> int: ...


class _Placed(_Held, Protocol):
    @property
    def device(self) -> torch.device: ...


class LaneEngine(Engine):
    """A subclass sets these when it opens, beside what the contract asks for. _weights_bytes: of the networks, counted once."""

    _networks: _Placed
    _lane: _Held
    _graphs: Graphs
    _prepared: PreparedStates
    _weights_bytes: int

    def forget(self, content_digest: str) -> None:
        self._prepared.forget(content_digest)

    def memory_bytes(self) -> int:
        return self._weights_bytes + self._prepared.bytes + self._lane.bytes + self._graphs.bytes

    def close(self) -> None:
        self._prepared.clear()
        self._graphs.clear()
        device = self._networks.device
        del self._lane, self._networks
        empty_cache(device)
