"""launched: triton.jit of a kernel that is launched from Python, typed by how it is. The first call of a kernel imports this."""

from collections.abc import Callable
from typing import Protocol

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait

__all__ = ["Kernel", "launched", "wait_for_previous"]


class Kernel(Protocol):
    """kernel[programs](...): constants are plain numbers, and settings of the launch (num_warps) come beside the arguments."""

    def __getitem__(self, grid: tuple[int, ...]) -> Callable[..., object]: ...


def launched(function: Callable[..., object]) -> Kernel:
    """The kernel that Triton compiles of the function."""
    return triton.jit(function)


@triton.jit
def wait_for_previous(OVERLAPS: tl.constexpr):
    """Within a kernel that was launched with `launch_pdl`: what was written before it is there, and the next one may begin."""
    if OVERLAPS:
        gdc_wait()
        gdc_launch_dependents()
