"""RenderingJobs: make the sounds of drafts on threads, one draft per thread. Finished sounds survive a stop or a restart."""

import contextvars
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from engines.errors import EngineError
from studio.errors import RenderFailed, disk_error
from studio.listening.keep.test import RenderProgress

__all__ = ["RenderingJobs"]

log = logging.getLogger("studio.listening")

OnProgress = Callable[[int, int, str], None]  # sounds done, in all, and what is being made now
Render = Callable[[OnProgress, Callable[[], bool]], None]


@dataclass
class _Job:
    """began: time.monotonic() of the first report, and how many sounds were there then, of which nobody learns how long they took."""

    stopped: threading.Event = field(default_factory=threading.Event)
    progress: RenderProgress = field(default_factory=lambda: RenderProgress(0, 0, is_running=True))
    thread: threading.Thread | None = None
    began: tuple[float, int] | None = None


class RenderingJobs:
    """Thread-safe. What a job did is known until another of the same test begins."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, _Job] = {}
        self._is_closed = False

    def begin(self, test_id: str, render: Render) -> None:
        """render(on_progress, is_stopped): makes the sounds and keeps them; runs with what the caller's context says of the visitor.

        Nothing happens where one runs already.
        """
        with self._lock:
            if self._is_closed or self._is_running(test_id):
                return
            job = self._jobs[test_id] = _Job()
            context = contextvars.copy_context()
            job.thread = threading.Thread(target=context.run, args=(self._run, job, render), name="test-rendering", daemon=True)
            job.thread.start()

    def stop(self, test_id: str) -> None:
        """Soon, between two sounds."""
        with self._lock:
            if job := self._jobs.get(test_id):
                job.stopped.set()

    def progress(self, test_id: str) -> RenderProgress | None:
        """None where none has run."""
        with self._lock:
            job = self._jobs.get(test_id)
            return job and job.progress

    def is_running(self, test_id: str) -> bool:
        with self._lock:
            return self._is_running(test_id)

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

    def _is_running(self, test_id: str) -> bool:
        job = self._jobs.get(test_id)
        return job is not None and job.progress.is_running

    def _run(self, job: _Job, render: Render) -> None:
        failure: EngineError | None = None
        try:
            render(lambda done, total, now: self._report(job, done, total, now), job.stopped.is_set)
        except EngineError as error:
            failure = error
        except OSError as error:
            log.warning("the sounds of a listening test were not made: %s", error)
            failure = disk_error(error) or RenderFailed()
        except Exception:
            log.exception("the sounds of a listening test were not made")
            failure = RenderFailed()
        with self._lock:
            job.progress = replace(job.progress, seconds_left=None, now="", failure=failure, is_running=False)

    def _report(self, job: _Job, done: int, total: int, now: str) -> None:
        at = time.monotonic()
        with self._lock:
            job.began = job.began or (at, done)
            began_at, done_before = job.began
            made = done - done_before
            left = (at - began_at) / made * (total - done) if made else None
            job.progress = RenderProgress(done, total, left, now, is_running=True)
