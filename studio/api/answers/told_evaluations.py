"""Told evaluations: evaluations, their progress and their cells as the JSON has them. For worker threads: functions read what they tell."""

from collections.abc import Iterable, Sequence

from engines.errors import EngineError
from studio.api.answers.evaluation_answers import (
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
    RefusedAnswer,
    SentenceAnswer,
    SystemAnswer,
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
from studio.listening.statistics.findings import Line
from studio.service import Studio
from studio.words.sentences import LANGUAGES, sentences_in

__all__ = ["Say", "cells_of", "evaluation_list", "evaluation_progress", "expected", "sayer", "told_evaluation", "told_line", "told_notes"]

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

    def __call__(self, key: str, values) -> str:
        return self._words.words(f"{SECTION}.{key}", values)


def sayer(language: str = "en") -> Say:
    """For routes that take a language."""
    return Say(language)


def evaluation_list(studio: Studio) -> EvaluationListAnswer:
    """All that the workspace has."""
    refused = _why_not(studio)
    families = [FamilyAnswer(name=name, is_here=why is None, why=why) for name, why in families_here(studio.estimators).items()]
    return EvaluationListAnswer(
        evaluations=[EvaluationRow(**_row(studio, one)) for one in studio.evaluations.evaluations()],
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
        **_row(studio, evaluation),
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


def cells_of(data: EvaluationData, *, figure: str, system: str, order: str, first: int, count: int) -> CellsAnswer:
    """order: "worst" or "best" by a figure, "plan" as they were said. Refused ones stand behind the others. Of figures without a better
    the farthest from the middle are the worst."""
    if order == "plan" or not figure:
        cells = [cell for cell in data.cells if system in ("", cell.key.system)]
    else:
        by_key = {cell.key: cell for cell in data.cells}
        ranked = worst_cells(data, figure, system or None)
        keys = ranked if order == "worst" else list(reversed(ranked))
        left = set(by_key) - set(keys)
        cells = [by_key[key] for key in keys]
        cells += [cell for cell in data.cells if cell.key in left and system in ("", cell.key.system)]
    return CellsAnswer(n=len(cells), first=first, cells=list(_told_cells(data.evaluation.plan, cells[first : first + count])))


def told_line(line: Line, say: Say) -> SentenceAnswer:
    """In words, and as it is."""
    return SentenceAnswer(text=sentence_of(line, say), key=line.key, values=dict(line.values))


def told_notes(notes: Iterable[Note], say: Say | None = None) -> list[SentenceAnswer]:
    """What is to be known of what was read."""
    words = say or sayer()
    return [SentenceAnswer(text=words(key, values), key=key, values=dict(values)) for key, values in notes]


def _why_not(studio: Studio) -> EngineError | None:
    try:
        studio.check_owner()
    except OwnerOnly as error:
        return error
    return None


def _row(studio: Studio, evaluation: Evaluation) -> dict[str, object]:
    plan, progress = evaluation.plan, studio.evaluations.progress(evaluation.id)
    seconds = progress.seconds_left if progress.is_running else None
    return {
        "id": evaluation.id,
        "title": plan.title,
        "created": evaluation.created,
        "changed": evaluation.changed,
        "state": evaluation.state,
        "n_cells": evaluation.n_cells,
        "n_said": evaluation.n_said,
        "n_measured": evaluation.n_measured,
        "seconds_left": None if seconds is None else round(seconds, 1),
        "systems": [system.label for system in plan.systems],
        "n_voices": len(plan.voices),
        "n_texts": len(plan.texts),
        "languages": sorted({text.language for text in plan.texts if text.language}),
        "bytes": evaluation.n_bytes,
        "is_running": progress.is_running,
    }


def _plan(plan: EvaluationPlan) -> PlanAnswer:
    return PlanAnswer(
        systems=[SystemAnswer.model_validate(system.model_dump()) for system in plan.systems],
        voices=[VoiceAnswer(id=one.id, label=one.label, name=one.name, has_clip=one.clip is not None) for one in plan.voices],
        texts=[
            TextAnswer(id=one.id, text=one.text, language=one.language, voice=one.voice, kind=one.kind or "")
            for one in plan.texts[:MOST_SHOWN_TEXTS]
        ],
        n_texts=len(plan.texts),
        seeds=list(plan.seeds),
        learn=plan.learn,
        measures=None if plan.measures is None else list(plan.measures),
    )


def _told_cells(plan: EvaluationPlan, cells: Iterable[EvaluatedCell]) -> Iterable[CellAnswer]:
    texts = {text.id: text for text in plan.texts}
    for cell in cells:
        yield _cell(cell, cell.key, texts[cell.key.text].text, texts[cell.key.text].language)


def _cell(cell: EvaluatedCell, key: CellKey, written: str, language: str | None) -> CellAnswer:
    said, measures = cell.said, cell.measures
    speed = {"ttfp_ms": said.ttfp_seconds and 1000 * said.ttfp_seconds, "rtf": said.rtf}
    values = {name: value for name, value in speed.items() if value is not None} | (dict(measures.values) if measures else {})
    return CellAnswer(
        system=key.system,
        voice=key.voice,
        text=key.text,
        seed=key.seed,
        written=written,
        language=language,
        heard=measures.heard if measures else None,
        values={name: round(value, 4) for name, value in values.items()},
        lacking=dict(measures.lacking) if measures else {},
        sound=said.sound.sha256 if said.sound else None,
        seconds=round(said.sound.seconds, 3) if said.sound else None,
        refused=dict(said.refused) if said.refused else None,
        warning=said.warning,
    )
