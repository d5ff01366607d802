"""ZeroGpu: the host that lends a GPU for one call. It is our only use of the package `spaces`.

How it works there (spaces 0.51.3): the package makes torch believe in a GPU, thread by thread. What is put on `cuda` is packed onto the
disk when the page is launched. A function that was decorated runs in a process that is forked when a GPU has been got, for the visitor
whose Gradio event is under way; what goes in and comes out is pickled, and what changes in memory there is not seen here. A process that
lies idle is used again for the next call of the same function.
"""

import sys
from collections.abc import Callable
from typing import Any

from studio.running.zero_gpu.zero_gpu_errors import ZeroGpuMissing

__all__ = ["ZeroGpu", "open_zero_gpu"]


class ZeroGpu:
    """gpu: the decorator `spaces.GPU`. emulate(): from now on this thread's torch believes in a GPU. visitor(): who asks, or None."""

    def __init__(self, gpu: Callable[..., Callable], emulate: Callable[[], None], visitor: Callable[[], object | None]):
        self.emulate = emulate
        self._gpu = gpu
        self._visitor = visitor

    @property
    def has_visitor(self) -> bool:
        """Whether one of Gradio's events is under way in this context; without one nothing is lent."""
        return self._visitor() is not None

    def lent(self, function: Callable[..., Any], seconds: Callable[..., int]) -> Callable[..., Any]:
        """The function, or sync generator, as it runs on a GPU. seconds: how long it will take, from the same arguments.

        At least one must exist when the page is launched, or the host takes the Space for one that wants no GPU.
        """
        return self._gpu(function, duration=seconds)


def open_zero_gpu() -> ZeroGpu:
    """The host's own, where SPACES_ZERO_GPU is set. To be called before torch is imported. Raises ZeroGpuMissing."""
    if "torch" in sys.modules and "spaces" not in sys.modules:
        raise ZeroGpuMissing("torch was imported before spaces, which then cannot lend it a GPU.", "Start the studio by python app.py.")
    try:
        import spaces
        from gradio.context import LocalContext
        from spaces.zero.torch import enter_mode
    except (ImportError, AssertionError) as error:  # an assertion: of a variable that the host sets beside SPACES_ZERO_GPU
        raise ZeroGpuMissing(
            f"SPACES_ZERO_GPU is set, and the package spaces cannot be used: {error}.",
            "A ZeroGPU Space installs it by itself; elsewhere unset SPACES_ZERO_GPU.",
        ) from error
    return ZeroGpu(spaces.GPU, enter_mode, lambda: LocalContext.request.get(None))
