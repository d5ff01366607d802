"""machine_facts: where an evaluation is said, so that nobody compares the times of two machines."""

import os
import platform
import sys
from collections.abc import Mapping
from contextlib import suppress
from importlib import metadata
from pathlib import Path

from studio import __version__
from studio.running.offer.memory_check import total_memory_bytes

__all__ = ["machine_facts"]

CPUINFO = Path("/proc/cpuinfo")
NAMES = ("model name", "Hardware", "Model")  # of a processor there, by architecture


def machine_facts() -> Mapping[str, str]:
    """processor, cores, memory_bytes, gpu ("" without), system; versions of the studio, Python and torch ("" where it is not there).

    load: how many programs wanted a core, over the last minute, when the saying began; "" where the system does not tell. Where they are
    more than there are cores, times say little.
    """
    torch = sys.modules.get("torch")
    gpu = ""
    if torch is not None and torch.cuda.is_available():
        gpu = ", ".join(torch.cuda.get_device_name(index) for index in range(torch.cuda.device_count()))
    return {
        "processor": _processor(),
        "cores": str(os.cpu_count() or 1),
        "memory_bytes": str(total_memory_bytes() or ""),
        "gpu": gpu,
        "load": _load(),
        "system": f"{platform.system()} {platform.machine()}",
        "studio": __version__,
        "python": platform.python_version(),
        "torch": _version("torch"),
    }


def _processor() -> str:
    with suppress(OSError):
        for line in CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines():
            name, _, value = line.partition(":")
            if name.strip() in NAMES and value.strip():
                return value.strip()
    return platform.processor() or platform.machine()


def _load() -> str:
    return "" if sys.platform == "win32" else f"{os.getloadavg()[0]:.1f}"


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
