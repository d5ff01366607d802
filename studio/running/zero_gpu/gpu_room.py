"""GpuRoom: which engines lie on a lent GPU together. Who comes first has its room, and who does not fit any more is refused.

All weights on `cuda` when the page is launched are packed, and each process that is forked brings all of them to its GPU, whichever engine
it is for. So they share one sum, and what is opened after the launch counts as well.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from engines.contract.contract import EngineInfo
from studio.running.zero_gpu.zero_gpu_errors import GpuRoomFull

__all__ = ["GpuRoom"]


class GpuRoom:
    """most_bytes: of all weights together; None where the host sets no limit. Thread-safe."""

    def __init__(self, most_bytes: int | None = None):
        self.most_bytes = most_bytes
        self._lock = threading.Lock()
        self._held: dict[str, int] = {}  # by engine, those that are open or being opened
        self._measured: dict[str, int] = {}  # by engine, once it was open: more than its files where it computes in a wider type

    @property
    def held_bytes(self) -> int:
        """That every process brings to its GPU."""
        with self._lock:
            return sum(self._held.values())

    def lack(self, info: EngineInfo) -> GpuRoomFull | None:
        """Why the engine could not be opened now; None where it is open, or fits as far as is known."""
        with self._lock:
            return None if info.id in self._held else self._lack(info, self._needed(info))

    @contextmanager
    def opening(self, info: EngineInfo) -> Iterator[Callable[[int], None]]:
        """Holds room for the engine, and keeps it where the block ends well. Gives settle(n_bytes), to be told what it holds once open.

        Both raise GpuRoomFull.
        """
        with self._lock:
            needed = self._needed(info)
            self._refuse(info, needed)
            self._held[info.id] = needed
        try:
            yield lambda n_bytes: self._settle(info, n_bytes)
        except BaseException:
            with self._lock:
                self._held.pop(info.id, None)
            raise

    def _settle(self, info: EngineInfo, n_bytes: int) -> None:
        with self._lock:
            self._measured[info.id] = n_bytes
            self._refuse(info, self._needed(info))
            self._held[info.id] = self._needed(info)

    def _needed(self, info: EngineInfo) -> int:
        return max(info.weights_bytes, self._measured.get(info.id, 0))

    def _refuse(self, info: EngineInfo, needed: int) -> None:
        if (lack := self._lack(info, needed)) is not None:
            raise lack

    def _lack(self, info: EngineInfo, needed: int) -> GpuRoomFull | None:
        """Beside the others; wants the lock held."""
        others = sum(n_bytes for engine, n_bytes in self._held.items() if engine != info.id)
        if self.most_bytes is None or others + needed <= self.most_bytes:
            return None
        return GpuRoomFull(info.title, needed, max(0, self.most_bytes - others), self.most_bytes)
