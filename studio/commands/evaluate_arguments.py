"""Arguments of the command `evaluate`. Nothing heavy is imported before it runs."""

import argparse
from pathlib import Path

from studio.settings import Settings

__all__ = ["MOST_TEST_TEXTS", "add_evaluate_command"]

_LANGUAGES = ("de", "en", "es", "fr", "zh")
_MEASURES = (
    "words",
    "likeness",
    "dnsmos",
    "distillmos",
    "loudness",
    "signal",
    "prosody",
    "speed",
    "versa",
)  # studio/evaluations/plan/figures.py FAMILIES, which is imported when it is needed
_METHODS = ("ab", "abx", "cmos", "mos", "mushra-like")  # studio/evaluation_tests.py
USUAL_TEST_TEXTS, MOST_TEST_TEXTS = 20, 100
MOST_SEEDS = 20
EPILOG = """\
examples:
  two engines on 20 built-in sentences, with a report:
    python app.py evaluate --engines espeak kokoro --voices Demo --sentences 20 --out report
  the same engine with two settings, and a voice of the folder:
    python app.py evaluate --engines "kokoro:usual" "kokoro:slow:speed=0.8" --voices-from clips --texts sentences.txt --out report
  seed-tts-eval's list, which brings its voices along:
    python app.py evaluate --engines kokoro --texts seedtts_testset/en/meta.lst --out report
  sounds of another system beside an engine's:
    python app.py evaluate --engines kokoro --files other=folder --voices Demo --texts sentences.csv --out report
  in CI, and since the last release:
    python app.py evaluate --engines kokoro --voices Demo --gate limits.yaml --since last/evaluation.json --out report
  a blind listening test of the twenty texts that differ most:
    python app.py evaluate --engines espeak kokoro --voices Demo --test 20

After a stop, a kill or a power cut the same command goes on where it was. Nothing is said twice.

exit status: 0 done; 1 a limit of --gate is not kept; 2 something in the command or a file is to be mended; 130 stopped.
"""


def add_evaluate_command(commands: argparse._SubParsersAction) -> None:
    """`evaluate`: engines, voices and texts become figures, comparisons, a report."""
    evaluate = commands.add_parser(
        "evaluate",
        help="say which engine is better: engines, voices and texts become figures, a report, a blind test",
        description="Every engine says every text in every voice. What was said is measured: words, likeness, naturalness, loudness, "
        "pitch, pace, speed. Systems are compared by pairs of the same text and voice, beyond chance.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_inputs(evaluate.add_argument_group("what is compared"))
    _add_measuring(evaluate.add_argument_group("how it is measured"))
    _add_results(evaluate.add_argument_group("what comes of it"))
    evaluate.set_defaults(run=_run)


def _add_inputs(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--engines",
        nargs="+",
        action="extend",
        default=[],
        metavar="ENGINE[:LABEL][:OPTION=VALUE,...]",
        help="ids; with a name for the report, and options of the engine, speed, instructions, or toy=yes of random weights",
    )
    group.add_argument(
        "--files",
        nargs="+",
        action="extend",
        default=[],
        metavar="LABEL=FOLDER",
        help="sounds of another system: <text>.wav, <voice>/<text>.wav or <voice>_<text>_<seed>.wav, or a CSV beside them that says which",
    )
    group.add_argument("--voices", nargs="+", action="extend", default=[], metavar="NAME", help="stored or built-in voices")
    group.add_argument(
        "--voices-from", type=Path, metavar="FOLDER", help="recordings, one voice each; their words may lie beside as .txt or .lab"
    )
    group.add_argument(
        "--texts",
        default=None,
        metavar="FILE",
        help="a text a line, CSV, TSV, JSON, or a list as seed-tts-eval's; `builtin` for the studio's own sentences, as when left out",
    )
    group.add_argument("--languages", nargs="+", default=[], metavar="CODE", help="of the texts; en when left out, of a list all")
    group.add_argument("--sentences", type=_count, metavar="N", help="so many texts of each language; all of them when left out")
    group.add_argument("--seeds", type=_seeds, default=1, metavar="N", help=f"how often each text is said, 1 to {MOST_SEEDS}; 1")
    group.add_argument("--title", default="", help="of the evaluation")


def _add_measuring(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--measures", nargs="+", metavar="FAMILY", help=f"{', '.join(_MEASURES)}; all that can be had here when left out")
    group.add_argument("--versa", type=Path, metavar="FILE", help="a configuration of VERSA's measures in YAML, where VERSA is installed")
    group.add_argument(
        "--learn",
        choices=("now", "best"),
        default="best",
        help="best: engines that refine what they learned of a voice do so before they speak, as usual; now: they take the first",
    )


def _add_results(group: argparse._ArgumentGroup) -> None:
    group.add_argument("--out", type=Path, metavar="FOLDER", help="report.html with its sounds, tables as CSV, evaluation.json")
    group.add_argument("--since", metavar="FILE|ID", help="compare with an earlier one: its evaluation.json, or its id")
    group.add_argument("--gate", type=Path, metavar="FILE", help="limits in YAML or JSON; where one is not kept the exit status is 1")
    group.add_argument(
        "--test",
        type=_test_texts,
        nargs="?",
        const=USUAL_TEST_TEXTS,
        metavar="N",
        help=f"make a listening test of the N texts that differ most; {USUAL_TEST_TEXTS}",
    )
    group.add_argument("--method", choices=_METHODS, help="of --test; ab of two systems, mushra-like of more, when left out")
    group.add_argument("--markdown", action="store_true", help="print the table in Markdown")
    group.add_argument("--report-only", action="store_true", help="say and measure nothing: report on what there is")
    group.add_argument("--evaluation", metavar="ID", help="one of --list, in place of engines, voices and texts")
    group.add_argument("--list", action="store_true", help="list the evaluations that are kept")
    group.add_argument("--messages", default="en", choices=_LANGUAGES, help="language of the report and of what the command tells")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of texts")
    return int(text)


def _seeds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_SEEDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 to {MOST_SEEDS}")
    return int(text)


def _test_texts(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_TEST_TEXTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not 1 to {MOST_TEST_TEXTS}")
    return int(text)


def _run(options: argparse.Namespace, settings: Settings) -> int:
    from studio.commands.evaluate import run_evaluate_command

    return run_evaluate_command(options, settings)
