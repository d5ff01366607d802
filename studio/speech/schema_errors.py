"""Schema failures as vLLM-Omni writes them: status 400, one python-repr dict per error, truncated."""

from collections.abc import Mapping, Sequence

from studio.errors import SchemaInvalid

__all__ = ["schema_error"]

MOST_ERRORS = 10
MOST_INPUT_CHARACTERS = 200
MOST_MESSAGE_CHARACTERS = 1000


def schema_error(errors: Sequence[Mapping[str, object]]) -> SchemaInvalid:
    """errors: pydantic's error dicts, of the request. `parameter` is the dotted place of the first."""
    head = f"{len(errors)} validation error{'' if len(errors) == 1 else 's'}:"
    lines = [f"  {_line(error)}" for error in errors[:MOST_ERRORS]]
    return _said("\n".join([head, *lines])[:MOST_MESSAGE_CHARACTERS], errors[0] if errors else {})


def _said(fact: str, first: Mapping[str, object]) -> SchemaInvalid:
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


def _line(error: Mapping[str, object]) -> str:
    shown = {"type": error["type"], "loc": _dotted(error["loc"]), "msg": error["msg"], "input": _brief(error.get("input"))}
    return repr(shown)


def _dotted(place: Sequence[object]) -> str:
    return ".".join(map(str, place))


def _brief(value: object) -> object:
    if isinstance(value, dict | list | tuple | set | bytes):
        return f"<{type(value).__name__} of {len(value)} items>"
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(value)
    return text if len(text) <= MOST_INPUT_CHARACTERS else text[:MOST_INPUT_CHARACTERS] + "..."
