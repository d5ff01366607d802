"""What a device did for a call: kernels launched, memory at its peak. For measurements, which import no torch themselves."""

from collections.abc import Callable

import torch
from torch._C._autograd import DeviceType

__all__ = ["count_kernels", "peak_device_bytes", "set_threads"]


def set_threads(count: int) -> None:
    """Threads that torch computes with on the CPU, in this process."""
    torch.set_num_threads(count)


def count_kernels(work: Callable[[], object], device: str) -> int | None:
    """Kernels that the work ran on a GPU, those inside of replayed graphs included; None on other devices."""
    if not device.startswith("cuda"):
        return None
    torch.cuda.synchronize(device)
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        work()
        torch.cuda.synchronize(device)
    on_device = [event for event in (profile.events() or ()) if event.device_type == DeviceType.CUDA]
    return sum(not event.name.startswith(("Memcpy", "Memset")) for event in on_device)


def peak_device_bytes(device: str) -> int | None:
    """The most that torch's tensors held on a GPU so far; None on other devices."""
    return torch.cuda.max_memory_allocated(device) if device.startswith("cuda") else None
