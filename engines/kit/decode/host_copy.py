"""HostCopy: a tensor's value on its way to the host, waited for later. On a CPU a plain copy."""

import torch
from torch import Tensor

__all__ = ["HostCopy"]


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
        """The value, on the CPU, in pageable memory of its own: whoever keeps it keeps no pinned memory."""
        if self._done is not None:
            self._done.synchronize()
            self._done, self._host = None, self._host.clone()
        return self._host
