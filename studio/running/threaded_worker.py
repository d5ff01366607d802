"""ThreadedWorker: the worker of an engine that many threads may use at once. Every call and every stream has a thread of its own."""

import threading
from abc import abstractmethod
from concurrent.futures import InvalidStateError
from contextlib import suppress
from contextvars import Context, copy_context

from studio.running.stream import EngineCall, EngineJob, StreamJob
from studio.running.worker import EngineWorker, closing_error

__all__ = ["ThreadedWorker"]


class ThreadedWorker(EngineWorker):
    """As EngineWorker, but that nothing waits in a queue of ours and nothing is taken in turn. A thread has the context of whoever asked.

    There are as many threads as jobs: what has no audio yet is bound by most_waiting, and each other one has a listener. They are not
    used again, since to begin one takes about 0.1 ms. The engine's own thread opens it, and closes it.
    """

    @property
    def refines(self) -> bool:
        return False

    def is_pressed(self) -> bool:
        """Never: what its engine has to do is done elsewhere."""
        return False

    @abstractmethod
    def _waits(self, job: EngineJob) -> bool:
        """Whether the job has not got anything yet; wants the lock held."""

    def _prepare(self, job: EngineJob, context: Context) -> None:
        """Before its thread begins. context: which that will have. Wants the lock held."""

    def _let_go_of(self, job: EngineJob) -> None:
        """It is over; wants the lock held."""

    def carries_one_more(self, expected_seconds: float) -> bool:
        """Where the work is done, nobody here knows what it may carry."""
        return True

    def _accept(self, job: EngineJob) -> None:
        super()._accept(job)
        context = copy_context()
        self._prepare(job, context)
        threading.Thread(target=context.run, args=(self._carry_out, job), name=f"job-{self._info.id}", daemon=True).start()

    def _n_waiting(self) -> int:
        return sum(self._waits(job) for job in self._jobs if not job.is_brief)

    def _wake(self, stirred: threading.Event) -> None:
        stirred.set()

    # --- the engine's thread

    def _serve(self) -> None:
        with self._changed:
            self._changed.wait_for(lambda: self._ending)

    def _cancel_jobs(self) -> None:
        """Tell whoever waits, and the jobs' threads."""
        with self._changed:
            for job in self._jobs:
                _say_closing(job)
                job.stirred.set()

    # --- a job's thread

    def _carry_out(self, job: EngineJob) -> None:
        over = False
        while not over and self._may_go_on(job):
            with suppress(InvalidStateError):  # whoever waited was told meanwhile that the studio is closing
                over = bool(self._advance([job]))
        if not over:
            self._break_off(job)
        with self._changed:
            self._dismiss([job])
            self._let_go_of(job)

    def _may_go_on(self, job: EngineJob) -> bool:
        """Wait until its listener wants more, or is gone; False where the engine is to be closed."""
        while not self._ending and not job.runnable:
            job.stirred.wait()
            job.stirred.clear()
        return not self._ending

    def _break_off(self, job: EngineJob) -> None:
        if isinstance(job, StreamJob):
            self._end_stream(job, closing_error())
        else:
            _say_closing(job)


def _say_closing(job: EngineJob) -> None:
    if isinstance(job, StreamJob):
        job.stream.fail(closing_error())
    elif isinstance(job, EngineCall):
        with suppress(InvalidStateError):  # it was said already, or is over
            job.result.set_exception(closing_error())
