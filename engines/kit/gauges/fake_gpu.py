"""FakeGpu: a simulated GPU on which engines open and speak. Its tensors have shapes and devices, and no values.

What it catches is what only a GPU would show: tensors of host and device in one operation, work that must wait for the device to know a
value (`.item()`, `nonzero`, branches), copies inside of what a graph captures; entered, its `order` shows races between streams. What it
cannot show: numbers, real captures, the allocator.
torch's CUDA build needs no driver for it.
"""

import contextlib
import functools
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import numpy as np
import torch
from torch import Tensor, nn
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensorMode, unset_fake_temporarily

from engines.kit.decode.cuda_graphs import Graphs, HostCopy
from engines.kit.fused import layer_trial, self_check
from engines.kit.gauges.dispatch_gauge import ShapesAlone
from engines.kit.gauges.launch_counter import LaunchCounter
from engines.kit.gauges.memory_counter import MemoryCounter
from engines.kit.gauges.stream_order import USUAL, Clock, StreamOrder
from engines.kit.nn import batch_check
from engines.kit.nn.fusable import LAYER_WAYS, OVERLAPPING
from engines.kit.weights.checkpoint import Checkpoint, put_tensor

__all__ = ["DEVICE", "FakeGpu", "fake_gpu"]

DEVICE = "cuda:0"
MEMORY_BYTES = 80 * 10**9  # as an H100 has
DTYPES = {torch.float32: np.float32, torch.float64: np.float64, torch.int16: np.int16, torch.int32: np.int32, torch.int64: np.int64}
DTYPES |= {torch.bool: np.bool_, torch.uint8: np.uint8, torch.float16: np.float16, torch.bfloat16: np.float32}


@dataclass
class FakeGpu:
    """graphs: what each captured. replays: how often each was replayed. beside: who was, on another stream than the usual one.

    host_copies: of HostCopy, which waits for nothing. counter: of what is launched one by one, by now. order: of streams. memory: of each
    capture, where counts_memory asks for it before.
    """

    graphs: dict[Hashable, LaunchCounter] = field(default_factory=dict)
    replays: Counter[Hashable] = field(default_factory=Counter)
    beside: set[Hashable] = field(default_factory=set)
    host_copies: int = 0
    counter: LaunchCounter = field(default_factory=LaunchCounter)
    order: StreamOrder = field(default_factory=StreamOrder)
    counts_memory: bool = False
    memory: dict[Hashable, MemoryCounter] = field(default_factory=dict)

    @contextlib.contextmanager
    def counting(self) -> Iterator[LaunchCounter]:
        """Count what is launched meanwhile outside of graphs."""
        before, self.counter = self.counter, LaunchCounter()
        try:
            with self.counter as counter:
                yield counter
        finally:
            self.counter = before

    def capture(self, key: Hashable, work: Callable[[], None], pool: int = 0) -> None:
        """pool: whose memory the work's own tensors have."""
        with contextlib.ExitStack() as stack:
            if self.counts_memory:
                work()  # as before every capture: what stays of it is older than the graph
                self.memory[key] = stack.enter_context(MemoryCounter())
            captured = stack.enter_context(self.counting())
            stack.enter_context(self.order.capturing(key, pool))
            work()
        self.graphs[key] = captured

    def run(self, key: Hashable, work: Callable[[], None]) -> None:
        """A replay runs no Python, and without values there is nothing else to do."""
        if key in self.graphs:
            self.replays[key] += 1
            self.order.replay(key)
            if self.order.current != USUAL:
                self.beside.add(key)
        else:
            work()


class _HostZeros:
    """In place of a tensor on the host, as far as a host looks at one; a real tensor and fake ones do not go together."""

    def __init__(self, values: np.ndarray):
        self._values = values

    def __getitem__(self, at: int | slice | tuple[int | slice, ...]) -> "_HostZeros":
        return _HostZeros(np.asarray(self._values[at]))

    def __bool__(self) -> bool:
        return bool(self._values)

    def __len__(self) -> int:
        return len(self._values)

    @property
    def T(self) -> "_HostZeros":
        return _HostZeros(self._values.T)

    def item(self) -> float:
        return self._values.item()

    def tolist(self) -> list:
        return self._values.tolist()

    def numpy(self) -> np.ndarray:
        return self._values


@contextlib.contextmanager
def fake_gpu() -> Iterator[FakeGpu]:
    """One GPU for the time being, for whatever is opened on DEVICE. Checkpoints give shapes alone. One at a time in a process."""
    gpu = FakeGpu()
    with contextlib.ExitStack() as stack:
        _forget_what_was_computed_once()
        stack.callback(_forget_what_was_computed_once)
        mode = ShapesAlone(allow_non_fake_inputs=False)
        stack.enter_context(mode)  # before a GPU is said to be there: only then torch guards devices without a driver
        for owner, name, stand_in in [*_of_torch(gpu, mode), *_of_engines(gpu)]:
            own = name in vars(owner)
            stack.callback(setattr, owner, name, vars(owner)[name]) if own else stack.callback(delattr, owner, name)
            setattr(owner, name, stand_in)
        yield gpu


