"""Rows of the tables of evaluations as the nouns of a plan, and back."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from dataclasses import asdict
from functools import lru_cache

from studio.errors import EvaluationUnknown
from studio.evaluations.plan.cell import CellKey, CellMeasures, EvaluatedCell, KeptSound, SaidCell, SystemRun, VoiceRun
from studio.evaluations.plan.evaluation import Evaluation, EvaluationState, WordFloor
from studio.evaluations.plan.plan import EvaluationPlan

__all__ = [
    "OF_A_KEY",
    "as_json",
    "cells_of",
    "evaluation_of",
    "floors_of",
    "keys_of",
    "measures_json",
    "put_said_cell",
    "read_plan",
    "read_row",
    "system_runs_of",
    "voice_runs_of",
]

MOST_PLANS = 16  # parsed, of those that were asked for last: one of 5,000 texts takes 30 ms

COUNTED = """SELECT evaluations.*,
    (SELECT count(*) FROM cells WHERE cells.evaluation = evaluations.id) AS n_said,
    (SELECT count(*) FROM cells WHERE cells.evaluation = evaluations.id AND (measures IS NOT NULL OR refused IS NOT NULL)) AS n_measured,
    (SELECT coalesce(sum(n_bytes), 0) FROM cells WHERE cells.evaluation = evaluations.id) +
    (SELECT coalesce(sum(n_bytes), 0) FROM recordings WHERE recordings.evaluation = evaluations.id) AS n_bytes
    FROM evaluations"""
OF_A_KEY = "evaluation = ? AND system = ? AND voice = ? AND text = ? AND seed = ?"


def read_row(rows: sqlite3.Connection, evaluation_id: str, workspace: str | None = None) -> sqlite3.Row:
    """With counts. workspace: whose it must be; None for anybody's. Raises EvaluationUnknown."""
    row = rows.execute(f"{COUNTED} WHERE id = ?", (evaluation_id,)).fetchone()
    if row is None or workspace not in (None, row["workspace"]):
        raise EvaluationUnknown
    return row


@lru_cache(maxsize=MOST_PLANS)
def read_plan(written: str) -> EvaluationPlan:
    return EvaluationPlan.model_validate_json(written)


def keys_of(row: sqlite3.Row) -> Iterator[CellKey]:
    """In the plan's order: what is to be said. Of systems that draw nothing, with the first seed alone: another sounds the same."""
    plan = read_plan(row["plan"])
    undrawn, first = frozenset(json.loads(row["undrawn"])), plan.seeds[0]
    return (key for key in plan.cells() if key.seed == first or key.system not in undrawn)


def evaluation_of(row: sqlite3.Row, *, is_running: bool) -> Evaluation:
    """row: of read_row."""
    return Evaluation(
        row["id"],
        read_plan(row["plan"]),
        row["created"],
        row["changed"],
        _state(row, is_running=is_running),
        row["n_cells"],
        row["n_said"],
        row["n_measured"],
        row["n_bytes"],
        json.loads(row["machine"]),
    )


def cells_of(rows: sqlite3.Connection, evaluation_id: str, order: Collection[CellKey]) -> tuple[EvaluatedCell, ...]:
    """In that order. Those that the plan does not have, such as of a seed that an engine does not draw, come last."""
    found = {}
    for row in rows.execute("SELECT * FROM cells WHERE evaluation = ?", (evaluation_id,)):
        key = CellKey(row["system"], row["voice"], row["text"], row["seed"])
        found[key] = EvaluatedCell(_said(key, row), _measures(row["measures"]))
    first = [found.pop(key) for key in order if key in found]
    return (*first, *found.values())


def put_said_cell(rows: sqlite3.Connection, evaluation_id: str, said: SaidCell) -> None:
    """In place of what was there, with its figures."""
    sound = said.sound
    of_sound = (None, 0, None, None) if sound is None else (sound.sha256, sound.n_bytes, sound.sample_rate, sound.seconds)
    refused = None if said.refused is None else json.dumps(dict(said.refused), ensure_ascii=False)
    columns = "evaluation, system, voice, text, seed, sha256, n_bytes, sample_rate, seconds, ttfp_seconds, rtf, warning, refused, measures"
    values = (evaluation_id, *said.key, *of_sound, said.ttfp_seconds, said.rtf, said.warning, refused, None)
    rows.execute(f"INSERT OR REPLACE INTO cells ({columns}) VALUES ({', '.join('?' * len(values))})", values)


def measures_json(measures: CellMeasures) -> str:
    """As the table has it: without what is empty."""
    told = {"values": dict(measures.values), "heard": measures.heard, "n_words": measures.n_words, "lacking": dict(measures.lacking)}
    return json.dumps({name: value for name, value in told.items() if value not in (None, {})}, ensure_ascii=False)


def voice_runs_of(rows: sqlite3.Connection, evaluation_id: str) -> tuple[VoiceRun, ...]:
    found = rows.execute("SELECT * FROM voice_runs WHERE evaluation = ?", (evaluation_id,))
    return tuple(VoiceRun(row["system"], row["voice"], row["cold_ttfp_seconds"], row["learn_seconds"]) for row in found)


def system_runs_of(rows: sqlite3.Connection, evaluation_id: str) -> tuple[SystemRun, ...]:
    found = rows.execute("SELECT run FROM system_runs WHERE evaluation = ?", (evaluation_id,))
    return tuple(SystemRun(**json.loads(row["run"])) for row in found)


def floors_of(rows: sqlite3.Connection, evaluation_id: str) -> tuple[WordFloor, ...]:
    found = rows.execute("SELECT floor FROM floors WHERE evaluation = ? ORDER BY language", (evaluation_id,))
    return tuple(WordFloor(**json.loads(row["floor"])) for row in found)


def as_json(run: SystemRun | WordFloor) -> str:
    return json.dumps(asdict(run), ensure_ascii=False)


def _state(row: sqlite3.Row, *, is_running: bool) -> EvaluationState:
    if is_running:
        return "running"
    if row["n_said"] >= row["n_cells"] and row["n_measured"] >= row["n_said"]:
        return "done"
    return "stopped" if row["n_said"] else "ready"


def _said(key: CellKey, row: sqlite3.Row) -> SaidCell:
    refused = None if row["refused"] is None else json.loads(row["refused"])
    sound = None if row["sha256"] is None else KeptSound(row["sha256"], row["n_bytes"], row["sample_rate"], row["seconds"])
    return SaidCell(key, sound, row["ttfp_seconds"], row["rtf"], row["warning"], refused)


def _measures(written: str | None) -> CellMeasures | None:
    if written is None:
        return None
    told = json.loads(written)
    return CellMeasures(told.get("values", {}), told.get("heard"), told.get("n_words"), told.get("lacking", {}))
