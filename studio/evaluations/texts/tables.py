"""Tables and JSON: lists whose columns have names, as spreadsheets of all countries, manifests of recognizers and notebooks write them."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engines.plain_json import read_json
from studio.errors import EvaluationTextsUnusable
from studio.evaluations.plan.plan import MOST_TEXTS
from studio.evaluations.texts.rows import FoundRows, TextRow, field_of
from studio.reading.formula_guard import unguard_formula

__all__ = ["json_rows", "looks_like_table", "table_rows"]

_SEPARATORS = (",", ";", "\t", "|")
_MOST_COLUMNS = 200
_MOST_BRACKETS = 20 * MOST_TEXTS  # of JSON that is a list of texts
_MOST_CELL_CHARACTERS = 1_000_000
_TELLING = ("text", "file", "prompt_file")  # fields of which a table that is meant for us has one
# Where a list stands in an object, in the order in which they are looked for.
_LISTS = ("texts", "sentences", "lines", "items", "utterances", "samples", "cases", "prompts", "entries", "data")


def looks_like_table(text: str, filename: str = "") -> bool:
    """Whether its first row names two columns that are known, or one where the file is called a table."""
    fields = {field for field in map(field_of, _columns(text)) if field}
    is_called_so = filename.casefold().endswith((".csv", ".tsv"))
    return bool(fields) and (is_called_so or (len(fields) > 1 and not fields.isdisjoint(_TELLING)))


def table_rows(text: str, *, needed: str = "text") -> FoundRows:
    """Of a table whose first row names its columns, that of this field among them. Raises EvaluationTextsUnusable."""
    columns = _columns(text)
    fields = _fields(columns)
    if needed not in fields.values():
        raise EvaluationTextsUnusable(sentence="evaluation_texts_no_column", columns=", ".join(columns)[:200])
    unknown = tuple(name.strip() for at, name in enumerate(columns) if at not in fields and name.strip())
    separator, table, n_before = _split_head(text)
    try:
        rows = tuple(_rows(table, separator, fields, n_before, strict=True))
    except csv.Error as error:
        if separator != "\t":
            raise EvaluationTextsUnusable(sentence="evaluation_texts_no_table", line=_broken_line(table, separator, n_before)) from error
        rows = tuple(_rows(table, separator, fields, n_before, strict=False))
    return FoundRows(rows, "table", columns=unknown)


def json_rows(text: str) -> FoundRows | None:
    """Of a list of texts or of objects, alone, within an object, or one in each line; None for what is none.

    Raises EvaluationTextsUnusable where its objects have no text.
    """
    if text.lstrip()[:1] not in ("{", "[") or text.count("[") + text.count("{") > _MOST_BRACKETS:
        return None
    try:
        value, taken_for = read_json(text), "json"
    except ValueError:
        lines = [line for line in text.split("\n") if line.strip()]
        if len(lines) < 2 or not lines[0].lstrip().startswith("{"):
            return None
        try:
            value, taken_for = [read_json(line) for line in lines], "jsonl"
        except ValueError:
            return None
    return _of_values(_listed(value), taken_for)


def _listed(value: Any) -> list[Any]:
    if isinstance(value, dict):
        value = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), [value])
    return value if isinstance(value, list) else [value]


def _of_values(values: Sequence[Any], taken_for: str) -> FoundRows:
    rows: list[TextRow] = []
    broken: list[int] = []
    unknown: dict[str, None] = {}
    for number, value in enumerate(values, 1):
        if isinstance(value, str):
            rows.append(TextRow(number, value))
            continue
        cells, names = _members(value) if isinstance(value, dict) else ({}, ())
        unknown |= dict.fromkeys(names)
        if "text" in cells:
            rows.append(TextRow(number, **cells))
        else:
            broken.append(number)
    if not rows:
        members = dict.fromkeys(str(name) for value in values if isinstance(value, dict) for name in value)
        raise EvaluationTextsUnusable(sentence="evaluation_texts_no_column", columns=", ".join(members)[:200] or "–")
    return FoundRows(tuple(rows), taken_for, broken=tuple(broken), columns=tuple(unknown)[:20])


def _members(value: Mapping[str, Any]) -> tuple[dict[str, str], tuple[str, ...]]:
    """(field -> cell, names that mean nothing here)."""
    cells: dict[str, str] = {}
    unknown = []
    for name, member in value.items():
        field = field_of(name)
        if not field:
            unknown.append(name)
        elif field not in cells and isinstance(member, str | int | float):
            cells[field] = str(member)
    return cells, tuple(unknown)


# --- tables


def _split_head(text: str) -> tuple[str, str, int]:
    """(separator, the table without the line by which a spreadsheet names it, lines before it)."""
    stripped = text.lstrip("\n")
    n_before = len(text) - len(stripped)
    head, _, rest = stripped.partition("\n")
    named = head.strip().strip('"').lower()
    if named.startswith("sep="):
        return named[4:5] or "\t", rest, n_before + 1
    return max(_SEPARATORS, key=head.count), stripped, n_before


def _columns(text: str) -> list[str]:
    separator, table, _ = _split_head(text)
    head = table.split("\n", 1)[0]
    if len(head) > _MOST_CELL_CHARACTERS:
        return []
    try:
        return next(csv.reader([head], delimiter=separator), [])[:_MOST_COLUMNS]
    except csv.Error:
        return []


def _fields(columns: Sequence[str]) -> dict[int, str]:
    """Number of a column -> its field; the first column of a field is it."""
    found: dict[int, str] = {}
    for at, name in enumerate(columns):
        field = field_of(name)
        if field and field not in found.values():
            found[at] = field
    return found


def _rows(table: str, separator: str, fields: Mapping[int, str], n_before: int, *, strict: bool) -> Iterator[TextRow]:
    """strict: with quotes, as spreadsheets write them; else every quote is one that is said."""
    for line, row in _cells(table, separator, strict=strict):
        if any(map(str.strip, row)):
            cells = {fields[at]: unguard_formula(cell).strip() for at, cell in enumerate(row) if at in fields}
            yield TextRow(n_before + line, **{"text": "", **cells})


def _cells(table: str, separator: str, *, strict: bool) -> Iterator[tuple[int, list[str]]]:
    """(the line where it begins, its cells) of each row below the names."""
    csv.field_size_limit(_MOST_CELL_CHARACTERS)
    quoting = csv.QUOTE_MINIMAL if strict else csv.QUOTE_NONE
    rows = csv.reader(io.StringIO(table, newline=""), delimiter=separator, strict=strict, quoting=quoting)
    next(rows, None)
    line = rows.line_num + 1
    for row in rows:
        yield line, row
        line = rows.line_num + 1


def _broken_line(table: str, separator: str, n_before: int) -> int:
    """Where the row begins that cannot be read."""
    line = 1
    try:
        for at, row in _cells(table, separator, strict=True):
            line = at + 1 + sum(cell.count("\n") for cell in row)
    except csv.Error:
        pass
    return n_before + line
