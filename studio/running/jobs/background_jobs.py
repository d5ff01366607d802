"""BackgroundJobs: long work on threads, one thread for each thing that is worked on, with progress. What a job has kept survives a stop."""

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engines.errors import EngineError
from studio.errors import disk_error

__all__ = ["BackgroundJobs", "JobProgress"]

log = logging.getLogger("studio.running")

OnProgress = Callable[[int, int, str], None]  # done, in all, and what is being done now
Work = Callable[[OnProgress, Callable[[], bool]], None]


@dataclass(frozen=True)
class JobProgress:
    """done, total: of whatever the job counts. seconds_left: guessed from what was done, None before the first. now: what is being done,
    as the job calls it. failure: why it ended, where it did not end well."""

    done: int
    total: int
    seconds_left: float | None = None
    now: str = ""
    failure: EngineError | None = None
    is_running: bool = False


@dataclass
class _Job:
    """began: time.monotonic() of the first report, and how much was done then, of which nobody learns how long it took. behind: what
    begins when it is over."""

    stopped: threading.Event = field(default_factory=threading.Event)
    progress: JobProgress = field(default_factory=lambda: JobProgress(0, 0, is_running=True))
    thread: threading.Thread | None = None
    began: tuple[float, int] | None = None
    behind: "Work | None" = None


class BackgroundJobs:
    """Thread-safe. What a job did is known until another of the same name begins.

    about: what the jobs do, for the log. failed: what is told of a job that fell by a defect, or by an error of a disk that has no name.
    """

    def __init__(self, about: str, failed: Callable[[], EngineError]) -> None:
        self._about, self._failed = about, failed
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._is_closed = False

    def begin(self, name: str, work: Work, *, behind: bool = False) -> None:
        """work(on_progress, is_stopped): does it and keeps what is done; runs with what the caller's context says of the visitor.

        name: of what is worked on. Nothing happens where one runs already; with `behind` this one begins when that is over.
        """
        with self._lock:
            if self._is_closed:
                return
            if self._is_running(name):
                self._jobs[name].behind = work if behind else self._jobs[name].behind
                return
            job = self._jobs[name] = _Job()
            context = contextvars.copy_context()
            job.thread = threading.Thread(target=context.run, args=(self._run, job, work), name="background-job", daemon=True)
            job.thread.start()

    def stop(self, name: str) -> None:
        """Soon, where the job next asks."""
        with self._lock:
            if job := self._jobs.get(name):
                job.stopped.set()

    def progress(self, name: str) -> JobProgress | None:
        """None where none has run."""
        with self._lock:
            job = self._jobs.get(name)
            return job and job.progress

    def is_running(self, name: str) -> bool:
        with self._lock:
            return self._is_running(name)

    def close(self) -> None:
        """Stop all, and wait for them."""
        with self._lock:
            self._is_closed = True
            jobs = tuple(self._jobs.values())
        for job in jobs:
            job.stopped.set()
        for job in jobs:
            if job.thread is not None:
                job.thread.join()

    # --- private

    def _is_running(self, name: str) -> bool:
        job = self._jobs.get(name)
        return job is not None and job.progress.is_running

    def _run(self, job: _Job, work: Work) -> None:
        following: Work | None = work
        while following is not None:
            failure = self._failure_of(job, following)
            with self._lock:
                following, job.behind = None if self._is_closed else job.behind, None
                if following is None:
                    job.progress = replace(job.progress, seconds_left=None, now="", failure=failure, is_running=False)
                else:
                    job.stopped, job.began = threading.Event(), None

    def _failure_of(self, job: _Job, work: Work) -> EngineError | None:
        """Do it; why it ended where that was not well."""
        try:
            work(lambda done, total, now: self._report(job, done, total, now), job.stopped.is_set)
        except EngineError as error:
            return error
        except OSError as error:
            log.warning("%s: not done: %s", self._about, error)
            return disk_error(error) or self._failed()
        except Exception:
            log.exception("%s: not done", self._about)
            return self._failed()
        return None

    def _report(self, job: _Job, done: int, total: int, now: str) -> None:
        at = time.monotonic()
        with self._lock:
            job.began = job.began or (at, done)
            began_at, done_before = job.began
            made = done - done_before
            left = (at - began_at) / made * (total - done) if made else None
            job.progress = JobProgress(done, total, left, now, is_running=True)
