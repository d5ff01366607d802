"""What a device did for a call: kernels launched, memory at its peak. For measurements, which import no torch themselves."""

from collections import Counter
from collections.abc import Callable

import torch
from torch._C._autograd import DeviceType

__all__ = ["count_kernels", "kernel_times", "peak_device_bytes", "set_threads", "used_device_bytes"]


def set_threads(count: int) -> None:
    """Threads that torch computes with on the CPU, in this process."""
    torch.set_num_threads(count)


def count_kernels(work: Callable[[], object], device: str) -> int | None:
    """Kernels that the work ran on a GPU, those inside of replayed graphs included; None on other devices."""
    if not device.startswith("cuda"):
        return None
    return sum(count for _, count in _profiled(work, device).values())


def kernel_times(work: Callable[[], object], device: str) -> dict[str, tuple[float, int]] | None:
    """Seconds that a GPU spent in the kernels of each name, and how many there were, the longest in all first; None on other devices."""
    return _profiled(work, device) if device.startswith("cuda") else None


def _profiled(work: Callable[[], object], device: str) -> dict[str, tuple[float, int]]:
    """Seconds and number of each kernel, without copies."""
    torch.cuda.synchronize(device)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize(device)
    on_device = [event for event in (profile.events() or ()) if event.device_type == DeviceType.CUDA]
    kernels = [event for event in on_device if not event.name.startswith(("Memcpy", "Memset"))]
    counts, seconds = Counter(event.name for event in kernels), Counter[str]()
    for event in kernels:
        seconds[event.name] += event.time_range.elapsed_us() / 1e6
    return {name: (taken, counts[name]) for name, taken in seconds.most_common()}


def peak_device_bytes(device: str) -> int | None:
    """The most that torch's tensors held on a GPU so far; None on other devices."""
    return torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else None


def used_device_bytes(device: str) -> int | None:
    """What all programs hold on a GPU by now, graphs and libraries with it; None on other devices."""
    if not device.startswith("cuda"):
        return None
    free, total = torch.cuda.mem_get_info(device)
    return total - free
