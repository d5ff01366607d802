"""Told evaluations: evaluations, their progress and their cells as the JSON has them. For worker threads: functions read what they tell."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engines.errors import EngineError
from studio.api.answers.evaluation_answers import (
    BesideAnswer,
    CellAnswer,
    CellsAnswer,
    EvaluationAnswer,
    EvaluationLimits,
    EvaluationListAnswer,
    EvaluationProgressAnswer,
    EvaluationRow,
    ExpectedAnswer,
    FamilyAnswer,
    PlanAnswer,
    PlannedSystemAnswer,
    RefusedAnswer,
    SentenceAnswer,
    TextAnswer,
    VoiceAnswer,
)
from studio.api.answers.told_scripts import told_failure
from studio.errors import OwnerOnly
from studio.evaluation_orders.materials import Note
from studio.evaluation_orders.orders import ReadyOrder, refusals
from studio.evaluations.measures.families import families_here
from studio.evaluations.plan.cell import CellKey, EvaluatedCell
from studio.evaluations.plan.evaluation import Evaluation, EvaluationData
from studio.evaluations.plan.plan import (
    MOST_CELLS,
    MOST_SEEDS,
    MOST_SYSTEMS,
    MOST_TEXT_CHARACTERS,
    MOST_TEXTS,
    MOST_VOICES,
    EvaluationPlan,
)
from studio.evaluations.statistics.sentences import sentence_of
from studio.evaluations.statistics.worst_cells import worst_cells
from studio.evaluations.texts.builtin import BUILTIN_LANGUAGES
from studio.service import Studio
from studio.words.line import Line
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = [
    "AskedCells",
    "Say",
    "cells_of",
    "evaluation_list",
    "evaluation_progress",
    "expected",
    "sayer",
    "told_evaluation",
    "told_line",
    "told_notes",
]

SECTION = "evaluations"  # of assets/words
MOST_SHOWN_TEXTS = 50
LIMITS = EvaluationLimits(
    systems=MOST_SYSTEMS,
    voices=MOST_VOICES,
    texts=MOST_TEXTS,
    seeds=MOST_SEEDS,
    cells=MOST_CELLS,
    text_characters=MOST_TEXT_CHARACTERS,
)


class Say:
    """Sentences of evaluations in a language, English for one that there is not. language: its code."""

    def __init__(self, language: str):
        self._words = sentences_in(language if language in LANGUAGES else "en")
        self.language = self._words.language

    def __call__(self, key: str, values: Mapping[str, object]) -> str:
        return self._words.words(f"{SECTION}.{key}", values)

    def note(self, key: str, values: Mapping[str, object]) -> str:
        """Of what was read; the form of a list is a key of its own."""
        form = {"form": self(f"texts_are_{values['form']}", {})} if "form" in values else {}
        return self(key, {**values, **form})


def sayer(language: str = "en") -> Say:
    """For routes that take a language."""
    return Say(language)


def evaluation_list(studio: Studio) -> EvaluationListAnswer:
    """All that the workspace has."""
    refused = _why_not(studio)
    families = [FamilyAnswer(name=name, is_here=why is None, why=why) for name, why in families_here(studio.estimators).items()]
    return EvaluationListAnswer(
        evaluations=[_row(studio, one) for one in studio.evaluations.evaluations()],
        may_begin=refused is None,
        why_not=told_failure(refused),
        families=families,
        languages=list(BUILTIN_LANGUAGES),
        limits=LIMITS,
    )


def told_evaluation(studio: Studio, evaluation_id: str, notes: Sequence[Note] | None = None) -> EvaluationAnswer:
    """notes: of one that was just made."""
    evaluation = studio.evaluations.evaluation(evaluation_id)
    return EvaluationAnswer(
        **_row(studio, evaluation).model_dump(),
        plan=_plan(evaluation.plan),
        progress=evaluation_progress(studio, evaluation.id),
        machine=dict(evaluation.machine),
        notes=None if notes is None else told_notes(notes),
    )


def evaluation_progress(studio: Studio, evaluation_id: str) -> EvaluationProgressAnswer:
    """Of the run under way, or the last one."""
    now = studio.evaluations.progress(evaluation_id)
    return EvaluationProgressAnswer(
        is_running=now.is_running,
        phase=now.phase,
        done=now.done,
        total=now.total,
        seconds_left=None if now.seconds_left is None else round(now.seconds_left, 1),
        now=None if now.now is None else now.now._asdict(),
        is_learning=now.is_learning,
        failure=told_failure(now.failure),
    )


def expected(studio: Studio, ready: ReadyOrder) -> ExpectedAnswer:
    """What an evaluation would be; nothing is kept. Raises what a plan that cannot be made does."""
    plan = studio.evaluations.planned(ready.order).order.plan
    seconds = studio.evaluations.expected_seconds(plan)
    return ExpectedAnswer(
        n_cells=plan.n_cells(),
        n_voices=len(plan.voices),
        n_texts=len(plan.texts),
        seconds=None if seconds is None else round(seconds, 1),
        refusals=[RefusedAnswer(system=one.system, voice=one.voice, language=one.language, why=one.why) for one in refusals(studio, plan)],
        notes=told_notes(ready.notes),
    )


@dataclass(frozen=True)
class AskedCells:
    """Which cells: of a system, a voice, a text, "" for all; in which order; count of them from `first` on."""

    figure: str = ""
    system: str = ""
    voice: str = ""
    text: str = ""
    order: Literal["worst", "best", "plan"] = "plan"
    first: int = 0
    count: int = 50

    def take(self, key: CellKey) -> bool:
        """Whether it is one of them."""
        asked = ((self.system, key.system), (self.voice, key.voice), (self.text, key.text))
        return all(wanted in ("", one) for wanted, one in asked)


def cells_of(data: EvaluationData, asked: AskedCells) -> CellsAnswer:
    """order: "worst" or "best" by a figure, "plan" as they were said. Those that have no such figure stand behind the others."""
    by_key = {cell.key: cell for cell in data.cells}
    ranked: list[CellKey] = []
    if asked.order != "plan" and asked.figure:
        ranked = list(worst_cells(data, asked.figure, asked.system or None))
        ranked = ranked if asked.order == "worst" else ranked[::-1]
    known = set(ranked)
    keys = [key for key in (*ranked, *(key for key in by_key if key not in known)) if asked.take(key)]
    shown = [by_key[key] for key in keys[asked.first : asked.first + asked.count]]
    return CellsAnswer(n=len(keys), first=asked.first, cells=[_cell(cell, data.evaluation.plan, by_key) for cell in shown])


def told_line(line: Line, say: Say) -> SentenceAnswer:
    """In words, and as it is."""
    return SentenceAnswer(said=sentence_of(line, say), key=line.key, values=dict(line.values))


def told_notes(notes: Iterable[Note], say: Say | None = None) -> list[SentenceAnswer]:
    """What is to be known of what was read."""
    words = say or sayer()
    return [SentenceAnswer(said=words.note(key, values), key=key, values=dict(values)) for key, values in notes]


def _why_not(studio: Studio) -> EngineError | None:
    try:
        studio.check_owner()
    except OwnerOnly as error:
        return error
    return None


def _row(studio: Studio, evaluation: Evaluation) -> EvaluationRow:
    plan, progress = evaluation.plan, studio.evaluations.progress(evaluation.id)
    seconds = progress.seconds_left if progress.is_running else None
    labels = [system.label for system in plan.systems]
    return EvaluationRow(
        id=evaluation.id,
        title=plan.title or " / ".join(labels),
        created=evaluation.created,
        changed=evaluation.changed,
        state=evaluation.state,
        n_cells=evaluation.n_cells,
        n_said=evaluation.n_said,
        n_measured=evaluation.n_measured,
        seconds_left=None if seconds is None else round(seconds, 1),
        systems=labels,
        n_voices=len(plan.voices),
        n_texts=len(plan.texts),
        languages=sorted({text.language for text in plan.texts if text.language}),
        bytes=evaluation.n_bytes,
        is_running=progress.is_running,
    )


def _plan(plan: EvaluationPlan) -> PlanAnswer:
    return PlanAnswer(
        systems=[PlannedSystemAnswer.model_validate(system.model_dump()) for system in plan.systems],
        voices=[VoiceAnswer(id=one.id, label=one.label, name=one.name, has_clip=one.clip is not None) for one in plan.voices],
        texts=[
            TextAnswer(id=one.id, text=one.text, language=one.language, voice=one.voice, kind=one.kind)
            for one in plan.texts[:MOST_SHOWN_TEXTS]
        ],
        n_texts=len(plan.texts),
        seeds=list(plan.seeds),
        learn=plan.learn,
        measures=None if plan.measures is None else list(plan.measures),
    )


def _cell(cell: EvaluatedCell, plan: EvaluationPlan, by_key: Mapping[CellKey, EvaluatedCell]) -> CellAnswer:
    key, measures, sound = cell.key, cell.measures, cell.said.sound
    text = next(one for one in plan.texts if one.id == key.text)
    others = (by_key.get(key._replace(system=system.id)) for system in plan.systems if system.id != key.system)
    return CellAnswer(
        system=key.system,
        voice=key.voice,
        text=key.text,
        seed=key.seed,
        written=text.text,
        language=text.language,
        heard=measures.heard if measures else None,
        values=_values(cell),
        lacking=dict(measures.lacking) if measures else {},
        sound=sound.sha256 if sound else None,
        seconds=round(sound.seconds, 3) if sound else None,
        refused=dict(cell.said.refused) if cell.said.refused else None,
        warning=cell.said.warning,
        beside=[_beside(other) for other in others if other is not None],
    )


def _beside(cell: EvaluatedCell) -> BesideAnswer:
    sound = cell.said.sound
    return BesideAnswer(
        system=cell.key.system,
        sound=sound.sha256 if sound else None,
        seconds=round(sound.seconds, 3) if sound else None,
        values=_values(cell),
        refused=dict(cell.said.refused) if cell.said.refused else None,
    )


def _values(cell: EvaluatedCell) -> dict[str, float]:
    """What was timed, and what was measured."""
    said = cell.said
    timed = {"ttfp_ms": said.ttfp_seconds and 1000 * said.ttfp_seconds, "rtf": said.rtf}
    values = {name: value for name, value in timed.items() if value is not None} | (dict(cell.measures.values) if cell.measures else {})
    return {name: round(value, 4) for name, value in values.items()}
