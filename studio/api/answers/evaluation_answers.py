"""Answers about evaluations: the forms of the JSON. told_evaluations.py makes them of evaluations and findings."""

from pydantic import BaseModel

from studio.evaluations.plan.evaluation import EvaluationState

__all__ = [
    "BegunEvaluationTest",
    "CellAnswer",
    "CellsAnswer",
    "EvaluationAnswer",
    "EvaluationLimits",
    "EvaluationListAnswer",
    "EvaluationProgressAnswer",
    "EvaluationRow",
    "ExpectedAnswer",
    "FamilyAnswer",
    "FloorAnswer",
    "GateAnswer",
    "GateLineAnswer",
    "PlanAnswer",
    "PlannedSystemAnswer",
    "RefusedAnswer",
    "RunAnswer",
    "SentenceAnswer",
    "SinceAnswer",
    "SkippedAnswer",
    "TextAnswer",
    "VoiceAnswer",
]


class SentenceAnswer(BaseModel):
    """said: in the language that was asked for; with its key and values, for programs."""

    said: str
    key: str
    values: dict[str, object]


class FamilyAnswer(BaseModel):
    """Figures that are measured together. why: they cannot be had here, null where they can."""

    name: str
    is_here: bool
    why: str | None


class EvaluationLimits(BaseModel):
    """How much an evaluation may have, and a workspace of them."""

    systems: int
    voices: int
    texts: int
    seeds: int
    cells: int
    text_characters: int


class EvaluationRow(BaseModel):
    """One evaluation in the list. n_said: sounds that are said or refused; n_measured: of n_cells. created: seconds since 1970.

    systems: labels. bytes: of its sounds. seconds_left: of the run, null where none is under way or nobody can tell.
    """

    id: str
    title: str
    created: float
    changed: float
    state: EvaluationState
    n_cells: int
    n_said: int
    n_measured: int
    seconds_left: float | None
    systems: list[str]
    n_voices: int
    n_texts: int
    languages: list[str]
    bytes: int
    is_running: bool


class EvaluationListAnswer(BaseModel):
    """Newest first. may_begin: whether whoever asks may begin one; why_not: as errors are told, null where they may. families: of figures.

    languages: of the built-in texts.
    """

    evaluations: list[EvaluationRow]
    may_begin: bool
    why_not: dict[str, object] | None
    families: list[FamilyAnswer]
    languages: list[str]
    limits: EvaluationLimits


class PlannedSystemAnswer(BaseModel):
    """engine: null of sounds that were brought."""

    id: str
    label: str
    engine: str | None
    options: dict[str, object]
    speed: float
    instructions: str | None
    is_toy: bool


class VoiceAnswer(BaseModel):
    """name: of a stored or built-in voice. has_clip: whether there is a recording of it, so that likeness is measured."""

    id: str
    label: str
    name: str | None
    has_clip: bool


class TextAnswer(BaseModel):
    """voice: the id of the one that says it, null for every voice."""

    id: str
    text: str
    language: str | None
    voice: str | None
    kind: str


class FloorAnswer(BaseModel):
    """How many words the recognizer mishears itself, 0 to 1."""

    language: str
    published: float | None
    measured: float | None
    n_words: int


class EvaluationProgressAnswer(BaseModel):
    """phase: "say", "measure", or "" for one that waits or is not under way. done, total: of the phase. now: ids of what is under way.
    is_learning: it waits until its system has learned its voice.

    failure: why it ended where it did not end well, as errors are told.
    """

    is_running: bool
    phase: str
    done: int
    total: int
    seconds_left: float | None
    now: dict[str, object] | None
    is_learning: bool
    failure: dict[str, object] | None


class RunAnswer(BaseModel):
    """After a run was begun, or stopped."""

    progress: EvaluationProgressAnswer


class PlanAnswer(BaseModel):
    """What is compared. texts: the first 50 of n_texts."""

    systems: list[PlannedSystemAnswer]
    voices: list[VoiceAnswer]
    texts: list[TextAnswer]
    n_texts: int
    seeds: list[int]
    learn: str
    measures: list[str] | None


class EvaluationAnswer(EvaluationRow):
    """One evaluation. machine: where it was said last. notes: of one that was just made, what is to be known of what was sent."""

    plan: PlanAnswer
    progress: EvaluationProgressAnswer
    machine: dict[str, str]
    notes: list[SentenceAnswer] | None = None


class RefusedAnswer(BaseModel):
    """What is certain to be refused. voice, language: "" where it is about all."""

    system: str
    voice: str
    language: str
    why: str


class ExpectedAnswer(BaseModel):
    """Before an evaluation is made. seconds: about how long it takes, null where nobody can tell."""

    n_cells: int
    n_voices: int
    n_texts: int
    seconds: float | None
    refusals: list[RefusedAnswer]
    notes: list[SentenceAnswer]


class BesideAnswer(BaseModel):
    """What another system said of the same voice, text and seed."""

    system: str
    sound: str | None
    seconds: float | None
    values: dict[str, float]
    refused: dict[str, str] | None


class CellAnswer(BaseModel):
    """One sound. written: its text; heard: the words that were heard, null where nobody listened. sound: its SHA-256, null where it was
    refused; refused: why, as errors are told. values: by figure. lacking: family -> why it was not measured. beside: the other systems.
    """

    system: str
    voice: str
    text: str
    seed: int
    written: str
    language: str | None
    heard: str | None
    values: dict[str, float]
    lacking: dict[str, str]
    sound: str | None
    seconds: float | None
    refused: dict[str, str] | None
    warning: str
    beside: list[BesideAnswer]


class CellsAnswer(BaseModel):
    """A stretch of the cells. n: of all of them."""

    n: int
    first: int
    cells: list[CellAnswer]


class GateLineAnswer(BaseModel):
    """One limit."""

    said: str
    key: str
    values: dict[str, object]
    passed: bool


class GateAnswer(BaseModel):
    """Whether all limits are kept."""

    passed: bool
    lines: list[GateLineAnswer]


class SinceAnswer(BaseModel):
    """An evaluation beside an earlier one. lines: in sentences; comparison: in figures."""

    lines: list[SentenceAnswer]
    comparison: dict[str, object]


class SkippedAnswer(BaseModel):
    """A text in a voice that differs and is not in the test. why: a sound of it is too "long" or "short", or the "text" is too long."""

    voice: str
    text: str
    why: str


class BegunEvaluationTest(BaseModel):
    """test: the id of a draft, whose sounds are leveled now. n: of texts."""

    test: str
    n: int
    skipped: list[SkippedAnswer]
