"""EvaluationRun: one run of an evaluation, which goes on where an earlier one ended: what is not said is said, then measured."""

from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.keep.store import EvaluationStore
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.evaluations.saying.progress import EvaluationProgress
from studio.scripts.saying.stop_signal import StopSignal

__all__ = ["EvaluationRun"]


class EvaluationRun:
    """`work` blocks; the rest is thread-safe. studio: as the evaluation's workspace sees it."""

    def __init__(self, store: EvaluationStore, files: KeptFiles, studio: EvaluatingStudio, evaluation_id: str):
        self._store, self._files, self._studio, self._id = store, files, studio, evaluation_id
        self.stop = StopSignal()

    def work(self) -> None:
        """Raises what keeps it from going on. What is kept stays."""

    def progress(self) -> EvaluationProgress:
        """As if it ran."""
        return EvaluationProgress(is_running=True)
