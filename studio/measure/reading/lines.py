"""Lines that are said wrong, per language, as they are written and as the studio reads them for the embedded engine.

`python -m studio.measure.reading.lines --languages en de --kinds --show`, and with `--ears 10` by the words of every tenth line as Whisper
hears them. A silence between pieces counts as nothing.

A table is lines/{language}.tsv: kind, written, wanted. "\\n" stands for the end of a line, " || " between readings of which each is right.
Two lines are the same but for case, punctuation, hyphens and blanks.
"""

import argparse
import csv
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engines.catalog import engine_ids, engine_info
from engines.contract.contract import EngineInfo
from engines.kit.phonemes.espeak_library import ipa
from engines.kit.phonemes.languages import language_of
from studio.measure.reading.hearer import Hearer
from studio.reading.numbers.numbers import number_replacements
from studio.reading.reader import AS_WRITTEN, Manner, read
from studio.reading.traced_text import TracedText

__all__ = ["NUMBERS_KINDS_APART", "TABLES", "Count", "TableLine", "counted", "heard", "is_said", "lines_of", "numbers_said"]

TABLES = Path(__file__).with_name("lines")
NUMBERS_KINDS_APART = frozenset({"markup", "characters", "lines", "capitals", "abbreviations"})  # what is no matter of numbers


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


class Count(NamedTuple):
    """Of lines, and of those among them that are wrong: by phones as they are written and as they are read, by text as they are read."""

    n: int = 0
    before: int = 0
    after: int = 0
    text: int = 0

    def and_one(self, *wrong: bool) -> "Count":
        """With one line more, which is wrong in these ways."""
        return Count(self.n + 1, *(count + more for count, more in zip(self[1:], wrong, strict=True)))


def counted(language: str, info: EngineInfo, shows: bool = False) -> dict[str, Count]:
    """Kind -> its lines, how the studio reads them for that engine. shows: print each line whose text is wrong."""
    counts: dict[str, Count] = {}
    for line in lines_of(language):
        said = read(line.written, info, Manner(language)).text
        is_wrong = not is_said(said, line.wanted)
        is_wrong_before, is_misheard = (not _is_heard(text, line.wanted, language) for text in (line.written, said))
        counts[line.kind] = counts.get(line.kind, Count()).and_one(is_wrong_before, is_misheard, is_wrong)
        if is_wrong and shows:
            print(f"  {line.kind}: {line.written!r}\n    said   {said!r}\n    wanted {' || '.join(line.wanted)!r}")
    return counts


def heard(language: str, every: int) -> str:
    """A row: word errors of every so many lines, spoken by the embedded engine and heard, as they are written and as they are read."""
    hearer, rates = Hearer(), []
    info, lines = engine_info(engine_ids()[0]), lines_of(language)[::every]
    for manner in (AS_WRITTEN, Manner(language)):
        pairs = [hearer.errors(read(line.written, info, manner), line.wanted, language) for line in lines]
        rates.append(sum(wrong for wrong, _ in pairs) / sum(n for _, n in pairs))
    return f"{language:8}{len(lines):8}{rates[0]:18.1%}{rates[1]:18.1%}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of all languages that are asked for."""
    parser = argparse.ArgumentParser(description="Lines that are said wrong, per language.")
    every = sorted(table.stem for table in TABLES.glob("*.tsv"))
    parser.add_argument("--languages", nargs="+", default=every, choices=every, help="default: all that have a table")
    parser.add_argument("--show", action="store_true", help="print each line whose text is wrong")
    parser.add_argument("--kinds", action="store_true", help="print a row for each kind too")
    parser.add_argument("--ears", type=int, metavar="N", help="hear every Nth line with Whisper, and count wrong words")
    options = parser.parse_args(arguments)
    if options.ears:
        print(f"{'language':8}{'lines':>8}{'words, before':>18}{'words, after':>18}")
        for language in options.languages:
            print(heard(language, options.ears), flush=True)
        return
    print(f"{'language':16}{'lines':>8}{'phones, before':>18}{'phones, after':>18}{'text, after':>18}")
    for language in options.languages:
        counts = counted(language, engine_info(engine_ids()[0]), options.show)
        rows = {language: Count(*map(sum, zip(*counts.values(), strict=True)))} | (
            {f"  {kind}": counts[kind] for kind in sorted(counts)} if options.kinds else {}
        )
        for name, count in rows.items():
            print(f"{name:16}{count.n:8}{count.before:18}{count.after:18}{count.text:18}")


if __name__ == "__main__":
    main()
