"""EngineJob: what an engine's thread has been given to do: a call, or a stream to be advanced until it is over."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from engines.contract.contract import Engine
from studio.running.hearing import Hearing
from studio.running.stream import EngineStream

__all__ = ["EngineJob"]


@dataclass(eq=False)
class EngineJob:
    """A call (`run` gives a result) or a stream (`chunks` is being advanced), and when it was handed in.

    is_brief: a call that takes next to no time. hearing: of a stream. expected_seconds: of audio, no estimate where it knows_length. begun,
    served: of a stream, its first and its last turn; None before. stirred: set when its listener wants more, or is gone, for a job that
    has a thread of its own.
    """

    submitted: float
    patience_seconds: float = 0.0  # of a call that nobody waits for: it is as urgent as a listener who has this much ahead
    is_brief: bool = False
    run: Callable[[Engine], object] | None = None
    result: Future = field(default_factory=Future)
    open_chunks: Callable[[Engine], Iterator[np.ndarray]] | None = None
    chunks: Iterator[np.ndarray] | None = None
    stream: EngineStream | None = None
    on_end: Callable[[Engine], None] = lambda engine: None
    hearing: Hearing = field(default_factory=Hearing)
    expected_seconds: float = 0.0
    knows_length: bool = False
    begun: float | None = None
    served: float | None = None
    stirred: threading.Event = field(default_factory=threading.Event)

    @property
    def gone(self) -> bool:
        """The listener has hung up."""
        return self.stream is not None and self.stream.closed

    @property
    def whole(self) -> bool:
        return self.hearing.whole

    @property
    def goes_on(self) -> bool:
        """Its listener hears something already, and would run dry of that."""
        return self.hearing.until is not None and self.hearing.until > self.submitted

    @property
    def dry_at(self) -> float | None:
        """When the listener runs dry; None for a call, and before anything was heard."""
        return self.stream.playback.dry_at if self.stream is not None else None

    @property
    def runnable(self) -> bool:
        return self.stream is None or self.stream.closed or self.stream.wanted

    def answer(self, engine: Engine) -> None:
        """Run the call, unless it was cancelled; its result or its error is the caller's."""
        if self.result.set_running_or_notify_cancel():
            try:
                self.result.set_result(self.run(engine))
            except BaseException as error:
                self.result.set_exception(error)
