"""FarWorker: the worker of an engine that runs elsewhere, in another process or machine.

The rest of the studio uses it like any other worker.

What differs from EngineWorker, and why:
* A call and a stream have a thread each (threaded_worker.py). Waiting for one answer holds up nobody: the far side decides who is served
  when. What has not got its first audio yet waits, there or on the way, and is bound by most_waiting.
* A stream whose listener has enough rests: nothing more is taken of it, and the far side feels that.
* It is opened again by itself where it could not be, so that what was down at the start is found when it is back.
* It is not unloaded by itself: it holds next to nothing here. What it declared when it was open is known while it is closed.
"""

import logging
import math
import threading
from collections.abc import Callable
from contextvars import Context
from typing import Unpack

from engines.contract.contract import Engine, EngineInfo
from engines.contract.stream_figures import FAR_TTFP, listening_to
from engines.errors import EngineUnreachable
from studio.running.stream import EngineJob, StreamJob
from studio.running.threaded_worker import ThreadedWorker
from studio.running.worker import WorkerBounds
from studio.timeline import Timeline

__all__ = ["FarWorker"]

AGAIN_SECONDS = 15.0  # between attempts at opening what could not be opened; a request does not wait for the next
CLOSING_SECONDS = 5.0  # for streams to end before the engine is closed, which takes a tenth of a second

log = logging.getLogger("studio")


class FarWorker(ThreadedWorker):
    """As EngineWorker. when_opened(engine): told on a thread of its own, each time that it has been opened. again_seconds: see above."""

    def __init__(
        self,
        info: EngineInfo,
        open_engine: Callable[[], Engine],
        *,
        when_opened: Callable[[Engine], None] = lambda engine: None,
        again_seconds: float = AGAIN_SECONDS,
        **bounds: Unpack[WorkerBounds],
    ):
        super().__init__(info, open_engine, **bounds)
        self._when_opened = when_opened
        self._again_seconds = again_seconds

    def info_for(self, timeline: Timeline) -> EngineInfo:
        """It is opened for that the first time: its languages and built-in speakers are not known before."""
        return self.info if self.extractor is not None else self.load_for(timeline).info

    def _waits(self, job: EngineJob) -> bool:
        return not isinstance(job, StreamJob) or not job.stream.playback.audio_seconds

    def _free_in_seconds(self) -> int:
        return max(1, math.ceil(self._scheduler.opening_seconds))

    def _prepare(self, job: EngineJob, context: Context) -> None:
        if isinstance(job, StreamJob):
            context.run(listening_to, _Stated(job.stream.timeline))

    # --- the engine's thread

    def _work(self) -> None:
        super()._work()
        with self._changed:
            me = threading.current_thread()
            self._changed.wait_for(lambda: self._closing or self._thread is not me or not self._has_failed, self._again_seconds)
            is_wanted = not self._closing and self._thread is me and self._has_failed
        if is_wanted:
            self.begin_loading()

    @property
    def _has_failed(self) -> bool:
        return self._state in ("failed", "unavailable")

    def _opened(self) -> Engine:
        """Raises EngineUnreachable for what says so in no words of its own."""
        try:
            engine = super()._opened()
        except (ConnectionError, TimeoutError) as error:
            raise EngineUnreachable(detail=type(error).__name__, engine=self._info.title) from error
        self._info = engine.info
        return engine

    def _serve(self) -> None:
        self.tell(self._when_opened)
        super()._serve()

    def _cancel_jobs(self) -> None:
        """Streams are over before the engine is closed; calls end by that."""
        super()._cancel_jobs()
        with self._changed:
            if not self._changed.wait_for(lambda: not any(isinstance(job, StreamJob) for job in self._jobs), CLOSING_SECONDS):
                log.warning("%s is closed while a stream of it goes on", self._info.id)


class _Stated:
    """Hears what the engine states of a stream. Of a text that is spoken in several parts the first counts, which is heard first."""

    def __init__(self, timeline: Timeline):
        self._timeline = timeline

    def __call__(self, name: str, value: float) -> None:
        if name == FAR_TTFP and self._timeline.span_seconds("far") is None:
            self._timeline.span("far", value)
