"""Schema failures as vLLM-Omni writes them: status 400, one python-repr dict per error, truncated."""

from collections.abc import Mapping, Sequence

from studio.api.errors import ApiError, phrase

__all__ = ["schema_error", "unsupported_media_type"]

MOST_ERRORS = 10
MOST_INPUT_CHARACTERS = 200
MOST_MESSAGE_CHARACTERS = 1000


def schema_error(errors: Sequence[Mapping[str, object]]) -> ApiError:
    """errors: pydantic's error dicts, of the request. `param` is the dotted place of the first."""
    lines = [_line(error) for error in errors[:MOST_ERRORS]]
    return _refusal(len(errors), lines, _dotted(errors[0]["loc"]) if errors else None)


def unsupported_media_type() -> ApiError:
    return _refusal(1, ["Unsupported Media Type: Only 'application/json' is allowed"], None)


def _refusal(n_errors: int, lines: list[str], param: str | None) -> ApiError:
    head = f"{n_errors} validation error{'' if n_errors == 1 else 's'}:"
    message = "\n".join([head, *(f"  {line}" for line in lines)])
    return ApiError(400, message[:MOST_MESSAGE_CHARACTERS], param=param, kind=phrase(400), reason_code="schema_invalid")


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
