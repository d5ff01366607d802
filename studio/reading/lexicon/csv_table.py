"""A dictionary as a table, CSV as RFC 4180 has it and as spreadsheets write it.

The first row names the columns: `written`, and any of `said`, `ipa`, `language`, `case`, `whole_word`. Read are UTF-8 and, by their mark,
UTF-16; commas, semicolons and tabs; "sep=;" before the names; yes and no in the languages in which spreadsheets write them. Written are
commas and UTF-8 with a mark, without which spreadsheets take it for something older. Cells that a spreadsheet would compute are guarded.
"""

import codecs
import csv
import io
from collections.abc import Iterator, Sequence

from studio.errors import LexiconFileInvalid
from studio.reading.formula_guard import guard_formula, unguard_formula
from studio.reading.lexicon.entry import LexiconEntry
from studio.reading.lexicon.lexicon_file import LexiconFile, check_size, gathered

__all__ = ["COLUMNS", "read_csv", "written_csv"]

COLUMNS = ("written", "said", "ipa", "language", "case", "whole_word")
_OTHER_NAMES = {
    **dict.fromkeys(("word", "grapheme", "form"), "written"),
    **dict.fromkeys(("alias", "respelling", "replacement"), "said"),
    **dict.fromkeys(("phoneme", "pronunciation"), "ipa"),
    **dict.fromkeys(("lang", "xml:lang"), "language"),
    **dict.fromkeys(("case sensitive", "case_sensitive"), "case"),
    "whole word": "whole_word",
}
_SEPARATORS = (",", ";", "\t")
_YES = frozenset(
    ("yes", "true", "1", "x", "wahr", "ja", "vrai", "oui", "verdadero", "sí", "si", "vero", "waar", "verdadeiro", "истина", "是")
)
_NO = frozenset(("no", "false", "0", "falsch", "nein", "faux", "non", "falso", "onwaar", "ложь", "否"))


def read_csv(data: bytes) -> LexiconFile:
    """Raises LexiconFileInvalid, LexiconFull."""
    check_size(data)
    return gathered(_entries(_text(data)), [])


def written_csv(entries: Sequence[LexiconEntry]) -> bytes:
    """read_csv gives the same entries."""
    table = io.StringIO(newline="")
    rows = csv.writer(table)
    rows.writerow(COLUMNS)
    for entry in entries:
        forms = map(guard_formula, (entry.written, entry.said, entry.ipa))
        rows.writerow((*forms, entry.language, "yes" if entry.case else "no", "yes" if entry.whole_word else "no"))
    return codecs.BOM_UTF8 + table.getvalue().encode()


def _text(data: bytes) -> str:
    encoding = "utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise LexiconFileInvalid(line, "it is no UTF-8; save the table as CSV in UTF-8") from error


def _entries(text: str) -> Iterator[tuple[int, LexiconEntry]]:
    head, _, rest = text.partition("\n")
    skipped = 0
    separator = head.strip().strip('"').lower()
    if separator.startswith("sep="):
        text, skipped, separator = rest, 1, separator[4:5] or "\t"
    else:
        separator = max(_SEPARATORS, key=head.count)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    columns: list[str] = []
    try:
        for row in rows:
            line = rows.line_num + skipped
            if columns and any(cell.strip() for cell in row):
                yield line, _entry(dict(zip(columns, _cells(row, columns, line), strict=True)), line)
            elif any(cell.strip() for cell in row):
                columns = _columns(row, line)
    except csv.Error as error:
        raise LexiconFileInvalid(rows.line_num + skipped, f"it is no CSV ({error})") from error
    if not columns:
        raise LexiconFileInvalid(1, f"the first row names the columns: {', '.join(COLUMNS)}")


def _columns(row: list[str], line: int) -> list[str]:
    while len(row) > 1 and not row[-1].strip():
        row.pop()
    names = [cell.strip().lower() for cell in row]
    columns = [_OTHER_NAMES.get(name, name) for name in names]
    unknown = [name for name, column in zip(names, columns, strict=True) if column not in COLUMNS]
    if unknown or "written" not in columns or len(set(columns)) < len(columns):
        what = f"{unknown[0]!r} is none of them" if unknown else "one of them is missing or twice there"
        raise LexiconFileInvalid(line, f"the first row names the columns {', '.join(COLUMNS)}; {what[:80]}")
    return columns


def _cells(row: list[str], columns: list[str], line: int) -> list[str]:
    if any(cell.strip() for cell in row[len(columns) :]):
        raise LexiconFileInvalid(line, f"it has {len(row)} cells, the first row {len(columns)}")
    return [*row, *[""] * len(columns)][: len(columns)]


def _entry(cells: dict[str, str], line: int) -> LexiconEntry:
    forms = {name: unguard_formula(cells.get(name, "")) for name in ("written", "said", "ipa")}
    case, whole_word = _flag(cells, "case", False, line), _flag(cells, "whole_word", True, line)
    return LexiconEntry(**forms, language=cells.get("language", ""), case=case, whole_word=whole_word)


def _flag(cells: dict[str, str], name: str, default: bool, line: int) -> bool:
    cell = cells.get(name, "").strip().lower()
    if cell and cell not in _YES | _NO:
        raise LexiconFileInvalid(line, f"{name} is yes or no, not {cell[:40]!r}")
    return cell in _YES if cell else default
