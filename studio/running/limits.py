"""Limits: how many jobs may wait for a worker, how long they may wait, and how far ahead it works for each stream."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

__all__ = ["Admit", "Limits"]

Admit = Literal["sustainable", "all"]


@dataclass(frozen=True)
class Limits:
    """Seconds are those of `clock`.

    most_waiting: jobs that may wait for their first turn; beyond it EngineBusy.
    most_ahead_seconds: of audio kept ready per stream.
    admit: "sustainable" lets a stream wait that would make others run dry, "all" begins it at once.
    most_wait_seconds: how long it waits; then EngineFull.
    """

    most_waiting: int = 64
    most_ahead_seconds: float = 30.0
    admit: Admit = "sustainable"
    most_wait_seconds: float = 30.0
    clock: Callable[[], float] = time.perf_counter
