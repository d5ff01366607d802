"""Markdown table of an evaluation, for a README: systems as rows, judged figures with their ranges, bold only beyond chance."""

import re

from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.plan.figures import figure_kind
from studio.evaluations.report.report_words import NONE, ReportWords
from studio.evaluations.report.result_tables import best_of, headed, judged_figures
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.reports.dates import day

__all__ = ["markdown_table"]

# What Markdown, or the HTML within it, would take for a sign of its own.
_SIGNS = re.compile(r"([\\`*_{}\[\]<>#|~&!])")


def markdown_table(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> str:
    """Ends with what the table is of, and which systems are not in it since their weights are random."""
    shown = [system for system in findings.systems if not system.is_toy]
    toys = [system.label for system in findings.systems if system.is_toy]
    figures = [name for name in judged_figures(findings) if any(findings.mean(system.system, name) for system in shown)]
    rows = [[words.say("report_system", {}), *(_plain(headed(name, words)) for name in figures)], ["---", *["---:"] * len(figures)]]
    best = {name: best_of(findings.pairs, name) for name in figures}
    for system in shown:
        cells = [_cell(findings, system.system, name, words, is_bold=system.system in best[name]) for name in figures]
        rows.append([_plain(system.label), *cells])
    plan = data.evaluation.plan
    spoken = tuple(filter(None, map(words.spoken, findings.languages)))
    about = {"n": len(plan.texts), "voices": len(plan.voices), "languages": spoken or NONE, "date": day(data.evaluation.changed)}
    notes = [words.say("markdown_about", about), words.say("report_bold", {})]
    if toys:
        notes.append(words.say("markdown_toys", {"systems": tuple(map(_plain, toys))}))
    table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    return f"{table}\n\n{' '.join(notes)}\n"


def _cell(findings: EvaluationFindings, system: str, figure: str, words: ReportWords, *, is_bold: bool) -> str:
    mean = findings.mean(system, figure)
    if mean is None:
        return NONE
    shown = words.number(mean.mean, figure_kind(figure).decimals)
    range_ = words.range(figure, mean.low, mean.high)
    return (f"**{shown}**" if is_bold else shown) + (f" ({range_})" if range_ else "")


def _plain(text: str) -> str:
    """On one line, no sign of which means anything."""
    return _SIGNS.sub(r"\\\1", " ".join(text.split()))
