"""Memory check: decides whether an engine fits on its device, before its weights are read. It gives numbers, and says what would make room.

It refuses only what is certain not to fit: weights take no less memory than they have bytes (a copy stored wider than it is computed in
counts as it is stored), and no more is free than is counted here.
Whether what is let through does fit, only loading shows.
"""

import functools
import subprocess
from collections.abc import Iterable
from pathlib import Path

from engines.contract.contract import EngineInfo
from studio.errors import StudioError

__all__ = [
    "InsufficientMemory",
    "check_memory",
    "finds_gpu",
    "free_bytes",
    "free_gpu_bytes",
    "free_memory_bytes",
    "is_small",
    "total_gpu_bytes",
    "total_memory_bytes",
]

SMALL_BYTES = 64 << 20  # weights below this fit wherever Python does: not worth a look
KIBIBYTE, MEBIBYTE = 1 << 10, 1 << 20
# One line per GPU, in MiB; "[N/A]" where it does not tell, as for parts of a divided GPU.
GPU_QUERY = ("nvidia-smi", "--query-gpu=memory.free", "--format=csv,noheader,nounits")
TOTAL_QUERY = ("nvidia-smi", "--query-gpu=memory.total", "--format=csv,noheader,nounits")
QUERY_SECONDS = 10.0
PROC, CGROUP = Path("/proc"), Path("/sys/fs/cgroup")


class InsufficientMemory(StudioError):
    """The engine cannot fit into the memory that is free. unload: the loaded engine whose memory would be enough; "" where none's is."""

    code = "no_room"
    status = 503

    def __init__(self, unload: str = "", *, hint: str = "", detail: str = "", **values: object):
        super().__init__(hint=hint, detail=detail, **values)
        self.unload = unload


def is_small(info: EngineInfo) -> bool:
    """Whether its weights fit wherever the studio runs, so that nobody need ask what is free: on a GPU that starts another program.

    So do weights whose size is not known, as of a hub id that nobody has fetched: they are not judged.
    """
    return info.weights_bytes < SMALL_BYTES


def check_memory(info: EngineInfo, n_free: int | None, others: Iterable[tuple[EngineInfo, int]]) -> None:
    """Raises InsufficientMemory where the declared weights are larger than n_free, None where that is not known.

    others: the engines that are loaded, and their bytes.
    """
    needed = info.weights_bytes
    if n_free is None or is_small(info) or needed <= n_free:
        return
    enough = [(n_bytes, other) for other, n_bytes in others if n_free + n_bytes >= needed]
    if not enough:
        raise InsufficientMemory(engine=info.title, needed_bytes=needed, free_bytes=n_free)
    n_bytes, other = min(enough, key=lambda found: found[0])
    raise InsufficientMemory(
        unload=other.id,
        sentence="no_room_beside",
        engine=info.title,
        needed_bytes=needed,
        free_bytes=n_free,
        other=other.title,
        other_bytes=n_bytes,
    )


def free_bytes(device: str | None) -> int | None:
    """The most that an engine on that device can get now; None where it is not known. None for the engine's own choice of device.

    Which of several GPUs it takes is not known here, so it is the freest; nor whether it takes any, so memory counts as well.
    """
    if device == "cpu" or (device or "").startswith("mps"):  # which is the same memory
        return free_memory_bytes()
    if device is not None and not device.startswith("cuda"):
        return None
    on_gpu = free_gpu_bytes()
    if device is not None:
        return on_gpu
    known = [n_bytes for n_bytes in (on_gpu, free_memory_bytes()) if n_bytes is not None]
    return max(known, default=None)


def free_memory_bytes(proc: Path = PROC, cgroup: Path = CGROUP) -> int | None:
    """What the kernel says is available without swapping, and no more than the container may still take. None where it does not say."""
    available = _figures(proc / "meminfo", ":").get("MemAvailable")
    if available is None:
        return None
    limit, used = _number(cgroup / "memory.max"), _number(cgroup / "memory.current")
    if limit is None or used is None:
        return available * KIBIBYTE
    reclaimable = _figures(cgroup / "memory.stat", " ").get("file", 0)  # pages of files go when memory is wanted
    return min(available * KIBIBYTE, max(0, limit - used + reclaimable))


def free_gpu_bytes(command: tuple[str, ...] = GPU_QUERY) -> int | None:
    """Of the GPU that has the most; None where there is none, or one that does not tell."""
    return total_gpu_bytes(command) or None


def total_gpu_bytes(command: tuple[str, ...] = TOTAL_QUERY) -> int | None:
    """Of the largest GPU, 0 where there is none; None where one does not tell."""
    try:
        return max(map(int, _gpu_lines(command)), default=0) * MEBIBYTE
    except ValueError:
        return None


def total_memory_bytes(proc: Path = PROC, cgroup: Path = CGROUP) -> int | None:
    """Of the machine, and no more than the container may take. None where the kernel does not say."""
    total, limit = _figures(proc / "meminfo", ":").get("MemTotal"), _number(cgroup / "memory.max")
    known = [n_bytes for n_bytes in (total and total * KIBIBYTE, limit) if n_bytes is not None]
    return min(known, default=None)


@functools.cache
def finds_gpu(command: tuple[str, ...] = GPU_QUERY) -> bool:
    """Whether this machine has a GPU, by the driver's word, so that nothing large need be imported to know. Takes a second where it has."""
    return bool(_gpu_lines(command))


def _gpu_lines(command: tuple[str, ...]) -> list[str]:
    """One for each GPU."""
    try:
        return subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=QUERY_SECONDS, check=True
        ).stdout.splitlines()
    except (OSError, subprocess.SubprocessError):
        return []


def _figures(file: Path, separator: str) -> dict[str, int]:
    """Lines of a name and a number, as the kernel writes them."""
    try:
        lines = [line.partition(separator) for line in file.read_text(encoding="utf-8").splitlines()]
    except OSError:
        return {}
    numbers = {name: rest.split() for name, _, rest in lines}
    return {name: int(words[0]) for name, words in numbers.items() if words and words[0].isdecimal()}


def _number(file: Path) -> int | None:
    """None where there is no such file, or it says "max"."""
    try:
        words = file.read_text(encoding="utf-8").strip()
    except OSError:
        return None
    return int(words) if words.isdecimal() else None
