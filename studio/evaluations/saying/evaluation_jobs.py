"""EvaluationJobs: the evaluations of this process that are run, each on a thread of its own, one after the other; and Stop."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Protocol

from studio.errors import EvaluationFailed
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.saying.progress import EvaluationProgress
from studio.running.jobs.background_jobs import BackgroundJobs
from studio.running.jobs.runs import Runs
from studio.running.jobs.stop_signal import StopSignal

__all__ = ["EvaluationJobs", "Run"]

PATIENCE_SECONDS = 0.2  # between two looks whether another evaluation still runs


class Run(Protocol):
    """One run of one evaluation."""

    stop: StopSignal

    def work(self) -> None: ...

    def progress(self) -> EvaluationProgress: ...


class EvaluationJobs(Runs[Run]):
    """What a run came to is known until another of that evaluation begins."""

    def __init__(self, files: KeptFiles):
        super().__init__(BackgroundJobs("an evaluation", EvaluationFailed))
        self._files = files

    def begin(self, evaluation_id: str, make_run: Callable[[], Run]) -> None:
        """Returns at once. Nothing happens where it runs already; behind one that is about to stop it begins anew."""
        with self._lock:
            if self._jobs.is_running(evaluation_id) and not self._runs[evaluation_id].stop.is_given():
                return
            run = self._runs[evaluation_id] = make_run()
            self._jobs.begin(evaluation_id, lambda on_progress, is_stopped: self._work_alone(evaluation_id, run), behind=True)

    def progress(self, evaluation_id: str) -> EvaluationProgress | None:
        """None where none has run in this process."""
        with self._lock:
            run, told = self._runs.get(evaluation_id), self._jobs.progress(evaluation_id)
        if run is None or told is None:
            return None
        found = run.progress()
        if told.is_running:
            return found
        return EvaluationProgress(done=found.done, total=found.total, failure=None if run.stop.is_given() else told.failure)

    def is_running_anywhere(self, evaluation_id: str) -> bool:
        """As `is_running`, or at work in another process."""
        if self._jobs.is_running(evaluation_id):
            return True
        if not self._files.folder(evaluation_id).is_dir():
            return False
        with self._files.running(evaluation_id) as is_free:
            return not is_free

    def _work_alone(self, evaluation_id: str, run: Run) -> None:
        """Once no other evaluation runs, in this process or another."""
        while not run.stop.is_given():
            with self._files.turn() as is_my_turn, self._files.running(evaluation_id) if is_my_turn else nullcontext(False) as is_mine:
                if is_mine:
                    return run.work()
            run.stop.wait(PATIENCE_SECONDS)
        return None
