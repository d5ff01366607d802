"""WordMark: which stretch of its text a running stream says where. Whoever advances the stream may listen."""

from collections.abc import Callable, Generator
from contextlib import closing
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from engines.contract.contract import ChunkStream
from engines.contract.speech_end import SpeechEnd

__all__ = ["WordMark", "are_heard", "listened", "mark"]


@dataclass(frozen=True)
class WordMark:
    """text[start:end] of what the stream was given is heard in samples [start_samples, end_samples) of what it yields.

    A stretch is a word as a rule: several where they are said as one ("of the"), or all of what is read otherwise ("$5").
    """

    start: int
    end: int
    start_samples: int
    end_samples: int


Listener = Callable[[WordMark], None]
_listener: ContextVar[Listener | None] = ContextVar("marked", default=None)


def are_heard() -> bool:
    """Whether anybody listens to the stream that is advanced in this context: else its marks need not be found."""
    return _listener.get() is not None


def mark(found: WordMark) -> None:
    """Say where a stretch of the stream is that is advanced in this context. In order; nothing where nobody listens."""
    if (listener := _listener.get()) is not None:
        listener(found)


def listened(chunks: ChunkStream, listener: Listener) -> Generator[np.ndarray, None, SpeechEnd | None]:
    """The same stream, whose marks `listener` is told, on the thread that advances it. Closing what comes back closes it."""
    with closing(chunks):
        while True:
            token = _listener.set(listener)  # others are advanced in this context before the next turn
            try:
                chunk = next(chunks)
            except StopIteration as end:
                return end.value
            finally:
                _listener.reset(token)
            yield chunk
