"""evaluate_data: an evaluation's figures, as findings and as sentences."""

from collections import Counter

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.statistics.cell_table import CellTable
from studio.evaluations.statistics.comparisons import compared
from studio.evaluations.statistics.findings import EvaluationFindings, SystemSummary
from studio.evaluations.statistics.lines import Evidence, further_lines
from studio.evaluations.statistics.means import figure_means, quantile
from studio.evaluations.statistics.notes import notes_of
from studio.evaluations.statistics.steadiness import steadiness
from studio.evaluations.statistics.verdict import verdict_of

__all__ = ["evaluate_data"]


def evaluate_data(data: EvaluationData) -> EvaluationFindings:
    """The same cells give the same findings, in whatever order they were said. Half an evaluation has findings, too."""
    table = CellTable(data)
    systems = tuple(_summary(table, name) for name in table.systems)
    genuine = [system.system for system in systems if not system.is_toy] or list(table.systems)
    found = compared(table, genuine)
    means, steady = figure_means(table), steadiness(table)
    evidence = Evidence(table, systems, genuine, means, found)
    return EvaluationFindings(
        table.figures,
        table.languages,
        table.kinds,
        systems,
        means,
        found.whole,
        found.of_languages,
        steady,
        verdict_of(evidence),
        further_lines(evidence, steady),
        notes_of(evidence),
        found.of_voices,
    )


def _summary(table: CellTable, name: str) -> SystemSummary:
    from statistics import median

    cells = table.evaluated(name)
    label = next(system.label for system in table.data.evaluation.plan.systems if system.id == name)
    run = next((run for run in table.data.systems if run.system == name), None)
    voices = [voice for voice in table.data.voices if voice.system == name]
    cold = [1000 * voice.cold_ttfp_seconds for voice in voices if voice.cold_ttfp_seconds is not None]
    learn = [voice.learn_seconds for voice in voices if voice.learn_seconds is not None]
    refusals = Counter(cell.said.refused.get("reason_code", "") for cell in cells if cell.said.refused is not None)
    return SystemSummary(
        name,
        label,
        sum(cell.said.sound is not None for cell in cells),
        bool(run and run.is_toy),
        refusals.total(),
        dict(refusals.most_common()),
        sum(bool(cell.said.warning) for cell in cells),
        quantile(cold, 0.5) if cold else None,
        quantile(cold, 0.95) if cold else None,
        len(cold),
        median(learn) if learn else None,
        run.memory_bytes if run else None,
    )
