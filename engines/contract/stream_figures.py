"""Figures of a running stream that only its engine knows. Whoever advances the stream may listen."""

from collections.abc import Callable
from contextvars import ContextVar

__all__ = ["listening_to", "state"]

FAR_TTFP = "far_ttfp"  # seconds from sending the text to a far server to its first audio, uploads and servers that failed left out

_listener: ContextVar[Callable[[str, float], None] | None] = ContextVar("stated", default=None)


def state(name: str, value: float) -> None:
    """Say a figure of the stream that is advanced in this context; nothing where nobody listens."""
    listener = _listener.get()
    if listener is not None:
        listener(name, value)


def listening_to(listener: Callable[[str, float], None]) -> None:
    """From now on, whatever is stated in this context is told to `listener`, on the stating thread."""
    _listener.set(listener)
