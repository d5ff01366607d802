"""Table file: a table that somebody brings, as names and rows of text: CSV with any separator, JSON, in UTF-8, UTF-16 or Windows-1252.

What a cell means is not decided here. A table is bounded in bytes, rows and cells before it is kept.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from engines.plain_json import read_json
from studio.listening.report.unreadable import VotesUnreadable
from studio.listening.report.votes_csv import csv_rows
from studio.reading.formula_guard import unguard_formula

__all__ = ["MOST_ROWS", "MOST_TABLE_BYTES", "TableFile", "decoded_table", "read_table"]

MOST_TABLE_BYTES = 10 << 20
MOST_ROWS = 200_000
MOST_COLUMNS = 1000
MOST_CELLS = 2_000_000
MOST_NAME = 200  # characters of a column's name
SEPARATORS = ",;\t|"
N_LOOKED_AT = 30  # lines by which the separator is found
_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))
_SAID_SEPARATOR = re.compile(r"sep=(.)\r?\n", re.I)  # Excel's own first line
_NUMBER = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)?\s*")


@dataclass(frozen=True)
class TableFile:
    """names: of the columns, no two alike. rows: as many cells as names, without blank space around them."""

    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def column(self, name: str) -> tuple[str, ...]:
        """Raises ValueError for a name that is not there."""
        at = self.names.index(name)
        return tuple(row[at] for row in self.rows)


def read_table(data: bytes, *, most_rows: int = MOST_ROWS) -> TableFile:
    """Raises VotesUnreadable. A first line of numbers and other cells that name nothing is a row: its columns are numbered."""
    text = decoded_table(data)
    begin = text.lstrip()[:1]
    rows = _of_json(text, most_rows) if begin and begin in "[{" else None
    names, rows = rows if rows is not None else _of_lines(text)
    table = _bounded(names, rows, most_rows)
    if not table.rows:
        raise VotesUnreadable(sentence="votes_none")
    return table


def decoded_table(data: bytes) -> str:
    """The text of a table. Raises VotesUnreadable for what is no text, such as a workbook."""
    mark = next((encoding for begin, encoding in _MARKS if data.startswith(begin)), "")
    n_zeros = data[:1000].count(0)
    if not mark and n_zeros:
        mark = "utf-16-le" if data[1:1000:2].count(0) > n_zeros / 2 else "utf-16-be"
    for encoding in (mark,) if mark else ("utf-8", "cp1252"):
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not data.startswith(b"PK\x03\x04") and "\0" not in text:
            return text
    raise VotesUnreadable(sentence="votes_no_text")


def _bounded(names: Sequence[str], rows: Iterator[Sequence[str]], most_rows: int) -> TableFile:
    _check_width(len(names))
    most = min(most_rows, MOST_CELLS // max(1, len(names)))
    kept = tuple(tuple(unguard_formula(cell.strip()) for cell in row) for row in islice(rows, most + 1) if any(map(str.strip, row)))
    if len(kept) > most:
        raise _too_many(most)
    return TableFile(_unlike(names), kept)


def _too_many(most: int) -> VotesUnreadable:
    return VotesUnreadable(sentence="votes_too_many", most=most)


def _check_width(n_columns: int) -> None:
    if n_columns > MOST_COLUMNS:
        raise VotesUnreadable(sentence="votes_too_wide", found=n_columns, most=MOST_COLUMNS)


def _unlike(names: Sequence[str]) -> tuple[str, ...]:
    """No two alike, none empty."""
    found: dict[str, None] = {}
    for number, name in enumerate(names, start=1):
        plain = unguard_formula(name.strip()[:MOST_NAME]) or f"({number})"
        new, again = plain, 1
        while new in found:
            again += 1
            new = f"{plain} ({again})"
        found[new] = None
    return tuple(found)


# --- lines


def _of_lines(text: str) -> tuple[Sequence[str], Iterator[Sequence[str]]]:
    said = _SAID_SEPARATOR.match(text)
    if said:
        text = text[said.end() :]
    separator = said[1] if said else _separator_of(text)
    _check_width(text.partition("\n")[0].strip().strip(separator).count(separator))  # before each would be a cell
    lines = csv_rows(text, separator)
    first = next(lines, (1, []))[1]
    first = first[: max((number for number, cell in enumerate(first, start=1) if cell.strip()), default=0)]
    if any(map(_NUMBER.fullmatch, first)) and not _is_header(first):
        names = [f"({number})" for number in range(1, len(first) + 1)]
        return names, _even(_with_first(first, lines), len(names))
    return first, _even(lines, len(first))


def _is_header(first: Sequence[str]) -> bool:
    """Whether a line with numbers names columns all the same: it begins with a word, and the numbers count, such as those of listeners."""
    numbers = [cell.strip() for cell in first if _NUMBER.fullmatch(cell)]
    counted = [int(cell) for cell in numbers if cell.isdecimal() and len(cell) < 7]
    return not _NUMBER.fullmatch(first[0]) and len(counted) > 1 and counted == list(range(counted[0], counted[0] + len(numbers)))


def _with_first(first: Sequence[str], lines: Iterator[tuple[int, list[str]]]) -> Iterator[tuple[int, Sequence[str]]]:
    yield 1, first
    yield from lines


def _separator_of(text: str) -> str:
    """The one that makes the most columns, the same number on most of the first lines."""
    begin = text[: 64 << 10]

    def columns(separator: str) -> tuple[float, int]:
        try:
            widths = Counter(len(cells) for _, cells in islice(csv_rows(begin, separator, strict=False), N_LOOKED_AT) if any(cells))
        except VotesUnreadable:
            return 0.0, 0
        width, count = max(widths.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        return (count / widths.total() if width > 1 else 0.0), width

    found = {separator: columns(separator) for separator in SEPARATORS}
    best = max(SEPARATORS, key=lambda separator: found[separator])
    return best if found[best][1] > 1 else " " if columns(" ")[1] > 1 else ","


def _even(lines: Iterator[tuple[int, Sequence[str]]], width: int) -> Iterator[Sequence[str]]:
    """Short rows are filled up; what stands behind the last column may be blank alone."""
    for line, cells in lines:
        if any(map(str.strip, cells[width:])):
            raise VotesUnreadable(sentence="votes_uneven", line=line, found=len(cells), wanted=width)
        yield [*cells[:width], *[""] * (width - len(cells))]


# --- JSON


def _of_json(text: str, most_rows: int) -> tuple[Sequence[str], Iterator[Sequence[str]]] | None:
    """A list of objects, one in an object, a list for each column, or an object on each line; None where it is nothing of it."""
    if text.count("{") + text.count("[") > most_rows + MOST_COLUMNS:  # each would be an object of its own in memory
        raise _too_many(most_rows)
    try:
        found = read_json(text)
    except ValueError:
        try:
            found = [read_json(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return None
    if isinstance(found, Mapping):
        lists = {str(name): value for name, value in found.items() if isinstance(value, list)}
        records = next((value for value in lists.values() if value and all(isinstance(one, Mapping) for one in value)), None)
        if records is None and lists and len(set(map(len, lists.values()))) == 1:
            records = [dict(zip(lists, cells, strict=True)) for cells in zip(*lists.values(), strict=True)]
        found = records
    if not isinstance(found, list) or not all(isinstance(one, Mapping) for one in found):
        return None
    names = list(dict.fromkeys(str(name) for one in found for name in one))
    return names, ([_as_text(one.get(name)) for name in names] for one in found)


def _as_text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(int(value))
    return str(value)
