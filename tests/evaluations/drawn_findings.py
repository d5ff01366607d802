"""Findings of a made-up evaluation, by means and normal ranges: for what shows findings, and does not care how they are found."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import sqrt
from statistics import fmean, median, pstdev

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.findings import EvaluationFindings, FigureMean, PairComparison, PartMean, SystemSteadiness, SystemSummary
from studio.words.line import Line

__all__ = ["drawn_findings"]


def drawn_findings(data: EvaluationData) -> EvaluationFindings:
    """A difference is clear where it is 2.5 standard errors from nothing."""
    table = CellTable(data)
    toys = {run.system for run in data.systems if run.is_toy}
    labels = {system.id: system.label for system in data.evaluation.plan.systems}
    pairs = [pair for language in ("", *table.languages) for pair in _pairs(table, toys, language)]
    return EvaluationFindings(
        table.figures,
        table.languages,
        table.kinds,
        tuple(_summary(table, name, labels[name], is_toy=name in toys) for name in table.systems),
        tuple(mean for name in table.systems for figure in table.figures if (mean := _mean(table, name, figure))),
        tuple(pair for pair in pairs if not pair.language),
        tuple(pair for pair in pairs if pair.language),
        tuple(SystemSteadiness(name, 30, {"likeness": 0.02, "ttfp_ms": 12.0}, 2, 30) for name in table.systems),
        (Line("verdict_better", {"name": labels["s1"], "other": labels["s2"], "ahead": ["likeness", "rtf"]}),),
        (Line("found_likeness", {"name": labels["s1"], "other": labels["s2"], "low": 0.033, "high": 0.07}),),
        (Line("note_one_voice"),),
    )


def _summary(table: CellTable, name: str, label: str, *, is_toy: bool) -> SystemSummary:
    cells = table.evaluated(name)
    n_refused = sum(cell.said.refused is not None for cell in cells)
    n_warned = sum(bool(cell.said.warning) for cell in cells)
    refusals = {"language_unknown": n_refused} if n_refused else {}
    return SystemSummary(name, label, len(cells) - n_refused, is_toy, n_refused, refusals, n_warned, 912.0, 1334.0, 5, 4.2)


def _mean(table: CellTable, name: str, figure: str) -> FigureMean | None:
    undone = _undone(figure)
    cells = table.cells(name, figure)
    values = sorted(undone(cell.value) for cell in cells)
    if not values:
        return None
    languages = {one: [undone(cell.value) for cell in cells if cell.language == one] for one in table.languages}
    kinds = {one: [undone(cell.value) for cell in cells if table.texts[cell.text].kind == one] for one in table.kinds}
    whole, p95 = _part(values), values[int(0.95 * (len(values) - 1))]
    by_language, by_kind = ({one: _part(some) for one, some in parts.items() if some} for parts in (languages, kinds))
    return FigureMean(
        name, figure, len(values), whole.mean, pstdev(values), median(values), p95, whole.low, whole.high, by_language, by_kind
    )


def _part(values: Sequence[float]) -> PartMean:
    mean, half = fmean(values), 1.96 * pstdev(values) / sqrt(len(values))
    return PartMean(mean, len(values), mean - half, mean + half)


def _pairs(table: CellTable, toys: set[str], language: str) -> list[PairComparison]:
    found = []
    for one, other in combinations([name for name in table.systems if name not in toys], 2):
        for figure in (name for name in table.figures if figure_kind(name).is_judged):
            values = {(cell.voice, cell.text): cell.value for cell in table.cells(other, figure)}
            cells = [cell for cell in table.cells(one, figure) if language in ("", cell.language) and (cell.voice, cell.text) in values]
            if len(cells) > 1:
                found.append(_compared((one, other, figure, language), [cell.value - values[cell.voice, cell.text] for cell in cells]))
    return found


def _compared(of: tuple[str, str, str, str], differences: Sequence[float]) -> PairComparison:
    one, other, figure, language = of
    middle, half = fmean(differences), 2.5 * pstdev(differences) / sqrt(len(differences))
    p, undone = 0.001 if abs(middle) > half else 0.4, _undone(figure)
    low, high, value = undone(middle - half), undone(middle + half), undone(middle)
    is_ratio = figure_kind(figure).is_ratio
    shown = (None, value) if is_ratio else (value, None)
    return PairComparison(one, other, figure, len(differences), *shown, low, high, p, low, high, p, language)


def _undone(figure: str) -> Callable[[float], float]:
    """What a table holds of a figure, in the figure's unit."""
    return (lambda value: 2**value) if figure_kind(figure).is_ratio else (lambda value: value)
