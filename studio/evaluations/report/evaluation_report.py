"""Report of an evaluation as one page of HTML: verdict, figures, plots, every sound, and how it was made.

Beside it lie the sounds, and nothing else is needed: no style, no font and no script from elsewhere. So it may be mailed, printed and kept.
"""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from studio.evaluations.gate.gate import GateResult
from studio.evaluations.plan.evaluation import EvaluationData
from studio.evaluations.report.evaluation_style import css_of_evaluation
from studio.evaluations.report.how_section import how_content
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
from studio.evaluations.report.runs_section import gate_content, runs_content
from studio.evaluations.report.sounds_section import SoundOf, sounds_content
from studio.evaluations.report.speed_table import speed_table
from studio.evaluations.statistics.findings import EvaluationFindings
from studio.evaluations.statistics.run_comparison import RunComparison
from studio.evaluations.statistics.sentences import sentence_of
from studio.reports.dates import day
from studio.reports.drawing import Drawing
from studio.reports.markup import Markup, chips, element, joined
from studio.words.sentences import FOLDER

__all__ = ["ReportBeside", "html_report"]

_SCRIPT = FOLDER.parent / "web" / "evaluation_report" / "sounds.js"


@dataclass(frozen=True)
class ReportBeside:
    """What a report tells beside the findings. files: of other forms of it, name -> relative address."""

    runs: RunComparison | None = None
    gate: GateResult | None = None
    files: Mapping[str, str] = field(default_factory=dict)


class ReportPart(NamedTuple):
    """A section of the page. title, note: keys of sentences; content is "" where there is nothing to be said."""

    id: str
    title: str
    content: Markup
    note: str = ""

    def section(self, words: ReportWords) -> Markup:
        note = element("p", words.say(self.note, {}), class_="soft") if self.note else ""
        return element("section", joined([element("h2", words.say(self.title, {})), self.content, note]), id=self.id)


def html_report(
    data: EvaluationData,
    findings: EvaluationFindings,
    words: ReportWords,
    sound_of: SoundOf,
    beside: ReportBeside | None = None,
) -> str:
    """A whole document. sound_of: the relative address of a sound. The same findings make the same page."""
    beside = beside or ReportBeside()
    title = title_of(data, words)
    parts = [
        ReportPart("verdict", "report_verdict", _verdict(findings, words)),
        ReportPart("gate", "report_gate", gate_content(beside.gate, words)),
        ReportPart("systems", "report_results", systems_table(findings, words), "report_bold"),
        ReportPart("figures", "report_figures", _plots(data, findings, words)),
        ReportPart("speed", "report_speed", speed_table(data, findings, words), "report_speed_about"),
        ReportPart("pairs", "report_pairs", pairs_table(findings, words), "report_pairs_about"),
        ReportPart("voice-pairs", "report_voice_pairs", pairs_table(findings, words, of_these_voices=True), "report_voice_pairs_about"),
        ReportPart("languages", "report_by_language", language_tables(data, findings, words), "report_floor_about"),
        ReportPart("kinds", "report_by_kind", kinds_tables(findings, words)),
        ReportPart("steadiness", "report_steady", steady_table(findings, words), "report_steady_about"),
        ReportPart("runs", "report_runs", runs_content(beside.runs, words), "report_runs_about"),
        ReportPart("also", "report_also", also_table(findings, words)),
        ReportPart("every-sound", "report_every_sound", sounds_content(data, findings, words, sound_of)),
        ReportPart("how", "report_how", how_content(data, findings, words, beside.files)),
    ]
    there = [part for part in parts if part.content]
    sections = [_head(data, title, words), _contents(there, words), *(part.section(words) for part in there)]
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
    parts = [element("p", " ".join(verdict), class_="claim")]
    if lines:
        parts.append(element("ul", joined([element("li", line) for line in lines]), class_="lines"))
    if notes:
        parts += [
            element("h3", words.say("report_notes", {})),
            element("ul", joined([element("li", note) for note in notes]), class_="notes"),
        ]
    return joined(parts)


def _plots(data: EvaluationData, findings: EvaluationFindings, words: ReportWords) -> Markup:
    """Of each judged figure what it is, and its pictures; beside times to the first sound those over the length of texts."""
    shown = []
    for figure in judged_figures(findings):
        drawn = figure_drawings(data, findings, figure, words)
        length = ttfp_drawing(data, findings, words) if figure == "ttfp_ms" else None
        pictures = [_picture(name, drawing) for name, drawing in drawn] + ([] if length is None else [_picture("ttfp-length", length)])
        told = [element("h3", words.name(figure)), element("p", words.say(f"about_{figure}", {}), class_="soft")]
        shown.append(
            element(
                "div",
                joined([*told, element("div", joined(pictures), class_="plots beside" if length is None else "plots")]),
                class_="part",
            )
        )
    return joined([*shown, element("p", words.say("report_plots_about", {}), class_="soft")]) if shown else Markup("")


def _picture(name: str, drawing: Drawing) -> Markup:
    svg = Markup(drawing.svg(f"plot-{name}", is_inline=True))
    return element("div", svg, class_="scroll", role="region", tabindex="0", aria_label=drawing.title)


def _contents(parts: Sequence[ReportPart], words: ReportWords) -> Markup:
    """Links to what is on the page."""
    links = [element("li", element("a", words.say(part.title, {}), href=f"#{part.id}")) for part in parts]
    return element("nav", element("ul", joined(links)), aria_label=words.say("report_contents", {}))
