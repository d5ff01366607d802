"""DeviceWork: the work that a fake GPU was given during a time, in graphs and outside of them.

Also the least time that a real one would need.
"""

import contextlib
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field, fields
from typing import Self

from engines.kit.gauges.fake_gpu import FakeGpu
from engines.kit.gauges.roofline import DEVICES, KernelWork, busy_seconds, n_bytes, roofline_seconds

__all__ = ["DeviceWork", "Milliseconds", "milliseconds", "said", "watching"]

# From one kernel's start to the next inside of a graph, least and most of what is seen on an H100. Single kernels are taken for kernels of
# a graph, which is less than a host needs to start them.
KERNEL_SECONDS = (1.5e-6, 2.5e-6)

Milliseconds = dict[str, tuple[float, float, float]]  # by device: of the roofline; with the starts of kernels at best and at worst


@dataclass
class DeviceWork:
    """replays: of graphs. in_graphs, outside: kernels. copies: between host and device, but for those of HostCopy, host_copies.

    work: of all kernels. beside, in_graphs_beside: what of work and in_graphs was on another stream, at the same time as the rest.
    """

    replays: Counter[Hashable] = field(default_factory=Counter)
    in_graphs: int = 0
    outside: int = 0
    copies: int = 0
    host_copies: int = 0
    work: Counter[KernelWork] = field(default_factory=Counter)
    beside: Counter[KernelWork] = field(default_factory=Counter)
    in_graphs_beside: int = 0

    @property
    def launches(self) -> int:
        """Graphs, single kernels and copies that the host starts one by one."""
        return self.outside + self.copies + self.host_copies + self.replays.total()

    @property
    def bytes(self) -> int:
        """Read and written by kernels."""
        return n_bytes(self.work)

    def __add__(self, other: Self) -> Self:
        return type(self)(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(self)))

    @property
    def milliseconds(self) -> Milliseconds:
        return milliseconds(self.work, self.in_graphs + self.outside)

    def milliseconds_beside(self, share: float = 1) -> Milliseconds:
        """As `milliseconds` below, where both streams run at the same time: as long as the longer one, or as both keep the device busy."""
        usual = milliseconds(self.work - self.beside, self.in_graphs + self.outside - self.in_graphs_beside, share=share)
        beside = milliseconds(self.beside, self.in_graphs_beside, share=share)
        busy = {name: round(1000 * share * busy_seconds(self.work, device), 2) for name, device in DEVICES.items()}
        longer = {name: [max(pair) for pair in zip(usual[name], beside[name], strict=True)] for name in DEVICES}
        return {name: (max(a, busy[name]), max(b, busy[name]), max(c, busy[name])) for name, (a, b, c) in longer.items()}


@contextlib.contextmanager
def watching(gpu: FakeGpu) -> Iterator[DeviceWork]:
    """Filled when the while is over."""
    seen, replays, host_copies = DeviceWork(), gpu.replays.copy(), gpu.host_copies
    with gpu.counting() as outside:
        yield seen
    seen.replays = gpu.replays - replays
    seen.in_graphs = sum(gpu.graphs[key].n_kernels * times for key, times in seen.replays.items())
    seen.outside, seen.copies, seen.host_copies = outside.n_kernels, outside.n_copies, gpu.host_copies - host_copies
    seen.work = outside.work.copy()
    for key, times in seen.replays.items():
        work = {each: times * count for each, count in gpu.graphs[key].work.items()}
        seen.work.update(work)
        if key in gpu.beside:
            seen.beside.update(work)
            seen.in_graphs_beside += times * gpu.graphs[key].n_kernels


def said(key: Hashable) -> str:
    """A graph's key as a name."""
    return " ".join(map(str, key)) if isinstance(key, tuple) else str(key)


def milliseconds(work: Counter[KernelWork], n_kernels: float, *, share: float = 1) -> Milliseconds:
    """share: of the work that is asked about, such as one frame of several; n_kernels are those of all the work."""
    roofline = {name: roofline_seconds(work, device) for name, device in DEVICES.items()}
    best, worst = KERNEL_SECONDS

    def shown(seconds: float) -> float:
        return round(1000 * share * seconds, 2)

    return {
        name: (shown(seconds), shown(seconds + n_kernels * best), shown(seconds + n_kernels * worst)) for name, seconds in roofline.items()
    }
