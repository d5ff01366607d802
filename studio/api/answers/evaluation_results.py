"""Results of an evaluation as the JSON has them: figures, means with their ranges, pairs beyond chance, sentences."""

from collections.abc import Mapping

from pydantic import BaseModel

from studio.api.answers.evaluation_answers import FloorAnswer, SentenceAnswer
from studio.api.answers.told_evaluations import Say, told_line
from studio.evaluations.plan.cell import SystemRun
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import Better, figure_kind
from studio.evaluations.plan.plan import EvaluationSystem
from studio.evaluations.statistics.findings import EvaluationFindings, FigureMean, PairComparison, SystemSteadiness, SystemSummary

__all__ = ["ResultsAnswer", "told_results"]


class FigureAnswer(BaseModel):
    """What is measured of a sound. is_judged: whether systems are compared by it. is_ratio: as one over the other."""

    name: str
    family: str
    unit: str
    better: Better
    decimals: int
    label: str
    is_judged: bool
    is_ratio: bool


class MeanAnswer(BaseModel):
    """Of a system over its n cells. low, high: the 95 % range of the mean, null where nothing is known of it. p50, p95: of the sounds."""

    value: float
    low: float | None
    high: float | None
    p50: float
    p95: float
    spread: float
    n: int
    by_language: dict[str, float]


class SystemResultAnswer(BaseModel):
    """n: sounds that are there, beside n_refused; refusals: reason_code -> how many. is_toy: it has random weights, and is compared with
    nobody. cold_p50_ms, cold_p95_ms: to the first sound in a voice that nobody knew. learn_seconds: until a voice was known, the median.
    memory_bytes, device_bytes: that it took."""

    id: str
    label: str
    engine: str | None
    is_toy: bool
    build: str
    n: int
    n_refused: int
    refusals: dict[str, int]
    memory_bytes: int | None
    device_bytes: int | None
    cold_p50_ms: float | None
    cold_p95_ms: float | None
    learn_seconds: float | None
    means: dict[str, MeanAnswer]


class ComparedSystemsAnswer(BaseModel):
    """`system` less `other`; ratio: one over the other, of figures that are compared so. low, high, p_all: with all comparisons counted.

    is_clear: beyond chance. better: the id of the better one then, null where chance could make the difference.
    """

    system: str
    other: str
    figure: str
    language: str
    n: int
    difference: float | None
    ratio: float | None
    low: float | None
    high: float | None
    p_all: float
    is_clear: bool
    better: str | None


class StabilityAnswer(BaseModel):
    """How alike a system says one text with several seeds. deviations: of figures. n_unsteady: cells whose words are right with one seed
    and wrong with another, of n_words."""

    system: str
    n: int
    deviations: dict[str, float]
    n_unsteady: int
    n_words: int
    is_same: bool


class ResultsAnswer(BaseModel):
    """What an evaluation found, so far. recognizer: what heard the words, "" for nobody. voice_pairs: of these voices
    alone; pairs are of any."""

    figures: list[FigureAnswer]
    systems: list[SystemResultAnswer]
    pairs: list[ComparedSystemsAnswer]
    language_pairs: list[ComparedSystemsAnswer]
    voice_pairs: list[ComparedSystemsAnswer]
    verdict: list[SentenceAnswer]
    lines: list[SentenceAnswer]
    notes: list[SentenceAnswer]
    stability: list[StabilityAnswer]
    floors: list[FloorAnswer]
    languages: list[str]
    recognizer: str


def told_results(data: EvaluationData, findings: EvaluationFindings, say: Say) -> ResultsAnswer:
    """say: in whose language sentences and labels are."""
    plan = {system.id: system for system in data.evaluation.plan.systems}
    runs = {run.system: run for run in data.systems}
    return ResultsAnswer(
        figures=[_figure(name, say) for name in findings.figures],
        systems=[_system(one, plan[one.system], runs.get(one.system), findings) for one in findings.systems],
        pairs=[_pair(pair) for pair in findings.pairs],
        language_pairs=[_pair(pair) for pair in findings.language_pairs],
        voice_pairs=[_pair(pair) for pair in findings.voice_pairs],
        verdict=[told_line(line, say) for line in findings.verdict],
        lines=[told_line(line, say) for line in findings.lines],
        notes=[told_line(line, say) for line in findings.notes],
        stability=[_stability(one) for one in findings.steadiness],
        floors=[
            FloorAnswer(language=floor.language, published=floor.published, measured=floor.measured, n_words=floor.n_words)
            for floor in data.floors
        ],
        languages=list(findings.languages),
        recognizer=data.recognizer,
    )


def _figure(name: str, say: Say) -> FigureAnswer:
    kind = figure_kind(name)
    return FigureAnswer(
        name=name,
        family=kind.family,
        unit=kind.unit,
        better=kind.better,
        decimals=kind.decimals,
        label=name if kind.family == "versa" else say(f"figure_{name}", {}),
        is_judged=kind.is_judged,
        is_ratio=kind.is_ratio,
    )


def _system(summary: SystemSummary, planned: EvaluationSystem, run: SystemRun | None, findings: EvaluationFindings) -> SystemResultAnswer:
    means = {name: _mean(mean) for name in findings.figures if (mean := findings.mean(summary.system, name)) is not None}
    return SystemResultAnswer(
        id=summary.system,
        label=summary.label,
        engine=planned.engine,
        is_toy=summary.is_toy,
        build=run.build if run else "",
        n=summary.n,
        n_refused=summary.n_refused,
        refusals=dict(summary.refusals),
        memory_bytes=run.memory_bytes if run else None,
        device_bytes=run.device_bytes if run else None,
        cold_p50_ms=summary.cold_p50_ms,
        cold_p95_ms=summary.cold_p95_ms,
        learn_seconds=summary.learn_seconds,
        means=means,
    )


def _mean(mean: FigureMean) -> MeanAnswer:
    return MeanAnswer(
        value=mean.mean,
        low=mean.low,
        high=mean.high,
        p50=mean.p50,
        p95=mean.p95,
        spread=mean.spread,
        n=mean.n,
        by_language=_plain({code: part.mean for code, part in mean.by_language.items()}),
    )


def _pair(pair: PairComparison) -> ComparedSystemsAnswer:
    return ComparedSystemsAnswer(
        system=pair.system,
        other=pair.other,
        figure=pair.figure,
        language=pair.language,
        n=pair.n,
        difference=pair.difference,
        ratio=pair.ratio,
        low=pair.low_all,
        high=pair.high_all,
        p_all=pair.p_all,
        is_clear=pair.is_clear,
        better=pair.better,
    )


def _stability(one: SystemSteadiness) -> StabilityAnswer:
    return StabilityAnswer(
        system=one.system,
        n=one.n,
        deviations=_plain(one.deviations),
        n_unsteady=one.n_unsteady,
        n_words=one.n_words,
        is_same=one.is_same,
    )


def _plain(values: Mapping[str, float]) -> dict[str, float]:
    return dict(values)
