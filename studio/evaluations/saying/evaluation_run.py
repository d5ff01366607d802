"""EvaluationRun: one run of an evaluation, which goes on where an earlier one ended: what is not said is said, then measured.

First all is said, then all is measured, so that nothing of the second is in the times of the first.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby

from engines.errors import EngineError
from studio.errors import (
    DiskError,
    EvaluationNotBrought,
    EvaluationsNewer,
    EvaluationsUnreadable,
    EvaluationUnknown,
    SpeakersUnreachable,
    SpeechCancelled,
)
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.keep.store import EvaluationStore
from studio.evaluations.plan.cell import CellKey, SaidCell, SystemRun
from studio.evaluations.plan.plan import EvaluationPlan, EvaluationSystem
from studio.evaluations.plan.refusal import refusal_of
from studio.evaluations.saying.cell_measuring import CellMeasuring, OpenJudge, open_judge
from studio.evaluations.saying.engine_room import EngineRoom, is_open
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.evaluations.saying.machine import machine_facts
from studio.evaluations.saying.paces import Paces, Work, work_of
from studio.evaluations.saying.process_memory import MemoryUse, memory_use
from studio.evaluations.saying.progress import CellStep, EvaluationProgress, Phase
from studio.evaluations.saying.system_sayer import SayerParts, Stopped, SystemSayer
from studio.evaluations.saying.voice_copies import VoiceCopies
from studio.prompts.refiner import learn_seconds
from studio.running.jobs.stop_signal import StopSignal

__all__ = ["EvaluationRun", "RunParts"]


# What is no engine's fault, and ends the whole run.
OF_STUDIO = (DiskError, EvaluationsNewer, EvaluationsUnreadable, EvaluationUnknown, SpeakersUnreachable, SpeechCancelled)


@dataclass(frozen=True)
class RunParts:
    """studio: as the evaluation's workspace sees it."""

    store: EvaluationStore
    files: KeptFiles
    studio: EvaluatingStudio
    open_judge: OpenJudge = open_judge


