"""CUDA graphs of work over tensors that stay where they are, and copies to the host that are waited for later. On a CPU both are plain."""

from collections.abc import Callable, Hashable

import torch
from torch import Tensor

__all__ = ["Graphs", "HostCopy"]

WARM_RUNS = 3  # before a capture: libraries allocate their workspaces in the first ones (torch documentation, "CUDA Graphs")


class Graphs:
    """Runs named work: replayed where it was captured, called where not. Work reads and writes only tensors that outlive it.

    Nothing is captured while somebody listens: a capture takes longer than many frames.
    """

    def __init__(self, device: torch.device):
        self._device = device
        self._graphs: dict[Hashable, torch.cuda.CUDAGraph] = {}
        self._pool = None

    def run(self, key: Hashable, work: Callable[[], None]) -> None:
        """Do the work, by replaying its graph if there is one under the key."""
        graph = self._graphs.get(key)
        if graph is None:
            work()
        else:
            graph.replay()

    def capture(self, key: Hashable, work: Callable[[], None]) -> None:
        """Run the work a few times and keep its graph; elsewhere than on a GPU run it once, so that what it needs is loaded."""
        if self._device.type != "cuda":
            work()
            return
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.device(self._device):
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(WARM_RUNS):
                    work()
            torch.cuda.current_stream().wait_stream(side)
            # Other engines' threads may use the device meanwhile; by default that would break the capture.
            with torch.cuda.graph(graph, pool=self._pool, capture_error_mode="thread_local"):
                work()
        self._pool = graph.pool()
        self._graphs[key] = graph

    def clear(self) -> None:
        """Free the graphs and their memory."""
        self._graphs.clear()
        self._pool = None


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
            self._host = tensor.clone()

    def wait(self) -> Tensor:
        """The value, on the CPU, in memory of its own."""
        if self._done is not None:
            self._done.synchronize()
            self._done = None
        return self._host
