"""Evaluations as CSV (RFC 4180): a row for each sound, and a row for each figure of a system. Texts are guarded against formulas."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from studio.evaluations.plan.cell import EvaluatedCell
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import FIGURES, figure_kind
from studio.evaluations.report.sound_names import sound_names
from studio.evaluations.statistics.findings import EvaluationFindings, FigureMean, SystemSummary
from studio.reading.formula_guard import guard_formula

__all__ = ["cells_csv", "systems_csv"]

CELL = (
    *("system", "label", "engine", "voice", "voice_label", "text", "language", "kind", "seed", "file", "seconds", "sample_rate_hz"),
    *("ttfp_seconds", "rtf"),
)
CELL_END = ("n_words", "written", "heard", "warning", "refused", "reason_code", "lacking", "sha256")
MEAN = (
    *("system", "label", "toy", "figure", "unit", "better", "part", "n", "mean", "low", "high"),
    *("spread", "p50", "p95", "better_than", "worse_than"),
)


def cells_csv(data: EvaluationData) -> str:
    """Each cell that was said or refused, in the plan's order. text is its id, written what it says; file: of the report's folder."""
    plan, names = data.evaluation.plan, sound_names(data)
    found = {name for cell in data.cells if cell.measures for name in cell.measures.values}
    # ttfp_ms and rtf stand before, as they were timed.
    figures = [*(name for name in FIGURES if name in found and name not in ("ttfp_ms", "rtf")), *sorted(found - FIGURES.keys())]
    systems = {system.id: system for system in plan.systems}
    voices, texts = {voice.id: voice for voice in plan.voices}, {text.id: text for text in plan.texts}
    rows: list[Sequence[object]] = [(*CELL, *figures, *CELL_END)]
    for cell in data.cells:
        system, voice, text = systems[cell.key.system], voices[cell.key.voice], texts[cell.key.text]
        said, sound, values = cell.said, cell.said.sound, cell.measures.values if cell.measures else {}
        begin = (system.id, system.label, system.engine, voice.id, voice.label, text.id, text.language, text.kind, cell.key.seed)
        file = (names.get(cell.key), sound and round(sound.seconds, 3), sound and sound.sample_rate, said.ttfp_seconds, said.rtf)
        rows.append((*begin, *file, *(values.get(name) for name in figures), *_end(cell, text.text)))
    return _csv(rows)


def _end(cell: EvaluatedCell, written: str) -> Sequence[object]:
    measures, refused = cell.measures, cell.said.refused or {}
    lacking = "; ".join(f"{family}: {why}" for family, why in measures.lacking.items()) if measures else None
    told = (measures and measures.n_words, written, measures and measures.heard, cell.said.warning)
    return (*told, refused.get("message"), refused.get("reason_code"), lacking, cell.said.sound and cell.said.sound.sha256)


def systems_csv(findings: EvaluationFindings) -> str:
    """A row for each figure of each system, of all texts (part is empty), of each language and of each kind of text; then what is known of
    a system without its sounds. better_than, worse_than: ids of systems, beyond chance with all comparisons counted."""
    systems = {summary.system: summary for summary in findings.systems}
    rows: list[Sequence[object]] = [MEAN]
    for mean in findings.means:
        system, kind = systems[mean.system], figure_kind(mean.figure)
        begin = (system.system, system.label, system.is_toy, mean.figure, kind.unit, kind.better)
        rows.append((*begin, "", mean.n, mean.mean, mean.low, mean.high, mean.spread, mean.p50, mean.p95, *_compared(findings, mean)))
        for what, parts in (("language", mean.by_language), ("kind", mean.by_kind)):
            rows += [(*begin, f"{what}:{name}", part.n, part.mean, part.low, part.high) for name, part in parts.items()]
    rows += [row for summary in findings.systems for row in _counts(summary)]
    return _csv(row if len(row) == len(MEAN) else (*row, *[None] * (len(MEAN) - len(row))) for row in rows)


def _compared(findings: EvaluationFindings, mean: FigureMean) -> tuple[str, str]:
    pairs = [pair for pair in findings.pairs if pair.figure == mean.figure and mean.system in (pair.system, pair.other)]
    better = [str(pair.worse) for pair in pairs if pair.better == mean.system]
    return " ".join(better), " ".join(str(pair.better) for pair in pairs if pair.worse == mean.system)


def _counts(summary: SystemSummary) -> Iterable[Sequence[object]]:
    begin = (summary.system, summary.label, summary.is_toy)
    known: Mapping[str, tuple[str, float | None, int]] = {
        "sounds": ("", summary.n, summary.n),
        "refused": ("", summary.n_refused, summary.n_refused),
        "warned": ("", summary.n_warned, summary.n_warned),
        "cold_p50_ms": ("ms", summary.cold_p50_ms, summary.n_cold),
        "cold_p95_ms": ("ms", summary.cold_p95_ms, summary.n_cold),
        "learn_seconds": ("s", summary.learn_seconds, summary.n_cold),
    }
    for name, (unit, value, n) in known.items():
        if value is not None:
            yield (*begin, name, unit, "none" if name in ("sounds", "warned") else "less", "", n, value)


def _csv(rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO(newline="")
    csv.writer(file).writerows([_written(value) for value in row] for row in rows)
    return file.getvalue()


def _written(value: object) -> object:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return guard_formula(value) if isinstance(value, str) else repr(value)
