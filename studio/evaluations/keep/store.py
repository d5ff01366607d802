"""EvaluationStore: plans, cells, figures and recordings in the database. Their files lie beside it."""

import json
import secrets
import sqlite3
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from engines.clips.clip import Clip
from studio.errors import EvaluationLimitReached, EvaluationRecordingUnknown, EvaluationUnknown
from studio.evaluations.keep import rows as tables
from studio.evaluations.keep.kept_files import KeptFiles
from studio.evaluations.plan.cell import CellKey, CellMeasures, SaidCell, SystemRun, VoiceRun
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData, WordFloor
from studio.evaluations.plan.identity import plan_digest
from studio.evaluations.plan.plan import EvaluationPlan
from studio.evaluations.plan.refusal import refusal_of
from studio.storage.database import Database

__all__ = ["EvaluationStore", "KeptRecording"]

MOST_EVALUATIONS = 200  # of one workspace
ID_BYTES = 12  # 16 characters


@dataclass(frozen=True)
class KeptRecording:
    """generation: of the stored voice that it was taken from; "" of one that is nobody's stored voice."""

    clip: Clip
    generation: str = ""


class EvaluationStore:
    """Thread-safe; several processes may use it. clock: seconds since 1970. is_running(id): whether somebody is at it, here or elsewhere.

    Raises what the database does, and EvaluationUnknown.
    """

    def __init__(
        self,
        database: Database,
        files: KeptFiles,
        clock: Callable[[], float] = time.time,
        *,
        is_running: Callable[[str], bool] = lambda evaluation_id: False,
    ):
        self._database, self._files, self._clock, self._is_running = database, files, clock, is_running

    # --- evaluations

    def create(
        self, plan: EvaluationPlan, workspace: str, recordings: Sequence[KeptRecording] = (), *, undrawn: Collection[str] = ()
    ) -> Evaluation:
        """plan: a complete one. recordings: all that it names. undrawn: ids of systems that say each text with the first seed alone.

        Raises EvaluationLimitReached, OSError.
        """
        evaluation_id = _new_id()
        try:
            kept = {one.clip.digest: (one, self._files.keep_recording(evaluation_id, one.clip)) for one in recordings}
            with self._database.writing() as rows:
                n_there = rows.execute("SELECT count(*) FROM evaluations WHERE workspace = ?", (workspace,)).fetchone()[0]
                if n_there >= MOST_EVALUATIONS:
                    raise EvaluationLimitReached(MOST_EVALUATIONS)
                now = self._clock()
                rows.execute(
                    """INSERT INTO evaluations (id, workspace, created, changed, digest, plan, undrawn, n_cells)
                    VALUES (?, ?, ?, ?, ?, ?, ?, 0)""",
                    (evaluation_id, workspace, now, now, plan_digest(plan), plan.model_dump_json(), json.dumps(sorted(undrawn))),
                )
                _count_cells(rows, evaluation_id)
                rows.executemany(
                    "INSERT INTO recordings (evaluation, digest, joints, n_bytes, generation) VALUES (?, ?, ?, ?, ?)",
                    [(evaluation_id, d, json.dumps(one.clip.joints), n, one.generation) for d, (one, n) in kept.items()],
                )
        except BaseException:
            self._files.remove_all(evaluation_id)
            raise
        return self.evaluation(evaluation_id)

    def evaluations(self, workspace: str) -> tuple[Evaluation, ...]:
        """Of that workspace, the one that was made last first."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute(f"{tables.COUNTED} WHERE workspace = ? ORDER BY created DESC, id", (workspace,)).fetchall()
        return tuple(tables.evaluation_of(row, is_running=self._is_running(row["id"])) for row in found)

    def evaluation(self, evaluation_id: str, workspace: str | None = None) -> Evaluation:
        """workspace: whose it must be; None for anybody's."""
        with self._reading(evaluation_id, workspace) as (_, row):
            pass
        return tables.evaluation_of(row, is_running=self._is_running(evaluation_id))

    def workspace(self, evaluation_id: str) -> str:
        """Whose it is."""
        with self._reading(evaluation_id) as (_, row):
            return row["workspace"]

    def find(self, digest: str, workspace: str) -> Evaluation | None:
        """The one of that plan (plan_digest), None where there is none."""
        if not self._database.exists:
            return None
        with self._database.reading() as rows:
            row = rows.execute("SELECT id FROM evaluations WHERE workspace = ? AND digest = ?", (workspace, digest)).fetchone()
        return None if row is None else self.evaluation(row["id"])

    def delete(self, evaluation_id: str) -> None:
        """With everything that belongs to it but its files, of which is noted that they go: until `left`."""
        with self._writing(evaluation_id) as rows:
            rows.execute("DELETE FROM evaluations WHERE id = ?", (evaluation_id,))
            rows.execute("INSERT OR IGNORE INTO leaving VALUES (?)", (evaluation_id,))

    def leaving(self) -> tuple[str, ...]:
        """Ids of deleted evaluations whose files may be there still."""
        return self._ids("SELECT evaluation AS id FROM leaving")

    def left(self, evaluation_id: str) -> None:
        with self._database.writing() as rows:
            rows.execute("DELETE FROM leaving WHERE evaluation = ?", (evaluation_id,))

    def ids(self) -> tuple[str, ...]:
        """Of all workspaces."""
        return self._ids("SELECT id FROM evaluations")

    def old(self, is_old: Callable[[str, float], bool]) -> tuple[str, ...]:
        """Ids of the evaluations of which is_old(workspace, created) says so."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute("SELECT id, workspace, created FROM evaluations").fetchall()
        return tuple(row["id"] for row in found if is_old(row["workspace"], row["created"]))

    def stamp(self, evaluation_id: str) -> int:
        """Another one after each change."""
        with self._reading(evaluation_id) as (_, row):
            return row["stamp"]

    # --- what was found

    def data(self, evaluation_id: str, workspace: str | None = None) -> EvaluationData:
        """All of it."""
        with self._reading(evaluation_id, workspace) as (rows, row):
            cells = tables.cells_of(rows, evaluation_id, tuple(tables.keys_of(row)))
            voices, systems = tables.voice_runs_of(rows, evaluation_id), tables.system_runs_of(rows, evaluation_id)
            floors = tables.floors_of(rows, evaluation_id)
        evaluation = tables.evaluation_of(row, is_running=self._is_running(evaluation_id))
        return EvaluationData(evaluation, cells, voices, systems, floors, row["recognizer"])

    def unsaid(self, evaluation_id: str) -> Iterator[CellKey]:
        """In the plan's order, as it is now."""
        with self._reading(evaluation_id) as (rows, row):
            known = _keys(rows.execute("SELECT system, voice, text, seed FROM cells WHERE evaluation = ?", (evaluation_id,)))
            keys = tuple(tables.keys_of(row))
        return (key for key in keys if key not in known)

    def unmeasured(self, evaluation_id: str) -> Iterator[SaidCell]:
        """In the plan's order, as it is now: those that have a sound and no figures."""
        cells = self.data(evaluation_id).cells
        return (cell.said for cell in cells if cell.measures is None and cell.said.sound is not None)

    def said(self, evaluation_id: str, key: CellKey) -> bool:
        """Whether that cell has a sound."""
        with self._reading(evaluation_id) as (rows, _):
            found = f"SELECT 1 FROM cells WHERE {tables.OF_A_KEY} AND sha256 IS NOT NULL"
            return rows.execute(found, (evaluation_id, *key)).fetchone() is not None

    def has_sound(self, evaluation_id: str, sha256: str) -> bool:
        """Whether it is of one of the cells."""
        with self._reading(evaluation_id) as (rows, _):
            found = "SELECT 1 FROM cells WHERE evaluation = ? AND sha256 = ?"
            return rows.execute(found, (evaluation_id, sha256)).fetchone() is not None

    # --- what was done

    def put_said(self, evaluation_id: str, said: SaidCell) -> None:
        """In place of what was there, with its figures. Its sound is on disk."""
        with self._writing(evaluation_id) as rows:
            before = rows.execute(f"SELECT sha256 FROM cells WHERE {tables.OF_A_KEY}", (evaluation_id, *said.key)).fetchone()
            tables.put_said_cell(rows, evaluation_id, said)
            self._drop_unused(rows, evaluation_id, before["sha256"] if before else None)

    def draw(self, evaluation_id: str, system: str) -> None:
        """A system says its texts with the other seeds as well."""
        with self._writing(evaluation_id) as rows:
            undrawn = json.loads(tables.read_row(rows, evaluation_id)["undrawn"])
            left = json.dumps([other for other in undrawn if other != system])
            rows.execute("UPDATE evaluations SET undrawn = ? WHERE id = ?", (left, evaluation_id))
            _count_cells(rows, evaluation_id)

    def put_measures(self, evaluation_id: str, key: CellKey, measures: CellMeasures) -> None:
        """Nothing happens where the cell is gone."""
        with self._writing(evaluation_id) as rows:
            written = tables.measures_json(measures)
            rows.execute(f"UPDATE cells SET measures = ? WHERE {tables.OF_A_KEY}", (written, evaluation_id, *key))

    def put_voice_run(self, evaluation_id: str, run: VoiceRun) -> None:
        with self._writing(evaluation_id) as rows:
            values = (evaluation_id, run.system, run.voice, run.cold_ttfp_seconds, run.learn_seconds)
            rows.execute("INSERT OR REPLACE INTO voice_runs VALUES (?, ?, ?, ?, ?)", values)

    def put_system_run(self, evaluation_id: str, run: SystemRun) -> None:
        with self._writing(evaluation_id) as rows:
            rows.execute("INSERT OR REPLACE INTO system_runs VALUES (?, ?, ?)", (evaluation_id, run.system, tables.as_json(run)))

    def put_floors(self, evaluation_id: str, floors: Sequence[WordFloor], recognizer: str) -> None:
        """In place of all that there were."""
        with self._writing(evaluation_id) as rows:
            rows.execute("DELETE FROM floors WHERE evaluation = ?", (evaluation_id,))
            values = [(evaluation_id, floor.language, tables.as_json(floor)) for floor in floors]
            rows.executemany("INSERT INTO floors VALUES (?, ?, ?)", values)
            rows.execute("UPDATE evaluations SET recognizer = ? WHERE id = ?", (recognizer, evaluation_id))

    def put_machine(self, evaluation_id: str, machine: Mapping[str, str]) -> None:
        """Where it is said."""
        with self._writing(evaluation_id) as rows:
            rows.execute("UPDATE evaluations SET machine = ? WHERE id = ?", (json.dumps(dict(machine)), evaluation_id))

    def forget_sounds(self, evaluation_id: str, voice_ids: Collection[str]) -> None:
        """Of these voices, for good: the cells stay without sound, refused as ones whose voice was deleted, and without figures."""
        with self._writing(evaluation_id) as rows:
            for voice_id in voice_ids:
                found = rows.execute("SELECT DISTINCT sha256 FROM cells WHERE evaluation = ? AND voice = ?", (evaluation_id, voice_id))
                digests = [row["sha256"] for row in found if row["sha256"]]
                refused = json.dumps(refusal_of(EvaluationRecordingUnknown()))
                rows.execute(
                    """UPDATE cells SET sha256 = NULL, n_bytes = 0, seconds = NULL, measures = NULL, refused = ?
                    WHERE evaluation = ? AND voice = ?""",
                    (refused, evaluation_id, voice_id),
                )
                for digest in digests:
                    self._drop_unused(rows, evaluation_id, digest)

    # --- recordings

    def recording(self, evaluation_id: str, digest: str) -> Clip:
        """Raises EvaluationRecordingUnknown, EvaluationSoundDamaged."""
        with self._reading(evaluation_id) as (rows, _):
            row = rows.execute(
                "SELECT joints FROM recordings WHERE evaluation = ? AND digest = ? AND NOT is_gone", (evaluation_id, digest)
            ).fetchone()
        if row is None:
            raise EvaluationRecordingUnknown
        return self._files.read_recording(evaluation_id, digest, json.loads(row["joints"]))

    def check_recording(self, evaluation_id: str, digest: str) -> None:
        """Raises EvaluationRecordingUnknown where it is gone."""
        with self._reading(evaluation_id) as (rows, _):
            found = "SELECT 1 FROM recordings WHERE evaluation = ? AND digest = ? AND NOT is_gone"
            if rows.execute(found, (evaluation_id, digest)).fetchone() is None:
                raise EvaluationRecordingUnknown

    def generations(self) -> frozenset[str]:
        """Of the stored voices whose recordings are in evaluations of any workspace."""
        return frozenset(self._ids("SELECT DISTINCT generation AS id FROM recordings WHERE generation <> '' AND NOT is_gone"))

    def having(self, generation: str) -> tuple[str, ...]:
        """Ids of the evaluations of all workspaces in which the recording of that stored voice is, or was."""
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            found = rows.execute("SELECT evaluation FROM recordings WHERE generation = ?", (generation,))
            return tuple(row["evaluation"] for row in found)

    def voices_of(self, evaluation_id: str, generation: str) -> tuple[str, ...]:
        """Ids of the voices whose recording is, or was, that of this stored voice."""
        with self._reading(evaluation_id) as (rows, row):
            found = rows.execute("SELECT digest FROM recordings WHERE evaluation = ? AND generation = ?", (evaluation_id, generation))
            digests = frozenset(one["digest"] for one in found)
        return tuple(voice.id for voice in tables.read_plan(row["plan"]).voices if voice.clip in digests)

    def forget_recording(self, generation: str) -> tuple[str, ...]:
        """A stored voice was deleted: its recording leaves the evaluations of all workspaces. Ids of those that had it."""
        if not self._database.exists:
            return ()
        with self._database.writing() as rows:
            found = rows.execute("SELECT evaluation, digest FROM recordings WHERE generation = ? AND NOT is_gone", (generation,)).fetchall()
            rows.execute("UPDATE recordings SET is_gone = 1, n_bytes = 0 WHERE generation = ?", (generation,))
            for row in found:
                self._touch(rows, row["evaluation"])
        for row in found:
            self._files.remove_recording(row["evaluation"], row["digest"])
        return tuple(dict.fromkeys(row["evaluation"] for row in found))

    # --- how long things take

    def paces(self) -> Mapping[str, float]:
        """Seconds of what was measured here before, by what: see studio/evaluations/saying/paces.py."""
        if not self._database.exists:
            return {}
        with self._database.reading() as rows:
            return {row["what"]: row["seconds"] for row in rows.execute("SELECT what, seconds FROM paces")}

    def put_paces(self, paces: Mapping[str, float]) -> None:
        with self._database.writing(durable=False) as rows:
            rows.executemany("INSERT OR REPLACE INTO paces VALUES (?, ?, 1)", list(paces.items()))

    # --- private

    @contextmanager
    def _reading(self, evaluation_id: str, workspace: str | None = None) -> Iterator[tuple[sqlite3.Connection, sqlite3.Row]]:
        if not self._database.exists:
            raise EvaluationUnknown
        with self._database.reading() as rows:
            yield rows, tables.read_row(rows, evaluation_id, workspace)

    @contextmanager
    def _writing(self, evaluation_id: str) -> Iterator[sqlite3.Connection]:
        if not self._database.exists:
            raise EvaluationUnknown
        with self._database.writing() as rows:
            self._touch(rows, evaluation_id)
            yield rows

    def _touch(self, rows: sqlite3.Connection, evaluation_id: str) -> None:
        told = rows.execute("UPDATE evaluations SET stamp = stamp + 1, changed = ? WHERE id = ?", (self._clock(), evaluation_id))
        if not told.rowcount:
            raise EvaluationUnknown

    def _drop_unused(self, rows: sqlite3.Connection, evaluation_id: str, sha256: str | None) -> None:
        """The file of a sound that no cell has any more."""
        found = "SELECT 1 FROM cells WHERE evaluation = ? AND sha256 = ?"
        if sha256 and rows.execute(found, (evaluation_id, sha256)).fetchone() is None:
            self._files.remove(evaluation_id, sha256)

    def _ids(self, found: str) -> tuple[str, ...]:
        if not self._database.exists:
            return ()
        with self._database.reading() as rows:
            return tuple(row["id"] for row in rows.execute(found))


def _new_id() -> str:
    while (evaluation_id := secrets.token_urlsafe(ID_BYTES)).startswith("-"):  # which a command line takes for an option
        pass
    return evaluation_id


def _count_cells(rows: sqlite3.Connection, evaluation_id: str) -> None:
    n_cells = sum(1 for _ in tables.keys_of(tables.read_row(rows, evaluation_id)))
    rows.execute("UPDATE evaluations SET n_cells = ? WHERE id = ?", (n_cells, evaluation_id))


def _keys(found: sqlite3.Cursor) -> frozenset[CellKey]:
    return frozenset(CellKey(row["system"], row["voice"], row["text"], row["seed"]) for row in found)
