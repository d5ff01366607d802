"""Runs: long work on threads, of which each is an object that knows how far it is and can be told to stop."""

import threading
from typing import Generic, Protocol, TypeVar

from studio.running.jobs.background_jobs import BackgroundJobs
from studio.running.jobs.stop_signal import StopSignal

__all__ = ["Runs"]


class Stoppable(Protocol):
    """One run."""

    @property
    def stop(self) -> StopSignal: ...


AnyRun = TypeVar("AnyRun", bound=Stoppable)


class Runs(Generic[AnyRun]):
    """Thread-safe. The latest run of each thing that is worked on, by that thing's id. jobs: carry them out, and are closed with it."""

    def __init__(self, jobs: BackgroundJobs):
        self._jobs = jobs
        self._lock = threading.Lock()
        self._runs: dict[str, AnyRun] = {}

    def stop(self, name: str, /) -> None:
        """Within a chunk of the engine. What is kept stays. Waits for nothing."""
        with self._lock:
            run = self._runs.get(name)
        if run is not None:
            run.stop.give()

    def is_running(self, name: str, /) -> bool:
        """In this process; also where it waits for its turn."""
        return self._jobs.is_running(name)

    def close(self) -> None:
        """Stop all, and wait for them. What is kept stays."""
        with self._lock:
            runs = tuple(self._runs.values())
        for run in runs:
            run.stop.give()
        self._jobs.close()
