"""Tables: CSV and its relatives with a row that names the columns, as spreadsheets of all countries write them."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence

from studio.errors import ScriptFileUnusable
from studio.reading.formula_guard import unguard_formula
from studio.scripts.intake.rows import field_of, read_rows
from studio.scripts.script.script import ReadScript, ScriptHead

__all__ = ["looks_like_table", "read_table"]

_SEPARATORS = (",", ";", "\t", "|")
_MOST_COLUMNS = 200
_MOST_CELL_CHARACTERS = 1_000_000


def looks_like_table(text: str) -> bool:
    """Whether its first row names a column of texts and another one that is known."""
    columns = _columns(text)
    fields = [field for field in map(field_of, columns) if field]
    return "text" in fields and len(set(fields)) > 1 and len(columns) <= _MOST_COLUMNS


def read_table(text: str, title: str = "") -> ReadScript:
    """Raises ScriptFileUnusable where no column holds texts."""
    columns = _columns(text)
    fields = _fields(columns)
    if "text" not in fields.values():
        raise ScriptFileUnusable(sentence="script_file_no_text_column", columns=", ".join(columns)[:200])
    read = read_rows(_rows(text, fields))
    unknown = [name.strip() for at, name in enumerate(columns) if at not in fields and name.strip()]
    notes = [*read.notes, *([("note_columns", {"columns": ", ".join(unknown)[:200]})] if unknown else [])]
    return ReadScript(ScriptHead(title=title[:200]), read.lines, read.cast, "csv", notes=tuple(notes))


def _split_head(text: str) -> tuple[str, str]:
    """(separator, the table without the line by which a spreadsheet names it)."""
    head, _, rest = text.lstrip("\n").partition("\n")
    named = head.strip().strip('"').lower()
    if named.startswith("sep="):
        return named[4:5] or "\t", rest
    return max(_SEPARATORS, key=head.count), text.lstrip("\n")


def _columns(text: str) -> list[str]:
    separator, table = _split_head(text)
    head = table.split("\n", 1)[0]
    if separator not in head:
        return [head.strip().strip('"')]
    return next(csv.reader([head], delimiter=separator), [])


def _fields(columns: Sequence[str]) -> dict[int, str]:
    """Number of a column -> its field; the first column of a field is it."""
    found: dict[int, str] = {}
    for at, name in enumerate(columns[:_MOST_COLUMNS]):
        field = field_of(name)
        if field and field not in found.values():
            found[at] = field
    return found


def _rows(text: str, fields: Mapping[int, str]) -> Iterator[dict[str, str]]:
    separator, table = _split_head(text)
    csv.field_size_limit(_MOST_CELL_CHARACTERS)
    try:
        rows = csv.reader(io.StringIO(table, newline=""), delimiter=separator)
        next(rows, None)
        for row in rows:
            yield {fields[at]: unguard_formula(cell) for at, cell in enumerate(row) if at in fields}
    except csv.Error as error:
        raise ScriptFileUnusable(sentence="script_file_no_table") from error
