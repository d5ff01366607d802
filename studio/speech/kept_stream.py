"""KeptStream: an EngineStream whose chunks are remembered until it is over, however it ends. The listener notices nothing."""

from collections.abc import Callable, Iterator

import numpy as np

from studio.running.stream import EngineStream
from studio.timeline import Timeline

__all__ = ["KeptStream"]


class KeptStream:
    """The listener's side of a stream. Holds references to the chunks that the listener took, no copies.

    on_over(chunks, how): called once, with chunks (T,) float32 and "whole", "stopped" (the listener hung up) or "failed"; not where there
    was no sound.
    """

    def __init__(self, stream: EngineStream, on_over: Callable[[list[np.ndarray], str], None]):
        self._stream = stream
        self._on_over = on_over
        self._taken: list[np.ndarray] = []
        self._is_over = False

    @property
    def timeline(self) -> Timeline:
        return self._stream.timeline

    def wait_first(self) -> None:
        self._stream.wait_first()

    def notify(self, callback: Callable[[], None]) -> None:
        self._stream.notify(callback)

    def poll(self) -> tuple[np.ndarray | None, bool]:
        """As EngineStream.poll."""
        try:
            chunk, over = self._stream.poll()
        except Exception:
            self._end("failed")
            raise
        if chunk is not None:
            self._taken.append(chunk)
        elif over:
            self._end("whole")
        return chunk, over

    def __iter__(self) -> Iterator[np.ndarray]:
        return self

    def __next__(self) -> np.ndarray:
        try:
            chunk = next(self._stream)
        except StopIteration:
            self._end("whole")
            raise
        except Exception:
            self._end("failed")
            raise
        self._taken.append(chunk)
        return chunk

    def close(self) -> None:
        self._stream.close()
        self._end("stopped")

    def _end(self, how: str) -> None:
        if self._is_over:
            return
        self._is_over = True
        taken, self._taken = self._taken, []
        if taken:
            self._on_over(taken, how)
