"""Arguments of the commands: the options of `python app.py test ...`. Nothing heavy is imported before a command runs."""

import argparse
from pathlib import Path

from studio.settings import Settings

__all__ = ["FORMATS", "add_test_commands"]

FORMATS = ("csv", "tidy", "listeners", "json", "html", "zip", "webmushra", "pymushra", "p808", "svg", "png")
_METHODS = (
    "abx",
    "ab",
    "cmos",
    "mos",
    "smos",
    "mushra",
    "mushra-like",
    "dcr",
    "ccr",
    "p835",
    "bs1116",
)  # studio/listening/plan/plan.py, which is imported when it is needed


def add_test_commands(commands: argparse._SubParsersAction) -> None:
    """`test create`, `render`, `open`, `close`, `report`, `export`, `withdraw` and `listener`."""
    test = commands.add_parser("test", help="listening tests: from a plan file to a report")
    parts = test.add_subparsers(title="commands", metavar="", dest="part", required=True)

    create = parts.add_parser("create", help="make a draft of a plan in YAML or JSON, a webMUSHRA configuration, or a list of clips")
    create.add_argument(
        "plan",
        type=Path,
        help="file of the plan, of P.808's rating_clips, a wav.scp, or a folder with a wav.scp for each system",
    )

    for name, told in (
        ("render", "make all sounds of a draft"),
        ("open", "freeze a draft and open it to listeners; prints the path of its link"),
        ("close", "take no more answers, and show the results"),
    ):
        parts.add_parser(name, help=told).add_argument("test", help="id of the test")

    report = parts.add_parser("report", help="print the verdict, and write the report as HTML")
    report.add_argument("test", help="id of a test, or a table of scores in CSV, TSV or JSON")
    report.add_argument("--out", type=Path, help="file for the report; report.html when left out")
    report.add_argument("--method", choices=_METHODS, help="of a table that does not say it, or that holds several")
    report.add_argument(
        "--column",
        action="append",
        default=[],
        metavar="ROLE=NAME",
        help="what a column of a table is: listener, system, text, score, other (compared with) or scale; "
        "NAME * is each column of scores, # each row",
    )
    report.add_argument("--scale", default="", help="which question of a table that asks several")
    report.add_argument("--seed", type=int, default=0, help="of the bootstrap, for a table")
    report.add_argument("--screening", type=Path, metavar="FILE", help="rules by which listeners count, for a table: YAML or JSON")
    report.add_argument(
        "--exclude-below-agreement",
        type=float,
        metavar="R",
        help="leave out listeners whose correlation with all others is lower, for a table",
    )

    export = parts.add_parser("export", help="write votes, findings, plots or sounds into a file")
    export.add_argument("test", help="id of the test")
    export.add_argument("--format", choices=FORMATS, required=True)
    export.add_argument("--out", type=Path, help="file to write, for plots a folder; named after the test when left out")
    for name, told in (
        ("withdraw", "delete everything of one listener, for good"),
        ("listener", "write everything that is kept of one listener as JSON"),
    ):
        part = parts.add_parser(name, help=told)
        part.add_argument("test", help="id of the test")
        part.add_argument("listener", help="as results call them, such as L07; or the code that they were given")
    parts.choices["listener"].add_argument("--out", type=Path, help="file to write; listener.json when left out")
    for part in parts.choices.values():
        part.add_argument("--language", default="en", choices=("de", "en", "es", "fr", "zh"), help="of sentences and reports")
    test.set_defaults(run=_run)


def _run(options: argparse.Namespace, settings: Settings) -> int:
    from studio.commands.listening_tests import run_test_command

    return run_test_command(options, settings)
