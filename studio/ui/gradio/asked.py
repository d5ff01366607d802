"""Asked: what a script of the page sends by name, in the types that a handler wants. What is of another type is a fault of the script."""

from collections.abc import Mapping

__all__ = ["number_in", "rows_in", "text_in", "whole_in"]


def text_in(asked: Mapping[str, object], name: str) -> str | None:
    """None where there is none."""
    value = asked.get(name)
    return None if value is None else str(value)


def number_in(asked: Mapping[str, object], name: str) -> float:
    """Raises KeyError, TypeError."""
    value = asked[name]
    if not isinstance(value, int | float):
        raise TypeError(f"{name} is no number")
    return value


def whole_in(asked: Mapping[str, object], name: str) -> int:
    """Of a number, or of digits. Raises KeyError, TypeError, ValueError."""
    value = asked[name]
    return int(value) if isinstance(value, str) else int(number_in(asked, name))


def rows_in(asked: Mapping[str, object], name: str) -> list[dict[str, object]]:
    """Raises KeyError, TypeError."""
    value = asked[name]
    if not isinstance(value, list):
        raise TypeError(f"{name} is no list")
    return value
