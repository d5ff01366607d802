"""Schema errors in the form of vLLM-Omni: status 400, one python-repr dict per error, truncated.

A body that is no JSON, or no text at all, is told at which character: nobody finds a comma by "error parsing the body".
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from studio.errors import SchemaInvalid

__all__ = ["compressed_body_error", "schema_error", "undecodable_body_error"]

MOST_ERRORS = 10  # these three as in vllm/entrypoints/serve/exception_handling/handlers/validation.py of vLLM 0.30.0
MOST_INPUT_CHARACTERS = 200
MOST_ERROR_CHARACTERS = 1000
# What pydantic puts into the place of an error beside fields and positions: the kinds that a union tried, and wrappers.
NO_FIELD = re.compile(r".*[\[\](){}].*|str|int|float|bool|list|dict|none|nullable|union|function-.*")


ErrorDict = Mapping[str, Any]  # as `ValidationError.errors()` gives them: {"type", "loc", "msg", "input", "ctx"}

GZIP = b"\x1f\x8b"  # RFC 1952, section 2.3.1


def schema_error(errors: Sequence[ErrorDict], document: object = None) -> SchemaInvalid:
    """errors: pydantic's error dicts, of the request. `parameter` is the dotted place of the first. document: the body, if it is a text."""
    kind = "error" if len(errors) == 1 else "errors"
    lines = [f"{len(errors)} validation {kind}:", *map(_line, errors[:MOST_ERRORS])]
    if len(errors) > MOST_ERRORS:
        lines.append(f"...and {len(errors) - MOST_ERRORS} more {kind}")
    first, fact = errors[0] if errors else {}, "\n  ".join(lines)
    if first.get("type") == "json_invalid" and isinstance(document, str):
        return _broken_json(fact, first, document)
    return _utterance(fact, first)


def undecodable_body_error(error: UnicodeDecodeError) -> SchemaInvalid:
    """Of a body that is no text in UTF-8."""
    if error.object.startswith(GZIP):
        return compressed_body_error("gzip")
    byte, (line, column) = error.object[error.start], _place(error.object[: error.start].decode(error.encoding, "replace"))
    fact = f"The body is not UTF-8: byte 0x{byte:02X} at offset {error.start} (line {line}, column {column})."
    letter = bytes([byte]).decode("cp1252", "replace")
    hint = f"Send it in UTF-8. In Latin-1 or Windows-1252 this byte is {letter!r}."
    return SchemaInvalid(fact, "body", hint=hint, sentence="body_not_utf8", offset=error.start, letter=letter, line=line, column=column)


def compressed_body_error(coding: str) -> SchemaInvalid:
    """Of a body that is packed. coding: as its header has it."""
    fact, hint = f"The body is compressed ({coding}), and is taken plain alone.", "Send it as it is, without Content-Encoding."
    return SchemaInvalid(fact, "Content-Encoding", hint=hint, sentence="body_compressed", coding=coding)


def _broken_json(fact: str, first: ErrorDict, document: str) -> SchemaInvalid:
    offset = first["loc"][-1]
    (line, column), reason = _place(document[:offset]), first["ctx"]["error"]
    hint = f"The body is no JSON. Line {line}, column {column}: {reason}."
    return SchemaInvalid(fact, _dotted(first["loc"]), hint=hint, sentence="body_no_json", offset=offset, line=line, column=column)


def _place(before: str) -> tuple[int, int]:
    """(line, column), from 1, of the character behind that text."""
    return before.count("\n") + 1, len(before) - before.rfind("\n")


def _utterance(fact: str, first: ErrorDict) -> SchemaInvalid:
    """With what a person is told of the first error: the field, and the bound that it passed."""
    place, bounds = first.get("loc"), first.get("ctx") or {}
    where, name = None if place is None else _dotted(place), str(place[-1]) if place else "body"
    for bound in ("le", "lt", "max_length"):
        if bound in bounds:
            return SchemaInvalid(fact, where, sentence="schema_too_large", field=name, most=bounds[bound])
    for bound in ("ge", "gt", "min_length"):
        if bound in bounds:
            return SchemaInvalid(fact, where, sentence="schema_too_small", field=name, least=bounds[bound])
    if first.get("type") == "missing":
        return SchemaInvalid(fact, where, sentence="schema_missing", field=name)
    return SchemaInvalid(fact, where, field=name)


def _line(error: ErrorDict) -> str:
    """In pydantic's order. ctx: the bounds or words that were not met, an exception among them as Python shows it."""
    shown = {"type": error["type"], "loc": _dotted(error["loc"]), "msg": error["msg"], "input": _brief(error.get("input"))}
    if error.get("ctx"):
        shown["ctx"] = error["ctx"]
    return _cut(str(shown), MOST_ERROR_CHARACTERS)


def _dotted(place: Sequence[object]) -> str:
    named = [part for part in map(str, place) if not NO_FIELD.fullmatch(part)]
    return ".".join(named or map(str, place))


def _brief(value: object) -> str:
    """A value as text; of what has parts only how many."""
    if isinstance(value, bytes):
        return f"<bytes of {len(value)} bytes>"
    if isinstance(value, dict | list | tuple | set):
        return f"<{type(value).__name__} of {len(value)} items>"
    try:
        return _cut(str(value), MOST_INPUT_CHARACTERS)
    except ValueError:  # an integer of more digits than Python writes
        return f"<{type(value).__name__}>"


def _cut(text: str, most_characters: int) -> str:
    return text if len(text) <= most_characters else text[:most_characters] + "...[truncated]"
