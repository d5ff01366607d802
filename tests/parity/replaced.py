"""replaced: another value in the place of an official package's own, for a while."""

from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["replaced"]


@contextmanager
def replaced(owner: object, name: str, value: object) -> Iterator[None]:
    """Let an attribute be this for a while."""
    original = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)