class EvaluationRun:
    """`work` blocks; the rest is thread-safe."""

    def __init__(self, parts: RunParts, evaluation_id: str):
        self._parts, self._id = parts, evaluation_id
        self.stop = StopSignal()
        self._lock = threading.Lock()
        self._progress = EvaluationProgress(is_running=True)
        self._seconds_left: Callable[[], float | None] = lambda: None
        self._failure: EngineError | None = None

    def work(self) -> None:
        """Raises what keeps it from going on, once all else is done. What is kept stays."""
        copies = VoiceCopies(self._parts.studio, self._id)
        try:
            copies.forget_all()
            self._sweep()
            plan = self._parts.store.evaluation(self._id).plan
            paces = Paces(self._parts.store.paces(), plan)
            try:
                self._say(plan, paces, copies)
                self._measure(plan, paces)
            finally:
                with suppress(EngineError, OSError):
                    self._parts.store.put_paces(paces.kept)
        except Stopped:
            return
        except EvaluationUnknown:  # it was deleted
            self._parts.files.remove_all(self._id)
        finally:
            copies.forget_all()
        if self._failure is not None and not self.stop.is_given():
            raise self._failure

    def progress(self) -> EvaluationProgress:
        """As long as it runs."""
        with self._lock:
            found, left = self._progress, self._seconds_left
        return replace(found, seconds_left=left())

    def _sweep(self) -> None:
        """Sounds that a process which died has left, and no cell has."""
        cells = self._parts.store.data(self._id).cells
        self._parts.files.sweep(self._id, {cell.said.sound.sha256 for cell in cells if cell.said.sound})

    # --- saying

    def _say(self, plan: EvaluationPlan, paces: Paces, copies: VoiceCopies) -> None:
        store, unsaid = self._parts.store, list(self._parts.store.unsaid(self._id))
        if not unsaid:
            return
        n_before = store.evaluation(self._id).n_cells - len(unsaid)
        left = dict.fromkeys(unsaid)
        n_unmeasured = sum(1 for _ in store.unmeasured(self._id))
        self._begin("say", n_before, n_before + len(unsaid), lambda: work_of(plan, tuple(left), n_unmeasured), paces)

        def on_cell(key: CellKey, step: CellStep) -> None:
            self._tell(left, key, step)

        parts = SayerParts(store, self._parts.files, copies, paces, self.stop, self._id, plan, on_cell)
        systems, room = {system.id: system for system in plan.systems}, EngineRoom.of(self._parts.studio, plan)
        for system_id, cells in groupby(unsaid, lambda key: key.system):
            system = systems[system_id]
            if system.engine is None:
                self._refuse_unbrought(list(cells), on_cell)
            else:
                room.clear()
                self._say_system(parts, system, list(cells))
        room.restore()

    def _say_system(self, parts: SayerParts, system: EvaluationSystem, keys: list[CellKey]) -> None:
        """Where its engine cannot be used, the others are said all the same; what was wrong is raised at the end."""
        try:
            opened = _OpenedSystem.of(self._parts, system, self._id)
            SystemSayer(parts, system, self._parts.studio.engine_info(system.engine)).say(keys, opened.spoke)
        except OF_STUDIO:
            raise
        except EngineError as error:
            if self.stop.is_given():
                raise Stopped from None
            self._failure = self._failure or error

    def _refuse_unbrought(self, keys: list[CellKey], on_cell: Callable[[CellKey, CellStep], None]) -> None:
        for key in keys:
            self._parts.store.put_said(self._id, SaidCell(key, refused=refusal_of(EvaluationNotBrought())))
            on_cell(key, "keep")

    # --- measuring

    def _measure(self, plan: EvaluationPlan, paces: Paces) -> None:
        if self.stop.is_given():
            raise Stopped
        cells = list(self._parts.store.unmeasured(self._id))
        if not cells:
            return
        n_all = sum(cell.said.sound is not None for cell in self._parts.store.data(self._id).cells)
        left = {said.key: None for said in cells}
        self._begin("measure", n_all - len(cells), n_all, lambda: Work({}, {}, len(left)), paces)
        parts = self._parts
        measuring = CellMeasuring(
            parts.store,
            parts.files,
            parts.studio,
            paces,
            self.stop,
            self._id,
            plan,
            parts.open_judge,
            partial(self._tell, left),
        )
        measuring.measure(cells)

    # --- progress

    def _begin(self, phase: Phase, done: int, total: int, work: Callable[[], Work], paces: Paces) -> None:
        studio = self._parts.studio

        def seconds_left() -> float | None:
            return paces.seconds(work(), studio.engine_info, learn_seconds(studio.settings))

        with self._lock:
            self._progress = EvaluationProgress(True, phase, done, total)
            self._seconds_left = seconds_left

    def _tell(self, left: dict[CellKey, None], key: CellKey, step: CellStep) -> None:
        with self._lock:
            if step == "keep":
                left.pop(key, None)
                self._progress = replace(self._progress, done=self._progress.total - len(left))
            else:
                self._progress = replace(self._progress, now=key, is_learning=step == "learn")


@dataclass(frozen=True)
class _OpenedSystem:
    """The engine of a system, and what was in use before it was open; None where it was open before."""

    parts: RunParts
    system: EvaluationSystem
    evaluation_id: str
    before: MemoryUse | None
    open_seconds: float | None
    told: list[bool]

    @classmethod
    def of(cls, parts: RunParts, system: EvaluationSystem, evaluation_id: str) -> "_OpenedSystem":
        """Raises what Studio.load does."""
        studio, engine = parts.studio, system.engine or ""
        before = None if is_open(studio, engine) else memory_use()
        started = time.perf_counter()
        studio.load(engine)
        seconds = time.perf_counter() - started
        parts.store.put_machine(evaluation_id, machine_facts())
        return cls(parts, system, evaluation_id, before, seconds if before is not None else None, [])

    def spoke(self) -> None:
        """It has spoken for the first time, or again."""
        if self.told:
            return
        self.told.append(True)
        info = self.parts.studio.engine_info(self.system.engine)
        more = memory_use().since(self.before) if self.before is not None and info.runs == "here" else None
        known = {run.system: run for run in self.parts.store.data(self.evaluation_id).systems}.get(self.system.id)
        if more is None and known is not None:
            return
        run = SystemRun(
            self.system.id,
            " ".join(filter(None, (info.hub_id, info.extractor_revision))),
            None if more is None else more.process_bytes,
            None if more is None else more.device_bytes,
            self.open_seconds,
            self.system.is_toy,
            info.license,
        )
        self.parts.store.put_system_run(self.evaluation_id, run)
