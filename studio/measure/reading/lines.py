"""Lines that are said wrong, per language, before and after reading. `python -m studio.measure.reading.lines --languages en de`

A table is lines/{language}.tsv: kind, written, wanted. "\\n" stands for the end of a line, " || " between readings of which each is right.
Two lines are the same but for case, punctuation, hyphens and blanks.
"""

import argparse
import csv
import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from engines.kit.phonemes.espeak_library import ipa
from engines.kit.phonemes.languages import language_of
from studio.reading.numbers.numbers import number_replacements
from studio.reading.traced_text import TracedText

__all__ = ["NUMBERS_KINDS_APART", "TABLES", "TableLine", "is_said", "lines_of", "numbers_said"]

TABLES = Path(__file__).with_name("lines")
NUMBERS_KINDS_APART = frozenset({"markup", "characters", "lines", "capitals", "abbreviations"})  # what is no matter of numbers
Read = Callable[[str, str], str]


class TableLine(NamedTuple):
    """A line of a table. wanted: readings of which each is right."""

    kind: str
    written: str
    wanted: tuple[str, ...]


def lines_of(language: str) -> list[TableLine]:
    """All lines of the language's table."""
    with (TABLES / f"{language}.tsv").open(encoding="utf-8", newline="") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [TableLine(row["kind"], _line_ends(row["written"]), tuple(map(_line_ends, row["wanted"].split(" || ")))) for row in rows]


def numbers_said(written: str, language: str) -> str:
    """The line with its numbers as words."""
    return TracedText(written).replaced(number_replacements(written, language)).text


def is_said(text: str, wanted: Sequence[str]) -> bool:
    """Whether it is one of the readings."""
    return _letters(text) in map(_letters, wanted)


def _line_ends(written: str) -> str:
    return written.replace("\\n", "\n")


def _letters(text: str) -> str:
    return "".join(
        letter for letter in unicodedata.normalize("NFC", text.casefold()) if letter.isalnum() or unicodedata.category(letter)[0] in "MS"
    )


def _phones(text: str, language: str) -> str:
    """Without blanks and stress marks: which words are said together is no error."""
    return "".join(ipa(text, language_of("", language).voice).replace("ˈ", "").replace("ˌ", "").split())


def _is_heard(text: str, wanted: Sequence[str], language: str) -> bool:
    return _phones(text, language) in (_phones(one, language) for one in wanted)


def measure(language: str, read: Read, shows: bool = False) -> str:
    """A row: how many lines there are, and how many of them are wrong. shows: each wrong line too, under it."""
    lines, wrong, n_before, n_after = lines_of(language), [], 0, 0
    for line in lines:
        said = read(line.written, language)
        n_before += not _is_heard(line.written, line.wanted, language)
        n_after += not _is_heard(said, line.wanted, language)
        if not is_said(said, line.wanted):
            wrong.append(f"  {line.kind}: {line.written!r}\n    said   {said!r}\n    wanted {' || '.join(line.wanted)!r}")
    row = f"{language:8}{len(lines):8}{n_before:18}{n_after:18}{len(wrong):18}"
    return "\n".join([row, *(wrong if shows else ())])


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of all languages that are asked for."""
    parser = argparse.ArgumentParser(description="Lines that are said wrong, per language.")
    every = sorted(table.stem for table in TABLES.glob("*.tsv"))
    parser.add_argument("--languages", nargs="+", default=every, choices=every, help="default: all that have a table")
    parser.add_argument("--show", action="store_true", help="print each line whose text is wrong")
    options = parser.parse_args(arguments)
    print(f"{'language':8}{'lines':>8}{'phones, before':>18}{'phones, after':>18}{'text, after':>18}")
    for language in options.languages:
        print(measure(language, numbers_said, options.show))


if __name__ == "__main__":
    main()