def _forget_what_was_computed_once() -> None:
    """Tables that the engines' modules keep for good are made anew: fake ones and real ones do not go together."""
    of_engines = [module for name, module in sys.modules.items() if name.startswith("engines.")]
    for value in [value for module in of_engines for value in vars(module).values()]:
        if isinstance(value, functools._lru_cache_wrapper):
            value.cache_clear()


def _of_engines(gpu: FakeGpu) -> list[tuple[object, str, object]]:
    """Stand-ins for the few places where engines touch files and the device's own machinery."""

    def fill(self, module: nn.Module, name: str, slot: Tensor, *where) -> None:
        put_tensor(module, name, torch.empty(slot.shape, dtype=slot.dtype, device=where[-1]))

    on_host: WeakKeyDictionary[HostCopy, np.ndarray] = WeakKeyDictionary()
    pending: WeakKeyDictionary[HostCopy, Clock] = WeakKeyDictionary()

    def begin_copy(self: HostCopy, tensor: Tensor) -> None:
        """Nothing will be waited for: the value is zeros, which end nothing."""
        if not tensor.is_cuda:
            raise RuntimeError("a HostCopy was made of a tensor that lies on the host")
        gpu.host_copies += 1
        on_host[self] = np.zeros(tuple(tensor.shape), DTYPES[tensor.dtype])
        pending[self] = gpu.order.copied_to_host(tensor)

    def wait(self: HostCopy) -> _HostZeros:
        if self in pending:
            gpu.order.host_wait(pending.pop(self))
        return _HostZeros(on_host[self])

    read = Checkpoint.tensor

    def shape_alone(self, name: str) -> Tensor:
        with unset_fake_temporarily():
            real = read(self, name)
        return torch.empty(real.shape, dtype=real.dtype)

    return [
        (Checkpoint, "_fill", fill),
        (Checkpoint, "tensor", shape_alone),
        (Checkpoint, "_check_numbers", lambda self, weights: None),  # there are none
        (self_check, "passing_kernels", lambda uses, checks: frozenset(checks)),  # there are no numbers to compare
        (layer_trial, "faster_ways", lambda uses, names, width, graphs_on: frozenset(LAYER_WAYS) | names & {OVERLAPPING}),  # nor times
        (batch_check, "is_exact", lambda network, rows: True),
        (Checkpoint, "digest", lambda self, names: "0" * 64),
        (Graphs, "capture", lambda self, key, work: gpu.capture(key, work, id(self))),
        (Graphs, "run", lambda self, key, work: gpu.run(key, work)),
        (HostCopy, "__init__", begin_copy),
        (HostCopy, "wait", wait),
    ]


def _of_torch(gpu: FakeGpu, mode: FakeTensorMode) -> list[tuple[object, str, object]]:
    """Stand-ins for what would look for a driver, and for what fake tensors cannot do."""
    real_from_numpy, real_tensor = torch.from_numpy, torch.tensor

    def tensor(data: object, *, dtype: torch.dtype | None = None, device: torch.device | str | None = None, **settings) -> Tensor:
        """Fake tensors of one number remember it, and computing with it on the device would look for a driver."""
        with unset_fake_temporarily():
            real = real_tensor(data, dtype=dtype)
        made = torch.empty(real.shape, dtype=real.dtype, device=device)
        if made.is_cuda:
            gpu.counter.copied_to_device()
        return made

    def tolist(self: Tensor) -> list:
        """Numbers that the host computes for itself, such as the times of a grid, are zeros; the device's it would have to wait for."""
        if self.is_cuda:
            raise RuntimeError("the host waits for numbers of the device")
        return np.zeros(tuple(self.shape), DTYPES[self.dtype]).tolist()

    def apply(self: nn.Module, change: Callable[[Tensor], Tensor], recurse: bool = True) -> nn.Module:
        """torch's own swaps parameters in place, which the weak references of fake tensors refuse."""
        for module in self.modules():
            for name, parameter in module._parameters.items():
                if parameter is not None:
                    module._parameters[name] = nn.Parameter(change(parameter.detach()), requires_grad=parameter.requires_grad)
            for name, buffer in module._buffers.items():
                if buffer is not None:
                    module._buffers[name] = change(buffer)
        return self

    return [
        (torch, "from_numpy", lambda array: mode.from_tensor(real_from_numpy(np.ascontiguousarray(array)))),
        (torch, "tensor", tensor),
        (Tensor, "numpy", lambda self, **settings: np.zeros(tuple(self.shape), DTYPES[self.dtype])),
        (fake_tensor.FakeTensor, "tolist", tolist),
        (Tensor, "pin_memory", lambda self, *device: self),
        (nn.Module, "_apply", apply),
        (fake_tensor, "init_gpu_context", lambda device: None),
        (torch.cuda, "is_available", lambda: True),
        (torch.cuda, "device_count", lambda: 1),
        (torch.cuda, "current_device", lambda: 0),
        (torch.cuda, "is_bf16_supported", lambda *_, **__: True),
        (torch.cuda, "get_device_capability", lambda *_: (9, 0)),
        (torch.cuda, "empty_cache", lambda: None),
        (torch.cuda, "mem_get_info", lambda *_: (MEMORY_BYTES, MEMORY_BYTES)),
        (torch.cuda, "device", lambda device: contextlib.nullcontext()),
        *gpu.order.of_torch(),
    ]
