"""Report of a test as one page of HTML: result, listeners that count, plots, tables, and method.

It needs nothing beside itself: no script, no style and no font from elsewhere. So it may be mailed, printed and kept.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

from studio import __version__
from studio.listening.report.names import method_of, question_of, sentences_of
from studio.listening.report.plots.plots import inline_plots
from studio.listening.report.report_tables import (
    comments_table,
    form_table,
    heard_table,
    items_table,
    listeners_table,
    pairs_table,
    systems_table,
)
from studio.listening.report.reported_test import ReportedTest, builds_of, systems_of
from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote
from studio.reports.dates import day
from studio.reports.markup import Markup, TableColumn, chips, element, facts, joined, table
from studio.reports.report_style import css_of_report
from studio.words.line import Say

__all__ = ["html_report"]

# Nothing is fetched and nothing runs, whatever got into the page.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def html_report(
    test: ReportedTest | None, findings: Findings, votes: Sequence[Vote], say: Say, *, language: str = "en", now: float | None = None
) -> str:
    """A whole document. test: None where nothing is known but votes. say: sentences of section `tests`, in that language (a code).
    now: seconds since 1970, of the report's date; the clock's where None."""
    made = day(time.time() if now is None else now)
    name = test.plan.name if test else say("report_file", {})
    sections = [
        _head(test, findings, name, made, say),
        *(section for one in (findings, *findings.others) for section in _results(test, one, say)),
        *_tables(test, findings, votes, say),
        _how(test, findings, say),
    ]
    head = joined(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="referrer" content="no-referrer">'),
            element("title", name),
            Markup(f"<style>{css_of_report()}</style>"),
        ]
    )
    body = element("body", element("main", joined(sections)))
    return f"<!doctype html>\n{element('html', joined([element('head', head), body]), lang=language)}\n"


def _head(test: ReportedTest | None, findings: Findings, name: str, made: str, say: Say) -> Markup:
    closed = "" if test is None else say("report_open", {}) if test.closed is None else say("report_closed", {"date": day(test.closed)})
    told = [(method_of(findings.method, say), ""), (closed, ""), (say("report_of", {"date": made}), "")]
    return element("header", joined([element("h1", name), chips(told)]))


def _results(test: ReportedTest | None, findings: Findings, say: Say) -> list[Markup]:
    """Of one thing that was asked."""
    tables = (("report_results", systems_table(findings, say)), ("report_pairs", pairs_table(findings, say)))
    shown = [element("section", joined([element("h2", say(title, {})), content])) for title, content in tables if content]
    return [_verdict(test, findings, say), _plots(test, findings, say), *shown]


def _verdict(test: ReportedTest | None, findings: Findings, say: Say) -> Markup:
    """The largest thing on the page, how many it rests on, and what to keep in mind."""
    asked = question_of(findings, test.plan if test else None, say)
    n_left_out = sum(not listener.counts for listener in findings.listeners)
    told = [
        (say("report_counted", {"n": findings.n_listeners}), "ready" if findings.n_listeners else ""),
        (say("report_left_out", {"n": n_left_out}) if n_left_out else "", "care"),
        (say("report_texts", {"n": findings.n_texts}), ""),
        (say("report_votes", {"n": findings.n_votes}), ""),
    ]
    parts = [element("h2", asked)] if asked else []
    parts += [element("p", " ".join(sentences_of(findings.verdict, findings, say)), class_="claim"), chips(told)]
    notes = sentences_of(findings.notes, findings, say)
    if notes:
        parts += [element("h2", say("report_notes", {})), element("ul", joined([element("li", note) for note in notes]), class_="notes")]
    return element("section", joined(parts))


def _plots(test: ReportedTest | None, findings: Findings, say: Say) -> Markup:
    drawn = [
        element("section", element("div", Markup(svg), class_="scroll", role="region", tabindex="0", aria_label=title))
        for title, svg in inline_plots(findings, say, systems_of(test))
    ]
    return element("div", joined(drawn), class_="plots") if drawn else Markup("")


def _tables(test: ReportedTest | None, findings: Findings, votes: Sequence[Vote], say: Say) -> list[Markup]:
    made = [
        ("everybody", _everybody_section(findings, say)),
        ("report_heard", heard_table(findings, say)),
        ("report_listeners", listeners_table(findings, say)),
        ("screening", _rules_table(findings, say)),
        ("report_form", form_table(test.form_counts, say) if test else ""),
        ("report_items", items_table(test, findings, say) if test else ""),
        ("report_spoken", element("ol", joined([element("li", text) for text in test.plan.texts])) if test else ""),
        ("report_comments", comments_table(findings, votes, say)),
    ]
    return [element("section", joined([element("h2", say(title, {})), content])) for title, content in made if content]


def _how(test: ReportedTest | None, findings: Findings, say: Say) -> Markup:
    """The method and its standard, and all that somebody needs who wants to do it again."""
    told = [element("p", say(f"report_standard_{findings.method.replace('-', '_')}", {}))]
    pairs = [
        (say("report_seed", {}), str(findings.seed)),
        (say("report_resamples", {}), say("report_figure", {"value": findings.n_resamples})),
        (say("report_version", {}), __version__),
    ]
    if test is None:
        told.append(element("p", say("report_from_votes", {})))
    else:
        pairs += [
            (say("report_id", {}), test.link),
            (say("report_frozen", {}), test.frozen_hash),
            (say("report_created", {}), day(test.created)),
            (say("report_build", {}), ", ".join(builds_of(test))),
        ]
        if test.is_unblinded:
            told.append(element("p", say("report_unblinded", {})))
        told.append(element("p", say("blind_to_scripts", {})))
    return element("section", joined([element("h2", say("report_how", {})), *told, facts(pairs)]))


def _rules_table(findings: Findings, say: Say) -> Markup:
    """A row for each rule that was asked, with its limit."""
    rules = findings.rules
    columns = [
        TableColumn(say("screening_rule", {}), [say(f"rule_{one.rule}", one.values) for one in rules], figures=False),
        TableColumn(say("screening_out", {}), [str(one.n_out) for one in rules]),
        TableColumn(say("screening_doubted", {}), [str(one.n_doubted) for one in rules]),
    ]
    return table(say("screening", {}), columns if rules else [])


def _everybody_section(findings: Findings, say: Say) -> Markup:
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
