"""How much memory this process and its GPUs have in use, for who compares before and after an engine is open."""

import ctypes
import gc
import importlib.util
import os
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["MemoryUse", "memory_use"]

STATM = Path("/proc/self/statm")  # proc(5): pages; the second number is what is resident


@dataclass(frozen=True)
class MemoryUse:
    """Resident bytes of the process, None where its system does not tell; device_bytes: that torch has of its GPUs, None without one."""

    process_bytes: int | None
    device_bytes: int | None

    def since(self, before: "MemoryUse") -> "MemoryUse":
        """How much more it is now; at least 0."""
        return MemoryUse(
            _more(before.process_bytes, self.process_bytes),
            _more(before.device_bytes or 0, self.device_bytes),
        )


def memory_use() -> MemoryUse:
    """Now, without what is free in the process and was not given back. Torch is there before: it is no engine's own."""
    torch = _torch()
    gc.collect()
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)  # glibc's
    on_gpus = None
    if torch is not None and torch.cuda.is_available():
        on_gpus = sum(torch.cuda.memory_allocated(index) for index in range(torch.cuda.device_count()))
    return MemoryUse(_resident_bytes(), on_gpus)


def _resident_bytes() -> int | None:
    if sys.platform == "win32":
        return None
    try:
        return int(STATM.read_text(encoding="utf-8").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return None


def _torch():
    """None where it is not installed."""
    if "torch" not in sys.modules and importlib.util.find_spec("torch") is None:
        return None
    import torch

    return torch


def _more(before: int | None, after: int | None) -> int | None:
    return None if before is None or after is None else max(0, after - before)
