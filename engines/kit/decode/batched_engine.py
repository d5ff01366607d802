"""BatchedEngine: what engines with one batched decoder share. Their streams are rows of it, over networks on one device."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Set
from typing import ClassVar, Generic, Protocol, TypedDict, TypeVar

import torch
from torch import nn

from engines.contract.contract import Engine, EngineInfo
from engines.kit.decode.cuda_graphs import Graphs, empty_cache
from engines.kit.decode.gpu_use import GpuUse
from engines.kit.decode.gpu_width import LEAST_GPU_WIDTH, gpu_width
from engines.kit.decode.overflow_watch import OverflowWatch
from engines.kit.decode.prepared_states import PreparedStates
from engines.kit.device import is_tried
from engines.kit.fused.fused_use import FusedUse
from engines.kit.nn.attention import AttentionConfig
from engines.kit.nn.packed_linear import pack_linears

__all__ = ["BatchedEngine", "RowShapes"]

CPU_WIDTH = 1  # streams that one step serves, unless the engine is opened with another number


class RowShapes(TypedDict):
    """width: streams that one step serves. fixed_shapes: padded to a few sizes, for graphs. host_lag_frames: see DecoderRows."""

    width: int
    fixed_shapes: bool
    host_lag_frames: int


class _Networks(Protocol):
    @property
    def bytes(self) -> int: ...

    @property
    def extraction_digest(self) -> str: ...

    @property
    def device(self) -> torch.device: ...


class _Decoder(Protocol):
    watch: OverflowWatch

    @property
    def bytes(self) -> int: ...

    def use_kernels(self, names: Set[str]) -> None: ...

    def warm_up(self) -> None: ...


N = TypeVar("N", bound=_Networks)
D = TypeVar("D", bound=_Decoder)


class BatchedEngine(Engine, Generic[N, D]):
    """A subclass says how many bytes of prepared states it keeps, PREPARED_MOST_BYTES; and narrows `info` to what its networks can do.

    ROW_BYTES, MOST_GPU_WIDTH: see gpu_width; of an engine that nobody has counted, 8 rows.
    """

    PREPARED_MOST_BYTES: ClassVar[int]
    ROW_BYTES: ClassVar[int] = 0
    MOST_GPU_WIDTH: ClassVar[int] = LEAST_GPU_WIDTH

    def __init__(
        self,
        info: EngineInfo,
        networks: N,
        decoder_of: Callable[[Graphs, RowShapes], D],
        *,
        packed: Iterable[nn.Module],
        gpu: GpuUse,
        width: int,
    ):
        """packed: networks whose matrices are packed on a CPU, before decoder_of makes the batched decoder of them.

        gpu: what is done on a GPU alone. width: streams that one step serves; 0: the usual number.
        """
        self._networks, self._gpu, self._is_gpu = networks, gpu, networks.device.type == "cuda"
        self.weights_fingerprint, self.numeric_mode = networks.extraction_digest, "fp32"
        self.info, self.device, self.device_is_tested = info, str(networks.device), is_tried(networks.device)
        if not self._is_gpu:
            for network in packed:
                pack_linears(network)
        self.width = width or self._usual_width(networks.device)
        self._graphs = Graphs(networks.device)
        shapes = RowShapes(width=self.width, fixed_shapes=self._is_gpu, host_lag_frames=int(self._is_gpu))
        self._batched_decoder = decoder_of(self._graphs, shapes)
        self._batched_decoder.watch.setting = f"{info.id.upper()}_DTYPE"
        self._prepared = PreparedStates(self.PREPARED_MOST_BYTES)
        self._weights_bytes = networks.bytes  # counted once

    def _usual_width(self, device: torch.device) -> int:
        return gpu_width(device, self.ROW_BYTES, self.MOST_GPU_WIDTH) if self._is_gpu else CPU_WIDTH

    @abstractmethod
    def _attentions(self) -> Iterable[tuple[AttentionConfig, torch.dtype]]:
        """Of every network that fused kernels may serve, and the dtype that it computes in."""

    def fused_uses(self, device: torch.device) -> list[FusedUse]:
        """Who is to use fused kernels on that device."""
        return [FusedUse(attention, dtype, device) for attention, dtype in self._attentions()]

    def warmup(self) -> None:
        if self._gpu.fused and self._is_gpu:
            from engines.kit.fused.layer_trial import chosen_ways  # operations that only a GPU asks for
            from engines.kit.fused.self_check import trusted_kernels

            uses = self.fused_uses(self._networks.device)
            kernels = trusted_kernels(uses)
            self._batched_decoder.use_kernels(kernels | chosen_ways(self._gpu.layers, uses, kernels, self.width, Graphs))
            empty_cache(self._networks.device)
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
