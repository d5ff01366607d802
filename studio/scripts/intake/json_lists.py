"""JSON of other programs: lists of lines, segments of a transcript, messages of a chat; one object in each line as well."""

from collections.abc import Iterator, Mapping
from typing import Any

from engines.plain_json import read_json
from studio.errors import ScriptFileUnusable
from studio.scripts.intake.rows import field_of, read_rows
from studio.scripts.script.script import ReadScript, ScriptHead

__all__ = ["json_of", "looks_like_json", "read_json_list"]

# Where a list of lines stands in an object, in the order in which they are looked for.
_LISTS = ("lines", "segments", "dialogue", "dialog", "script", "turns", "messages", "utterances", "conversation", "items", "entries",
          "chapters", "cues", "subtitles", "monologues", "transcript", "results", "data")  # fmt: skip
_MOST_NESTED = 4


def json_of(text: str) -> Any:
    """The value, or a list of those in its lines. Raises ValueError where it is no JSON."""
    try:
        return read_json(text)
    except ValueError:
        rows = [line for line in text.split("\n") if line.strip()]
        if len(rows) < 2 or not rows[0].lstrip().startswith(("{", "[")):
            raise
        return [read_json(row) for row in rows]


def looks_like_json(text: str) -> bool:
    """Whether it is a value with lines, or one that was to be: "[S1] Hello" begins like a list, and is none."""
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return False
    try:
        json_of(text)
    except ValueError:
        return False
    return True


def read_json_list(value: Any, title: str = "") -> ReadScript:
    """Raises ScriptFileUnusable where there are no lines in it."""
    found = list(_rows(value, 0))
    read = read_rows(row for row, _ in found)
    if not read.lines:
        raise ScriptFileUnusable(sentence="script_file_no_lines")
    head = value if isinstance(value, dict) else {}
    unknown = list(dict.fromkeys(name for _, names in found for name in names))
    notes = [*read.notes, *([("note_columns", {"columns": ", ".join(unknown)[:200]})] if unknown else [])]
    own = head.get("title") or head.get("name")
    language = head.get("language") or head.get("lang")
    return ReadScript(
        ScriptHead(
            title=(own if isinstance(own, str) else title)[:200],
            author=str(head["author"])[:200] if isinstance(head.get("author"), str) else "",
            language=language.split("-")[0].lower()[:8] if isinstance(language, str) and language else None,
        ),
        read.lines,
        read.cast,
        "json",
        notes=tuple(notes),
    )


def _rows(value: Any, depth: int) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    """(field -> value, names that mean nothing here) of each line."""
    if depth > _MOST_NESTED:
        return
    if isinstance(value, str):
        yield {"text": value}, ()
    elif isinstance(value, list):
        for item in value:
            yield from _of_item(item, depth)
    elif isinstance(value, dict):
        inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        yield from _rows(inner, depth + 1) if inner is not None else _of_item(value, depth + 1)


def _of_item(item: Any, depth: int) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    if isinstance(item, str):
        yield {"text": item}, ()
    elif isinstance(item, list) and len(item) == 2 and all(isinstance(part, str) for part in item):
        yield {"who": item[0], "text": item[1]}, ()
    elif isinstance(item, list):
        yield from _rows(item, depth + 1)
    elif isinstance(item, dict):
        yield from _of_object(item, depth)


def _of_object(item: Mapping[str, Any], depth: int) -> Iterator[tuple[dict[str, Any], tuple[str, ...]]]:
    fields: dict[str, Any] = {}
    unknown = []
    for name, value in item.items():
        field = field_of(name)
        if field and field not in fields and not isinstance(value, dict | list):
            fields[field] = value
        elif not field:
            unknown.append(name)
    if fields.get("text"):
        yield fields, tuple(unknown)
    elif any(isinstance(item.get(name), list) for name in _LISTS):
        title = item.get("title") or item.get("chapter") or item.get("heading")
        for number, (row, names) in enumerate(_rows(dict(item), depth + 1)):
            yield ({"chapter": title, **row} if isinstance(title, str) and number == 0 else row), names
    elif len(item) == 1 and isinstance(value := next(iter(item.values())), str):
        yield {"who": next(iter(item)), "text": value}, ()  # {"Anna": "Hello"}
