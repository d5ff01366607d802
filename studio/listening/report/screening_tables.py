"""Screening in a report: what each rule did, and what the result would be with everybody."""

from dataclasses import replace

from studio.listening.report.names import sentences_of
from studio.listening.report.report_tables import pairs_table
from studio.listening.statistics.findings import Findings
from studio.reports.markup import Markup, TableColumn, element, joined, table
from studio.words.line import Say

__all__ = ["everybody_section", "rules_table"]


def rules_table(findings: Findings, say: Say) -> Markup:
    """A row for each rule that was asked, with its limit."""
    rules = findings.rules
    columns = [
        TableColumn(say("screening_rule", {}), [say(f"rule_{one.rule}", one.values) for one in rules], figures=False),
        TableColumn(say("screening_out", {}), [str(one.n_out) for one in rules]),
        TableColumn(say("screening_doubted", {}), [str(one.n_doubted) for one in rules]),
    ]
    return table(say("screening", {}), columns if rules else [])


def everybody_section(findings: Findings, say: Say) -> Markup:
    """Verdict and pairs as they would be; "" where nobody is left out."""
    everybody = findings.everybody
    if everybody is None:
        return Markup("")
    whole = replace(findings, systems=everybody.systems, pairs=everybody.pairs, verdict=everybody.verdict)
    counted = [say("report_counted", {"n": everybody.n_listeners}), say("report_votes", {"n": everybody.n_votes})]
    parts = [
        element("p", say("everybody_about", {})),
        element("p", " ".join(sentences_of(whole.verdict, whole, say))),
        element("p", " · ".join(counted)),
    ]
    return joined([*parts, pairs_table(whole, say)])
