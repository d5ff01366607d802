"""Evaluations: makes, runs and reads the evaluations of a workspace. It is the one object that doors hold."""

import sqlite3
from pathlib import Path

from studio.audio.decode import decode_sound
from studio.audio.flac import wav_file
from studio.audio.pcm16 import int16_of
from studio.errors import EvaluationLent, EvaluationOwnerUnknown, EvaluationSoundUnknown
from studio.evaluations.evaluations_folder import EvaluationsFolder
from studio.evaluations.keep.complete_plan import CompletePlan, complete_plan
from studio.evaluations.plan.cell import CellKey, SaidCell
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData
from studio.evaluations.plan.identity import plan_digest
from studio.evaluations.plan.order import EvaluationOrder, SoundFile
from studio.evaluations.plan.plan import EvaluationPlan
from studio.evaluations.saying.evaluating_studio import EvaluatingStudio
from studio.evaluations.saying.evaluation_run import EvaluationRun, RunParts
from studio.evaluations.saying.paces import Paces, work_of
from studio.evaluations.saying.progress import EvaluationProgress
from studio.evaluations.saying.voice_copies import VoiceCopies
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.prompts.refiner import learn_seconds
from studio.running.offer.offer import is_lent
from studio.workspace import NOBODY

__all__ = ["Evaluations"]

MOST_SOUND_BYTES = 100_000_000  # of one that is brought


