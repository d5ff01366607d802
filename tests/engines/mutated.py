"""mutated: a function of the product, broken."""

import inspect
import textwrap
from collections.abc import Callable

__all__ = ["mutated"]


def mutated(owner: object, name: str, *changes: str) -> Callable:
    """The function with some of its text replaced, in the module where it was written. changes: old text, new text, and so on."""
    function = inspect.unwrap(getattr(owner, name))
    text = textwrap.dedent(inspect.getsource(function))
    parts = [textwrap.indent(textwrap.dedent(part), _indent(part, owner)) for part in changes]
    for old, new in zip(parts[::2], parts[1::2], strict=True):
        assert old in text, f"{name} has no {old!r}"
        text = text.replace(old, new)
    around = f"def around(__class__):\n{textwrap.indent(text, '    ')}\n    return {name}"  # where `super()` looks
    names: dict[str, Callable] = {}
    exec(compile(around, f"mutated {name}", "exec"), function.__globals__, names)
    return names["around"](owner)


def _indent(part: str, owner: object) -> str:
    """A method's text is moved to the left by one level."""
    spaces = len(part) - len(part.lstrip(" "))
    return " " * (spaces - 4 if inspect.isclass(owner) and spaces else spaces)
