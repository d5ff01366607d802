"""Files that commands write about a test: votes, findings, plots, sounds, the report. An older file of the same name is replaced."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from studio.listening.foreign.p808 import p808_csv
from studio.listening.report.findings_json import findings_json
from studio.listening.report.html_report import html_report
from studio.listening.report.listeners_csv import listeners_csv
from studio.listening.report.plots.plots import plot_png, plot_svg, plots_of
from studio.listening.report.pymushra import pymushra_csv
from studio.listening.report.reported_test import ReportedTest, systems_of
from studio.listening.report.sounds_zip import sounds_zip
from studio.listening.report.tidy_csv import tidy_csv
from studio.listening.report.votes_csv import votes_csv
from studio.listening.report.webmushra_results import results_csv
from studio.listening.statistics.findings import Findings
from studio.listening.vote.vote import Vote
from studio.words.line import Say

if TYPE_CHECKING:
    from studio.listening.keep.test import ListeningTest
    from studio.listening.listening import Listening

__all__ = ["write_report", "write_result", "written"]

REPORT = Path("report.html")
TABLES = {"csv": "", "tidy": "-tidy", "pymushra": "-pymushra", "p808": "-p808"}  # ends of their names
Told = tuple[ReportedTest | None, Findings, Sequence[Vote]]


def write_report(options: argparse.Namespace, told: Told, say: Say) -> Path:
    """told: test, findings, votes."""
    return written(options.out or REPORT, html_report(*told, say, language=options.language))


def write_result(options: argparse.Namespace, listening: "Listening", say: Say) -> list[Path]:
    """Of a test that shows its results. Raises ResultsHidden of one that does not, whatever is asked for."""
    votes, test = listening.votes(options.test), listening.shown(options.test)
    form, out, name = options.format, options.out, f"test-{test.link}"
    if form == "zip":
        return [_written_in_blocks(out or Path(f"{name}.zip"), test, listening, say)]
    if form == "webmushra":
        tables = results_csv(votes, test.link)
        return [written(out or Path(f"{name}-{table}"), text) for table, text in tables.items()]
    if form == "listeners":
        return [written(out or Path(f"{name}-listeners.csv"), listeners_csv(test.plan, listening.listeners(test.id)))]
    findings = listening.findings(test.id)
    if form in TABLES:
        return [written(out or Path(f"{name}{TABLES[form]}.csv"), _table(form, votes, test, findings))]
    if form in ("json", "html"):
        text = findings_json(test, findings) if form == "json" else html_report(test, findings, votes, say, language=options.language)
        return [written(out or Path(f"{name}.{form}"), text)]
    folder = out or Path(name)
    folder.mkdir(parents=True, exist_ok=True)
    draw = plot_svg if form == "svg" else plot_png
    drawn = {kind: draw(findings, kind, say, systems_of(test)) for kind in plots_of(findings)}
    return [written(folder / f"{kind}.{form}", content) for kind, content in drawn.items()]


def _table(form: str, votes: Sequence[Vote], test: ReportedTest, findings: Findings) -> str:
    if form == "p808":
        return p808_csv(votes, test.link)
    if form == "tidy":
        return tidy_csv(votes, findings)
    return votes_csv(votes) if form == "csv" else pymushra_csv(votes, test.link, created=test.created)


def written(file: Path, content: str | bytes) -> Path:
    """As it is: a table's own ends of lines stay."""
    file.write_bytes(content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content)
    return file


def _written_in_blocks(file: Path, test: "ListeningTest", listening: "Listening", say: Say) -> Path:
    folder = listening.folder(test.id)
    with file.open("wb") as opened:
        for block in sounds_zip(test, folder, say):
            opened.write(block)
    return file
