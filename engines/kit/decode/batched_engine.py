"""BatchedEngine: what engines with one batched decoder share. Their streams are rows of it, over networks on one device."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Set
from typing import ClassVar, Protocol

import torch
from torch import nn

from engines.contract.contract import Engine, EngineInfo
from engines.kit.decode.cuda_graphs import Graphs, empty_cache
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.prepared_states import PreparedStates
from engines.kit.device import is_tried
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.packed_linear import pack_linears

__all__ = ["BatchedEngine"]

GPU_WIDTH, CPU_WIDTH = 8, 1  # streams that one step serves, unless the engine is opened with another number


class _Held(Protocol):
    @property
    def bytes(self) -> int: ...


class _Placed(_Held, Protocol):
    extraction_digest: str

    @property
    def device(self) -> torch.device: ...


class _Captured(_Held, Protocol):
    watch: OverflowWatch

    def use_kernels(self, names: Set[str]) -> None: ...

    def warm_up(self) -> None: ...


class BatchedEngine(Engine):
    """A subclass names its DECODER, and how many bytes of prepared states it keeps, PREPARED_MOST_BYTES; and narrows `info` to what its
    networks can do.
    """

    DECODER: ClassVar[Callable[..., _Captured]]
    PREPARED_MOST_BYTES: ClassVar[int]

    def __init__(
        self, info: EngineInfo, networks: _Placed, *, packed: Iterable[nn.Module], fused: bool, width: int, **of_decoder: object
    ):  # fmt: skip
        """packed: networks whose matrices are packed on a CPU. fused: several operations per kernel on a GPU, where a check trusts them.

        width: streams that one step serves; 0 for the usual number. of_decoder: what else DECODER is made with.
        """
        self._networks, self._fused, self._is_gpu = networks, fused, networks.device.type == "cuda"
        self.weights_fingerprint, self.numeric_mode = networks.extraction_digest, "fp32"
        self.info, self.device, self.device_is_tested = info, str(networks.device), is_tried(networks.device)
        if not self._is_gpu:
            for network in packed:
                pack_linears(network)
        self.width = width or (GPU_WIDTH if self._is_gpu else CPU_WIDTH)
        self._graphs = Graphs(networks.device)
        shapes = {"fixed_shapes": self._is_gpu, "host_lag_frames": int(self._is_gpu)}
        self._batched_decoder = self.DECODER(networks, self._graphs, width=self.width, **shapes, **of_decoder)
        self._batched_decoder.watch.setting = f"{info.id.upper()}_DTYPE"
        self._prepared = PreparedStates(self.PREPARED_MOST_BYTES)
        self._weights_bytes = networks.bytes  # counted once

    @abstractmethod
    def _attentions(self) -> Iterable[tuple[AttentionConfig, torch.dtype]]:
        """Of every network that fused kernels may serve, and the dtype that it computes in."""

    def warmup(self) -> None:
        if self._fused and self._is_gpu:
            from engines.kit.fused.self_check import FusedUse, trusted_kernels  # operations that only a GPU asks for

            uses = [FusedUse(attention, dtype, self._networks.device) for attention, dtype in self._attentions()]
            self._batched_decoder.use_kernels(trusted_kernels(uses))
        self._batched_decoder.warm_up()

    def forget(self, content_digest: str) -> None:
        self._prepared.forget(content_digest)

    def memory_bytes(self) -> int:
        return self._weights_bytes + self._prepared.bytes + self._batched_decoder.bytes + self._graphs.bytes

    def close(self) -> None:
        self._prepared.clear()
        self._graphs.clear()
        device = self._networks.device
        for name in [name for name in vars(self) if name.startswith("_")]:  # what was made of the networks holds them too
            delattr(self, name)
        empty_cache(device)
