"""Arguments of the commands `test ...` and `script ...`. Nothing heavy is imported before a command runs."""

import argparse
from pathlib import Path

from studio.commands.script_formats import SCRIPT_ENDINGS, SCRIPT_FORMATS
from studio.settings import Settings

__all__ = ["FORMATS", "add_script_command", "add_test_commands"]

FORMATS = ("csv", "tidy", "listeners", "json", "html", "zip", "webmushra", "pymushra", "p808", "svg", "png")
_LANGUAGES = ("de", "en", "es", "fr", "zh")
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
        part.add_argument("--language", default="en", choices=_LANGUAGES, help="of sentences and reports")
    test.set_defaults(run=_run)


def add_script_command(commands: argparse._SubParsersAction) -> None:
    """`script FILE`: from a text, book or subtitles to a file of sound."""
    script = commands.add_parser(
        "script",
        help="say a text, a book, a dialogue or subtitles, into an audiobook or any file of sound",
        description="Reads a file in, says it line by line, and writes what --out names. What was said is kept: after a stop, or a power "
        "cut, the same command with --resume goes on.",
        epilog="Exit status: 0 done; 1 lines could not be said, and nothing was written; 2 something in the command or the file is to be "
        "mended; 130 stopped.",
    )
    script.add_argument(
        "file", nargs="?", type=Path, help="TXT, Markdown, lines such as ANNA: Hello., EPUB, SRT, VTT, CSV or a script as JSON"
    )
    script.add_argument("--list", action="store_true", help="list the scripts that are kept, and say nothing")
    script.add_argument("--read", action="store_true", help="only show what the file is taken for, and who speaks in it")
    script.add_argument("--read-as", metavar="FORMAT", help="what the file is, where it is taken for something else: text, dialogue, ...")
    script.add_argument("--resume", action="store_true", help="go on with what was begun with the same file")
    _add_cast(script.add_argument_group("who speaks"))
    _add_files(script.add_argument_group("what is written"))
    script.add_argument("--messages", default="en", choices=_LANGUAGES, help="language of what the command tells")
    script.set_defaults(run=_run_script)


def _add_cast(script: argparse._ArgumentGroup) -> None:
    script.add_argument("--cast", type=Path, metavar="FILE", help="names and voices in YAML or JSON, such as ANNA: af_heart")
    script.add_argument("--voice", help="of everybody whom the cast does not name")
    script.add_argument("--model", help="engine of everybody whom the cast does not name; the studio's default when left out")
    script.add_argument("--language", help="of the text, such as de; guessed where it is left out and the file does not say")
    script.add_argument("--takes", type=int, default=1, choices=range(1, 6), metavar="N", help="how often each line is said, 1 to 5; 1")
    script.add_argument("--best", action="store_true", help="choose the best take of each line by the ears (make ears)")


def _add_files(script: argparse._ArgumentGroup) -> None:
    script.add_argument("--out", type=Path, metavar="FILE", help=f"file to write; its ending is the format: {', '.join(SCRIPT_ENDINGS)}")
    script.add_argument("--format", choices=SCRIPT_FORMATS, help="where the ending does not tell it, such as of a .zip")
    script.add_argument("--split", choices=("chapter", "line"), help="a file for each, in a ZIP")
    script.add_argument(
        "--subtitles",
        nargs="?",
        const="srt",
        action="append",
        choices=("srt", "vtt", "karaoke_vtt", "words"),
        help="write them beside the file of --out, too; srt where nothing follows",
    )
    script.add_argument("--loudness", choices=("-16", "-19", "acx"), help="LUFS, or the limits of ACX; as it is when left out")
    script.add_argument("--skip-unsaid", action="store_true", help="write the file though lines could not be said")
    script.add_argument("--title", help="of the book, in place of the file's")
    script.add_argument("--author", help="of the book, in place of the file's")
    script.add_argument("--cover", type=Path, metavar="FILE", help="JPEG or PNG, for m4b, mp3 and flac")
    script.add_argument("--dub", type=Path, metavar="VIDEO", help="put the lines into this video, at the times that subtitles give them")
    script.add_argument(
        "--original",
        choices=("drop", "track", "under", "duck"),
        help="of --dub: the video's own sound is dropped, a second track (as usual), under the speech, or turned down while it is heard",
    )
    script.add_argument("--original-db", type=float, metavar="DB", help="of --dub: how far it is turned down, such as -18")


def _run_script(options: argparse.Namespace, settings: Settings) -> int:
    from studio.commands.scripts import run_script_command

    return run_script_command(options, settings)


def _run(options: argparse.Namespace, settings: Settings) -> int:
    from studio.commands.listening_tests import run_test_command

    return run_test_command(options, settings)