class Evaluations:
    """Every method may be called from any thread, and blocks until it is done. Seen and made are evaluations of the studio's workspace.

    Beside what they say, all raise EvaluationUnknown, EvaluationsUnreadable, EvaluationsNewer, DiskError and OSError.
    """

    def __init__(self, folder: EvaluationsFolder, studio: EvaluatingStudio):
        self._folder, self._studio, self._workspace = folder, studio, studio.workspace
        self._store, self._files = folder.store, folder.files

    # --- evaluations

    def create(self, order: EvaluationOrder) -> tuple[Evaluation, bool]:
        """(the evaluation, whether it is new): the same plan again is the one that is there.

        Raises EvaluationOwnerUnknown, EvaluationLimitReached, and what complete_plan does.
        """
        if self._workspace == NOBODY:
            raise EvaluationOwnerUnknown
        self._folder.sweep()
        whole = complete_plan(order, self._studio)
        plan = whole.order.plan
        if (found := self._store.find(plan_digest(plan), self._workspace)) is not None:
            return found, False
        try:
            made = self._store.create(plan, self._workspace, whole.recordings, undrawn=whole.undrawn)
        except sqlite3.IntegrityError:  # somebody else asked for the same just now
            if (found := self._store.find(plan_digest(plan), self._workspace)) is None:
                raise
            return found, False
        return made, True

    def planned(self, order: EvaluationOrder) -> CompletePlan:
        """What `create` would make, which is not kept. Raises what complete_plan does."""
        return complete_plan(order, self._studio)

    def find(self, plan: EvaluationPlan) -> Evaluation | None:
        """The one that has this plan, a complete one. None where there is none."""
        return self._store.find(plan_digest(plan), self._workspace)

    def evaluations(self) -> tuple[Evaluation, ...]:
        """The one that was made last first."""
        return self._store.evaluations(self._workspace)

    def evaluation(self, evaluation_id: str) -> Evaluation:
        return self._store.evaluation(evaluation_id, self._workspace)

    def delete(self, evaluation_id: str) -> None:
        """With its sounds and recordings. What is under way stops."""
        found = self.evaluation(evaluation_id).id
        self._folder.delete(found)
        VoiceCopies(self._studio, found).forget_all()

    # --- running

    def begin(self, evaluation_id: str) -> EvaluationProgress:
        """Say what is not said, then measure what is not measured; returns at once. Where another one runs, it waits for that.

        What was under way when a studio ended does not go on by itself, but by this. Raises OwnerOnly, EvaluationLent.
        """
        evaluation = self.evaluation(evaluation_id)
        if self._studio.settings.has_visitors:
            self._studio.check_owner()
        self.check_engines(evaluation.plan)
        found = evaluation.id
        parts = RunParts(self._store, self._files, self._studio, self._folder.open_judge)
        self._folder.jobs.begin(found, lambda: EvaluationRun(parts, found))
        return self.progress(found)

    def check_engines(self, plan: EvaluationPlan) -> None:
        """Raises EngineUnknown, EvaluationLent."""
        for system in plan.systems:
            if system.engine is not None:
                info = self._studio.engine_info(system.engine)
                if is_lent(self._studio.settings, info.id, info):
                    raise EvaluationLent(info.title)

    def expected_seconds(self, plan: EvaluationPlan) -> float | None:
        """Of a plan's whole run, by what earlier ones took here. None where nobody has timed one of its engines, which wants a GPU.

        plan: a complete one.
        """
        paces = Paces(self._store.paces(), plan)
        infos = [self._studio.engine_info(system.engine) for system in plan.systems if system.engine is not None]
        if any(info.wants_gpu and not paces.knows(info.id) for info in infos):
            return None
        undrawn = {one.id for one in plan.systems if one.engine is None or not self._studio.engine_info(one.engine).draws}
        unsaid = (key for key in plan.cells() if key.seed == plan.seeds[0] or key.system not in undrawn)
        return paces.seconds(work_of(plan, unsaid), self._studio.engine_info, learn_seconds(self._studio.settings))

    def stop(self, evaluation_id: str) -> EvaluationProgress:
        """Within a chunk of the engine; what is said and measured stays."""
        found = self.evaluation(evaluation_id).id
        self._folder.jobs.stop(found)
        return self.progress(found)

    def progress(self, evaluation_id: str) -> EvaluationProgress:
        """Of the run in this process; of one in another what is kept tells."""
        evaluation = self.evaluation(evaluation_id)
        found = self._folder.jobs.progress(evaluation.id)
        if found is not None and (found.is_running or evaluation.state != "running"):
            return found
        is_running, is_said = evaluation.state == "running", evaluation.n_said >= evaluation.n_cells
        done = evaluation.n_measured if is_said else evaluation.n_said
        phase = ("measure" if is_said else "say") if is_running else ""
        return EvaluationProgress(is_running, phase, done, evaluation.n_said if is_said else evaluation.n_cells)

    # --- what was found

    def data(self, evaluation_id: str) -> EvaluationData:
        return self._store.data(evaluation_id, self._workspace)

    def findings(self, evaluation_id: str) -> EvaluationFindings:
        """Of what there is by now; kept until something changes."""
        return self._folder.findings(self.evaluation(evaluation_id).id)

    def stamp(self, evaluation_id: str) -> int:
        """Another one after each change of anything in it. Cheap to ask."""
        return self._store.stamp(self.evaluation(evaluation_id).id)

    def sound(self, evaluation_id: str, sha256: str) -> bytes:
        """A FLAC file. Raises EvaluationSoundUnknown, EvaluationSoundDamaged."""
        self.sound_path(evaluation_id, sha256)
        return self._files.read_flac(evaluation_id, sha256)

    def sound_path(self, evaluation_id: str, sha256: str) -> Path:
        """Of the same file. Raises EvaluationSoundUnknown."""
        if not self._store.has_sound(self.evaluation(evaluation_id).id, sha256):
            raise EvaluationSoundUnknown
        return self._files.path(evaluation_id, sha256)

    def recording(self, evaluation_id: str, digest: str) -> bytes:
        """That of a voice, or of a person who says a text, by the digest in the plan: a WAV file of 16 bits.

        Raises EvaluationRecordingUnknown, EvaluationSoundDamaged.
        """
        clip = self._store.recording(self.evaluation(evaluation_id).id, digest)
        return wav_file(int16_of(clip.samples), clip.sample_rate)

    # --- sounds of others

    def bring_sound(self, evaluation_id: str, key: CellKey, file: SoundFile) -> bool:
        """What a system without an engine says. Whether it is new: a cell that has a sound keeps it.

        key: of the plan. Raises EvaluationSoundUnknown where the plan has no such cell, and what decoding does.
        """
        evaluation = self.evaluation(evaluation_id)
        if not _brings(evaluation.plan, key):
            raise EvaluationSoundUnknown
        if self._store.said(evaluation.id, key):
            return False
        if key.seed != evaluation.plan.seeds[0]:
            self._store.draw(evaluation.id, key.system)
        data, name = (file.read_bytes(), file.name) if isinstance(file, Path) else (file, "")
        clip = decode_sound(data, filename=name, most_bytes=MOST_SOUND_BYTES).clip
        sound = self._files.keep(evaluation.id, int16_of(clip.samples), clip.sample_rate)
        self._store.put_said(evaluation.id, SaidCell(key, sound))
        return True

    # --- voices that go

    def using(self, generation_id: str) -> tuple[Evaluation, ...]:
        """Those in which the recording of that stored voice is, or was."""
        used = frozenset(self._store.having(generation_id))
        return tuple(one for one in self.evaluations() if one.id in used)

    def speaker_gone(self, generation_id: str, *, delete_sounds: bool) -> tuple[Evaluation, ...]:
        """A stored voice was deleted: what was said in it goes, or stays with its figures, as the person says. The evaluations of this
        workspace that it is about; sounds go in those of others, too, where it was everybody's.

        Its recording leaves them all by itself, once there is no way back (studio/library/forgetter.py).
        """
        for evaluation_id in self._store.having(generation_id) if delete_sounds else ():
            self._store.forget_sounds(evaluation_id, self._store.voices_of(evaluation_id, generation_id))
        return self.using(generation_id)


def _brings(plan: EvaluationPlan, key: CellKey) -> bool:
    """Whether the plan has that cell, of a system without an engine."""
    text = next((one for one in plan.texts if one.id == key.text), None)
    is_brought = any(one.id == key.system and one.engine is None for one in plan.systems)
    has_voice = any(one.id == key.voice for one in plan.voices) and text is not None and text.voice in (None, key.voice)
    return is_brought and has_voice and key.seed in plan.seeds
