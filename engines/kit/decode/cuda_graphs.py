"""Work on a device without a waiting host: CUDA graphs over tensors that stay where they are, work beside other work, copies to the host.

Elsewhere than on a GPU of NVIDIA or AMD the work runs at once, and a copy is a plain copy.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from weakref import WeakSet

import torch
from torch import Tensor

from engines.errors import EngineUnavailable
from engines.kit.nn.ieee_float32 import no_other_precision

__all__ = ["BesideGraphs", "Graphs", "HostCopy", "empty_cache"]

WARM_RUNS = (
    3  # before a capture: libraries allocate their workspaces and Triton compiles in the first ones (torch documentation, "CUDA Graphs")
)

# One capture at a time in the whole process, and no memory is given back meanwhile: CUDA allows neither beside a capture.
_capturing = Lock()

# Torch hands out so many streams of a device in turn, then the same ones again (kStreamsPerPool in c10/cuda/CUDAStream.cpp). Two captures
# on one stream share the workspaces that libraries keep for it, so their graphs must not run at the same time.
STREAMS_OF_TORCH = 32
_streams: "WeakSet[torch.cuda.Stream]" = WeakSet()
_drawing = Lock()


class Graphs:
    """Runs named work: replayed where it was captured, called where not. Work reads and writes only tensors that outlive it.

    Nothing is captured while somebody listens: a capture takes longer than many frames.
    """

    def __init__(self, device: torch.device):
        self._device = device
        self._graphs: dict[Hashable, torch.cuda.CUDAGraph] = {}
        self._pool = None
        self._stream: torch.cuda.Stream | None = None
        self.bytes_of: dict[Hashable, int] = {}  # memory that each capture took beyond what those before had freed; nothing elsewhere
        self._beside: BesideGraphs | None = None

    @property
    def bytes(self) -> int:
        """Memory that captures have taken for what the work makes on its way, here and beside; 0 elsewhere than on a GPU."""
        return sum(self.bytes_of.values()) + (self._beside.bytes if self._beside else 0)

    def beside(self) -> "Graphs":
        """For work that runs at the same time as this one's, see BesideGraphs. On a GPU; elsewhere these themselves."""
        if self._device.type != "cuda":
            return self
        self._beside = self._beside or BesideGraphs(self._device)
        return self._beside

    def run(self, key: Hashable, work: Callable[[], None]) -> None:
        """Do the work, by replaying its graph if there is one under the key."""
        graph = self._graphs.get(key)
        if graph is None:
            work()
        else:
            graph.replay()

    def capture(self, key: Hashable, work: Callable[[], None]) -> None:
        """Run the work a few times and keep its graph; elsewhere than on a GPU run it once, so that what it needs is loaded."""
        if self._device.type == "cuda":
            with _capturing, torch.cuda.device(self._device):
                self._graphs[key], self.bytes_of[key] = self._captured(work)
        else:
            work()

    def clear(self) -> None:
        """Free the graphs; their memory is given back by empty_cache."""
        if self._beside:
            self._beside.clear()
        with _capturing:
            self._graphs.clear()
            self.bytes_of.clear()
            self._pool = None

    def _captured(self, work: Callable[[], None]) -> "tuple[torch.cuda.CUDAGraph, int]":
        """The graph, and memory that it took. All on one stream, since what one capture has freed serves the next of the same stream alone.
        It is named: torch's own for captures lies on the device of the process's first capture.

        Other engines' threads may use the device meanwhile; by default that would break the capture. Their precision is not to be kept; nor
        is it to hold in the runs before, which would load kernels of that precision and leave those of the graph's own to the capture.
        """
        self._stream = self._stream or _own_stream(self._device)
        graph, stream = torch.cuda.CUDAGraph(), self._stream
        stream.wait_stream(torch.cuda.current_stream(self._device))
        with no_other_precision():
            with torch.cuda.stream(stream):
                for _ in range(WARM_RUNS):
                    work()
            with torch.cuda.graph(graph, pool=self._pool, stream=stream, capture_error_mode="thread_local"):
                reserved = torch.cuda.memory_reserved(self._device)  # what nobody used was given back when the capture began
                work()
                n_bytes = torch.cuda.memory_reserved(self._device) - reserved
        torch.cuda.current_stream(self._device).wait_stream(stream)
        self._pool = graph.pool()
        return graph, n_bytes


class BesideGraphs(Graphs):
    """Graphs of work on a stream of its own, beside the usual one, whose work does not wait for this one's.

    They have a memory of their own: what one capture has freed is the next one's, so graphs that share it must run in order. Tensors of
    the usual stream are read by copies that nobody writes any more, or that `keep` was told of. What is made within `after` is used and
    freed there alone; the host learns of it by HostCopy.
    """

    def __init__(self, device: torch.device):
        super().__init__(device)
        self._side: torch.cuda.Stream | None = None  # made by the first work: ZeroGPU opens engines where no device is yet

    @property
    def _own_side(self) -> torch.cuda.Stream:
        if self._side is None:
            self._side = _own_stream(self._device)
        return self._side

    def done(self) -> torch.cuda.Event:
        """Of all that was asked for so far on the usual stream, for `after`."""
        event = torch.cuda.Event()
        event.record(torch.cuda.current_stream(self._device))
        return event

    @contextmanager
    def after(self, done: torch.cuda.Event) -> Iterator[None]:
        """Where this work is asked for."""
        self._own_side.wait_event(done)
        with torch.cuda.stream(self._own_side):
            yield

    def keep(self, tensors: Iterable[Tensor]) -> None:
        """Tensors of the usual stream that this work reads: when they are dropped, their memory stays until it is done."""
        for tensor in tensors:
            tensor.record_stream(self._own_side)

    def clear(self) -> None:
        """Wait for the work that is under way: its tensors are freed next."""
        if self._side is not None:
            self._side.synchronize()
        super().clear()


def _own_stream(device: torch.device) -> "torch.cuda.Stream":
    """One that nobody else in the process has who asked here and lives. Raises EngineUnavailable."""
    with _drawing:
        for _ in range(STREAMS_OF_TORCH):
            stream = torch.cuda.Stream(device)
            if stream not in _streams:
                _streams.add(stream)
                return stream
    detail = f"torch has {STREAMS_OF_TORCH} streams in a process, and every open engine takes up to three; close one"
    raise EngineUnavailable(sentence="device_unusable", detail=detail, name=str(device))


def empty_cache(device: torch.device) -> None:
    """Give back to the device what nobody uses, once no capture is under way. On a CPU nothing is to be done."""
    if device.type == "cuda":
        with _capturing, torch.cuda.device(device):
            torch.cuda.empty_cache()
    elif device.type != "cpu":
        torch.get_device_module(device).empty_cache()


class HostCopy:
    """The tensor's value as it is now in the order of work, readable once that work is done. Making one waits for nothing."""

    def __init__(self, tensor: Tensor):
        self._done = None
        if tensor.is_cuda:
            self._host = torch.empty(tensor.shape, dtype=tensor.dtype, pin_memory=True)
            self._host.copy_(tensor, non_blocking=True)
            self._done = torch.cuda.Event()
            self._done.record(torch.cuda.current_stream(tensor.device))
        else:
            self._host = tensor.to("cpu", copy=True)

    def wait(self) -> Tensor:
        """The value, on the CPU, in pageable memory of its own: whoever keeps it keeps no pinned memory."""
        if self._done is not None:
            self._done.synchronize()
            self._done, self._host = None, self._host.clone()
        return self._host
