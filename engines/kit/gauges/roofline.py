"""Roofline: the least time that kernels need on a GPU, by its data sheet.

Williams, Waterman and Patterson 2009, doi 10.1145/1498765.1498785. A kernel waits for its memory or for its arithmetic, whichever takes
longer, and does the other meanwhile.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["DEVICES", "DeviceSpeed", "KernelWork", "busy_seconds", "n_bytes", "n_flops", "roofline_seconds"]


class KernelWork(NamedTuple):
    """What one operation moves and computes: bytes read and written, floating-point operations (flops.py), the precision they are done in,
    which is a dtype's name, or "tfloat32".
    """

    bytes: int
    flops: int
    precision: str


@dataclass(frozen=True)
class DeviceSpeed:
    """bandwidth: bytes per second of its memory. tensor_flops: per second of dense bfloat16 or float16 products on tensor cores, which do
    half as many in TF32. float32_flops: of float32 itself, on the other cores.
    """

    bandwidth: float
    tensor_flops: float
    float32_flops: float

    def seconds(self, work: KernelWork) -> float:
        on_tensor_cores = {"bfloat16": self.tensor_flops, "float16": self.tensor_flops, "tfloat32": self.tensor_flops / 2}
        per_second = on_tensor_cores.get(work.precision, self.float32_flops)
        return max(work.bytes / self.bandwidth, work.flops / per_second)


# Nvidia's data sheets of the SXM models: "H100 Tensor Core GPU" and "H200 Tensor Core GPU", 2024. They name 1,979 TFLOP/s of bfloat16 and
# 989 of TF32 with sparsity, which is half without. The two differ in memory alone.
DEVICES: Mapping[str, DeviceSpeed] = {
    "h100": DeviceSpeed(bandwidth=3.35e12, tensor_flops=989e12, float32_flops=67e12),
    "h200": DeviceSpeed(bandwidth=4.8e12, tensor_flops=989e12, float32_flops=67e12),
}


def roofline_seconds(work: Counter[KernelWork], device: DeviceSpeed) -> float:
    """Of kernels one after the other, without the time that it takes to start them. work: how often each is done."""
    return sum(times * device.seconds(each) for each, times in work.items())


def busy_seconds(work: Counter[KernelWork], device: DeviceSpeed) -> float:
    """Of kernels that may all run at the same time: how long memory or arithmetic is busy with them, whichever is longer."""
    memory = sum(times * device.seconds(each._replace(flops=0)) for each, times in work.items())
    arithmetic = sum(times * device.seconds(each._replace(bytes=0)) for each, times in work.items())
    return max(memory, arithmetic)


def n_bytes(work: Counter[KernelWork]) -> int:
    return sum(times * each.bytes for each, times in work.items())


def n_flops(work: Counter[KernelWork]) -> dict[str, int]:
    """By precision: "float32", "tfloat32", "bfloat16"; of what has any."""
    by_precision: Counter[str] = Counter()
    for each, times in work.items():
        by_precision[each.precision] += times * each.flops
    return {name: count for name, count in by_precision.items() if count}
