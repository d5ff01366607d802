"""Report of an evaluation as one page of HTML: verdict, figures, plots, every sound, and how it was made.

Beside it lie the sounds, and nothing else is needed: no style, no font and no script from elsewhere. So it may be mailed, printed and kept.
"""

import base64
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from studio.evaluations.gate.gate import GateResult
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.report.evaluation_style import css_of_evaluation
from studio.evaluations.report.how_section import how_section
from studio.evaluations.report.plots.evaluation_plots import figure_drawings, ttfp_drawing
from studio.evaluations.report.report_words import ReportWords, title_of
from studio.evaluations.report.result_tables import (
    also_table,
    judged_figures,
    kinds_tables,
    language_tables,
    pairs_table,
    steady_table,
    systems_table,
)
from studio.evaluations.report.runs_section import gate_section, runs_section
from studio.evaluations.report.sounds_section import SoundOf, sounds_section
from studio.evaluations.report.speed_table import speed_table
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.evaluations.statistics.run_comparison import RunComparison
from studio.evaluations.statistics.sentences import sentence_of
from studio.listening.report.markup import Markup, chips, element, joined
from studio.listening.report.plots.drawing import Drawing
from studio.listening.report.reported_test import day
from studio.words.sentences import FOLDER

__all__ = ["ReportBeside", "html_report"]

_SCRIPT = FOLDER.parent / "web" / "evaluation_report" / "sounds.js"


@dataclass(frozen=True)
class ReportBeside:
    """What a report tells beside the findings. files: of other forms of it, name -> relative address."""

    runs: RunComparison | None = None
    gate: GateResult | None = None
    files: Mapping[str, str] = field(default_factory=dict)


def html_report(
    data: EvaluationData,
    findings: EvaluationFindings,
    words: ReportWords,
    sound_of: SoundOf,
    beside: ReportBeside | None = None,
) -> str:
    """A whole document. sound_of: the relative address of a sound. The same findings make the same page."""
    beside = beside or ReportBeside()
    say, title = words.say, title_of(data, words)
    sections = [
        _head(data, title, words),
        _verdict(findings, words),
        "" if beside.gate is None else gate_section(beside.gate, words),
        _section(say("report_results", {}), systems_table(findings, words), note=say("report_bold", {})),
        _plots(data, findings, words),
        _section(say("report_speed", {}), speed_table(data, findings, words), note=say("report_speed_about", {})),
        _section(say("report_pairs", {}), pairs_table(findings, words), note=say("report_pairs_about", {})),
        _section(say("report_by_language", {}), language_tables(data, findings, words)),
        _section(say("report_by_kind", {}), kinds_tables(findings, words)),
        _section(say("report_steady", {}), steady_table(findings, words), note=say("report_steady_about", {})),
        "" if beside.runs is None else runs_section(beside.runs, findings, words),
        _section(say("report_also", {}), also_table(findings, words)),
        sounds_section(data, findings, words, sound_of),
        how_section(data, findings, words, beside.files),
    ]
    script = _script()
    head = joined(
        [
            Markup('<meta charset="utf-8">'),
            Markup(f'<meta http-equiv="Content-Security-Policy" content="{_policy(script)}">'),
            Markup('<meta name="viewport" content="width=device-width, initial-scale=1">'),
            Markup('<meta name="referrer" content="no-referrer">'),
            element("title", title),
            Markup(f"<style>{css_of_evaluation()}</style>"),
        ]
    )
    body = element("body", joined([element("main", joined(sections)), Markup(f"<script>{script}</script>")]))
    return f"<!doctype html>\n{element('html', joined([element('head', head), body]), lang=words.language)}\n"


def _policy(script: str) -> str:
    """Nothing is fetched but the sounds beside the page, and nothing runs but its own script, whatever got into the page. 'self' is the
    studio; a page that is a file has none in some browsers."""
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    rules = ("default-src 'none'", "style-src 'unsafe-inline'", f"script-src 'sha256-{digest}'", "media-src 'self' file:")
    return "; ".join((*rules, "base-uri 'none'", "form-action 'none'"))


@cache
def _script() -> str:
    return _SCRIPT.read_text(encoding="utf-8")


def _head(data: EvaluationData, title: str, words: ReportWords) -> Markup:
    evaluation, say = data.evaluation, words.say
    plan = evaluation.plan
    n_said = sum(cell.said.sound is not None for cell in data.cells)
    is_whole = len(data.cells) >= evaluation.n_cells and all(cell.measures or cell.said.refused for cell in data.cells)
    told = [
        (say("report_n_systems", {"n": len(plan.systems)}), ""),
        (say("report_n_voices", {"n": len(plan.voices)}), ""),
        (say("report_n_texts", {"n": len(plan.texts)}), ""),
        (say("report_n_seeds", {"n": len(plan.seeds)}) if len(plan.seeds) > 1 else "", ""),
        (say("report_n_sounds", {"n": n_said}), ""),
        (day(evaluation.changed), ""),
        ("" if is_whole else say("report_unfinished", {"done": len(data.cells), "n": evaluation.n_cells}), "care"),
    ]
    return element("header", joined([element("h1", title, dir="auto"), chips(told)]))


def _verdict(findings: EvaluationFindings, words: ReportWords) -> Markup:
    """The largest thing on the page, what was found figure by figure, and what to keep in mind."""
    verdict, lines, notes = ([sentence_of(line, words.say) for line in some] for some in (findings.verdict, findings.lines, findings.notes))
    toys = tuple(system.label for system in findings.systems if system.is_toy)
    if toys:
        notes.append(words.say("report_toys", {"systems": toys}))
    parts = [element("h2", words.say("report_verdict", {})), element("p", " ".join(verdict), class_="claim")]
    if lines:
        parts.append(element("ul", joined([element("li", line) for line in lines]), class_="lines"))
    if notes:
        parts += [
            element("h3", words.say("report_notes", {})),
            element("ul", joined([element("li", note) for note in notes]), class_="notes"),
        ]
    return element("section", joined(parts))


def _plots(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Markup:
    """A section for each figure; times to the first sound have their plot over the length of texts beside them."""
    sections = []
    for figure in judged_figures(findings):
        drawn = figure_drawings(data, findings, figure, words)
        length = ttfp_drawing(data, findings, words) if figure == "ttfp_ms" else None
        pictures = [_picture(name, drawing) for name, drawing in drawn] + ([] if length is None else [_picture("ttfp-length", length)])
        about = words.say(f"about_{figure}", {})
        sections.append(
            element(
                "section",
                joined(
                    [
                        element("h2", words.name(figure)),
                        element("p", about, class_="soft"),
                        element("div", joined(pictures), class_="plots"),
                    ]
                ),
            )
        )
    return joined(sections)


def _picture(name: str, drawing: Drawing) -> Markup:
    svg = Markup(drawing.svg(f"plot-{name}", is_inline=True))
    return element("div", svg, class_="scroll", role="region", tabindex="0", aria_label=drawing.title)


def _section(title: str, content: Markup, note: str = "") -> Markup:
    """ "" without content."""
    if not content:
        return content
    return element("section", joined([element("h2", title), content, element("p", note, class_="soft") if note else ""]))
