"""EvaluationsFolder: the evaluations of all workspaces, in one folder: database, sounds, recordings, and the work under way."""

import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

from engines.errors import EngineError
from studio.errors import DiskFull
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.keep.store import EvaluationStore
from studio.evaluations.keep.tables import evaluations_database
from studio.evaluations.saying.cell_measuring import OpenJudge, open_judge
from studio.evaluations.saying.evaluation_jobs import EvaluationJobs
from studio.evaluations.statistics.evaluate_data import evaluate_data
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.speakers.store import SpeakerStore
from studio.workspace import evaluation_of, is_of_an_evaluation

__all__ = ["EvaluationsFolder"]

MOST_KNOWN = 16  # findings

log = logging.getLogger("studio.evaluations")


class EvaluationsFolder:
    """Thread-safe. Raises EvaluationsUnreadable, EvaluationsNewer, DiskError and OSError.

    folder: of the database and of a folder of files for each evaluation; made at the first one.
    has_shared_memory: whether the folder is on a real disk (studio/storage/database.py). clock: seconds since 1970.
    open_judge: what measures.
    """

    def __init__(
        self,
        folder: Path,
        *,
        has_shared_memory: bool = True,
        clock: Callable[[], float] = time.time,
        open_judge: OpenJudge = open_judge,
    ):
        self.database = evaluations_database((folder / "evaluations").with_suffix(".sqlite"), has_shared_memory=has_shared_memory)
        self.files = KeptFiles(folder)
        self.jobs = EvaluationJobs(self.files)
        self.open_judge = open_judge
        self.store = EvaluationStore(self.database, self.files, clock, is_running=self.jobs.is_running_anywhere)
        self._known_findings: OrderedDict[tuple[str, int], EvaluationFindings] = OrderedDict()
        self._finding = threading.Lock()
        self._is_swept = False

    def findings(self, evaluation_id: str) -> EvaluationFindings:
        """Of an evaluation as it is now; made anew where it has changed."""
        key = evaluation_id, self.store.stamp(evaluation_id)
        with self._finding:  # takes a while, and two who ask at once want the same
            found = self._known_findings.get(key)
            if found is None:
                found = self._known_findings[key] = evaluate_data(self.store.data(evaluation_id))
                while len(self._known_findings) > MOST_KNOWN:
                    self._known_findings.popitem(last=False)
            return found

    def close(self) -> None:
        """Stop what is under way, which somebody has to begin again."""
        self.jobs.close()
        self.database.close()

    def forget_old(self, is_old: Callable[[str, float], bool]) -> None:
        """Delete the evaluations of all workspaces of which is_old(workspace, when they were made) says so."""
        for evaluation_id in self.store.old(is_old):
            self.delete(evaluation_id)

    def delete(self, evaluation_id: str) -> None:
        """From the database first, so that nobody asks for what goes; on a full disk files make room."""
        self.jobs.stop(evaluation_id)
        try:
            self.store.delete(evaluation_id)
        except DiskFull:
            self.files.remove_all(evaluation_id)
            self.store.delete(evaluation_id)
        self.sweep(again=True)

    def sweep(self, *, again: bool = False) -> None:
        """Files of deleted evaluations that are there still, since a process died or somebody had them open: once per process, and again
        where another evaluation goes."""
        if again or not self._is_swept:
            self._is_swept = True
            for evaluation_id in self.store.leaving():
                if self.files.remove_all(evaluation_id):
                    self.store.left(evaluation_id)
            self.files.remove_unknown({*self.store.ids(), *self.store.leaving()})

    def forget_recording(self, generation_id: str) -> None:
        """A stored voice was deleted or replaced: its recording leaves all evaluations. What is damaged keeps nobody from deleting."""
        try:
            self.store.forget_recording(generation_id)
        except (EngineError, OSError) as error:
            log.warning("the recording of a voice that is gone may be in an evaluation still: %s", error)

    def forget_dead(self, speakers: SpeakerStore) -> None:
        """The same of voices that went while no studio was open. Copies of voices go that a process which died has left."""
        try:
            for generation_id in self.store.generations():
                if not speakers.live_generations.holds(generation_id):
                    self.store.forget_recording(generation_id)
            for speaker in speakers.speakers():
                if is_of_an_evaluation(speaker.workspace) and not self.jobs.is_running_anywhere(evaluation_of(speaker.workspace)):
                    speakers.remove(speaker.name, speaker.workspace)
        except (EngineError, OSError) as error:
            log.warning("recordings of voices that are gone may be in evaluations still: %s", error)
