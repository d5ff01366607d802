"""Runs and gate of a report: what is other than in an earlier run, and which limits are kept."""

from studio.evaluations.gate.gate import GateResult
from studio.evaluations.report.report_words import ReportWords
from studio.evaluations.report.result_tables import compared_cell, headed
from studio.evaluations.statistics.run_comparison import RunChange, RunComparison
from studio.evaluations.statistics.sentences import sentence_of
from studio.reports.markup import Markup, TableColumn, element, joined, table

__all__ = ["gate_content", "runs_content"]


def runs_content(runs: RunComparison | None, words: ReportWords) -> Markup:
    """What changed in words, then a row for each system of both with the change of each figure. "" without an earlier run."""
    if runs is None:
        return Markup("")
    lines = [element("li", sentence_of(line, words.say)) for line in runs.lines]
    changes = {(change.system, change.change.figure): change for change in runs.changes}
    systems = list(dict.fromkeys(change.system for change in runs.changes))
    labels = {change.system: change.label for change in runs.changes}
    columns = [TableColumn(words.say("report_system", {}), [labels[system] for system in systems], figures=False)]
    for figure in dict.fromkeys(change.change.figure for change in runs.changes):
        found = [changes.get((system, figure)) for system in systems]
        columns.append(TableColumn(headed(figure, words), [change and _change(change, words) for change in found]))
    counts = words.say("report_runs_cells", {"n": runs.n_cells, "new": runs.n_new, "gone": runs.n_gone})
    parts = [element("ul", joined(lines), class_="lines") if lines else "", element("p", counts, class_="soft")]
    return joined([*parts, table(words.say("report_runs", {}), columns if systems else [])])


def gate_content(gate: GateResult | None, words: ReportWords) -> Markup:
    """ "" without limits."""
    if gate is None:
        return Markup("")
    said = words.say("report_gate_passed" if gate.is_passed else "report_gate_failed", {})
    lines = [element("li", sentence_of(line.line, words.say), class_=_state(is_passed=line.is_passed)) for line in gate.lines]
    return joined(
        [element("p", said, class_=f"lead {_state(is_passed=gate.is_passed)}"), element("ul", joined(lines), class_="lines gate")]
    )


def _state(*, is_passed: bool) -> str:
    return "passed" if is_passed else "failed"


def _change(change: RunChange, words: ReportWords) -> Markup:
    """Beyond chance with a word for its direction, since colors alone say nothing to some."""
    shown = compared_cell(change.change, words)
    key = "report_better" if change.is_better else "report_worse" if change.is_worse else ""
    return joined([shown, element("small", words.say(key, {}), class_="care" if change.is_worse else "good")], " ") if key else shown
