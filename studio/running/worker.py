"""EngineWorker: one engine and the one thread that uses it. Streams are advanced between yield points, as many as one step serves."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Literal, TypeVar

import numpy as np

from engines.contract import Advanced, Engine, EngineInfo
from engines.errors import EngineError, EngineFailed, EngineUnavailable
from engines.speech_end import SpeechEnd
from studio.errors import EngineBusy, EngineInUse, NoAudio, SpeechCancelled
from studio.prompt_key import Extractor
from studio.running.job import EngineJob
from studio.running.stream import EngineStream
from studio.timeline import Timeline

__all__ = ["EngineState", "EngineStatus", "EngineWorker"]

log = logging.getLogger("studio")

EngineState = Literal["idle", "loading", "ready", "unloading", "failed", "unavailable", "closed"]
T = TypeVar("T")


@dataclass(frozen=True)
class EngineStatus:
    """What people and /health see of one engine. reason, hint and command say what is wrong and what mends it.

    unload: the engine that would have to go for this one to fit, where that is what is wrong.
    """

    info: EngineInfo
    state: EngineState
    reason: str = ""
    hint: str = ""
    command: str = ""
    unload: str = ""
    device: str = ""
    load_seconds: float | None = None
    memory_bytes: int = 0
    waiting: int = 0
    streaming: int = 0


class EngineWorker:
    """Loads its engine when it is first wanted, and does everything with it on one thread. Unloaded, it loads again when it is wanted.

    open_engine: gives the engine, on the worker's thread. most_waiting: jobs that may wait for their first turn; beyond it EngineBusy.
    availability: what is known to be missing before anybody has tried to open it; asked for every status of an idle engine, so cheap.
    """

    def __init__(
        self,
        info: EngineInfo,
        open_engine: Callable[[], Engine],
        *,
        most_waiting: int,
        most_ahead_seconds: float,
        availability: Callable[[], EngineUnavailable | None] = lambda: None,
    ):
        self._info = info
        self._open_engine = open_engine
        self._availability = availability
        self._most_waiting = most_waiting
        self._most_ahead_seconds = most_ahead_seconds
        self._changed = threading.Condition()
        self._jobs: list[EngineJob] = []
        self._engine: Engine | None = None
        self._extractor: Extractor | None = None
        self._state: EngineState = "idle"
        self._failure: EngineError | None = None
        self._load_seconds: float | None = None
        self._closing = False
        self._thread: threading.Thread | None = None
        self._serving_seconds = 0.1  # running mean of what a call takes, and a stream to its first audio, for Retry-After

    # --- loading

    def load(self) -> Engine:
        """The opened engine, waiting for it. Raises EngineUnavailable or EngineFailed; a later call tries again."""
        with self._changed:
            while True:  # it may be unloaded again before we look
                self.begin_loading()
                self._changed.wait_for(lambda: self._state != "loading")
                if self._state == "ready":
                    return self._engine
                if self._failure is not None:
                    raise self._failure
                if self._closing:
                    raise SpeechCancelled("The studio is closing.")

    def begin_loading(self) -> None:
        """Start opening the engine, if it is not open or being opened. Waits while it is being closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._state != "unloading")
            if self._closing or self._state in ("loading", "ready"):
                return
            self._state, self._failure = "loading", None
            self._thread = threading.Thread(target=self._work, name=f"engine-{self._info.id}", daemon=True)
            self._thread.start()

    def unload(self) -> None:
        """Close the engine and free its memory; the next request opens it again. Of one that could not be opened, forget why.

        Raises EngineInUse while it is loading, speaking or extracting.
        """
        with self._changed:
            if self._state in ("unloading", "closed") or self._closing:
                return
            if self._state == "loading":
                raise EngineInUse(self.info.title, "being loaded")
            if self._jobs:
                raise EngineInUse(self.info.title, _said_of(len(self._jobs)))
            if self._state != "ready":
                self._state, self._failure = "idle", None
                return
            self._state = "unloading"
            self._changed.notify_all()
        self._thread.join()

    @property
    def extractor(self) -> Extractor | None:
        """What decides about the prompts of the engine; None before it was opened for the first time."""
        return self._extractor

    @property
    def info(self) -> EngineInfo:
        """What the engine declares: the opened one's own word, else the catalog's."""
        engine = self._engine
        return engine.info if engine else self._info

    @property
    def ready(self) -> bool:
        return self._state == "ready"

    def status(self) -> EngineStatus:
        lacking = self._availability() if self._state == "idle" else None
        with self._changed:
            engine, failure, state = self._engine, self._failure, self._state
            if lacking is not None and state == "idle":
                failure, state = lacking, "unavailable"
            waiting = self._n_waiting()
            return EngineStatus(
                info=self.info,
                state=state,
                reason=failure.fact if failure else "",
                hint=failure.hint if failure else "",
                command=getattr(failure, "command", ""),
                unload=getattr(failure, "unload", ""),
                device=engine.device if engine else "",
                load_seconds=self._load_seconds,
                memory_bytes=engine.memory_bytes() if engine else 0,
                waiting=waiting,
                streaming=len(self._jobs) - waiting,
            )

    # --- work

    def call(self, run: Callable[[Engine], T], *, patience_seconds: float = 0.0) -> "Future[T]":
        """Run on the engine's thread, between the chunks of others.

        patience_seconds: 0 for a caller who waits; else the call goes behind listeners who run dry within this time.
        """
        job = EngineJob(time.perf_counter(), patience_seconds, run=run)
        self._submit(job)
        return job.result

    def tell(self, run: Callable[[Engine], None]) -> None:
        """Like `call` for whoever needs no answer: no limit, no loading; nothing happens when the engine is not open."""
        with self._changed:
            if self._state == "ready" and not self._closing:
                self._jobs.append(EngineJob(time.perf_counter(), run=run))
                self._changed.notify_all()

    def stream(
        self,
        open_chunks: Callable[[Engine], Iterator[np.ndarray]],
        timeline: Timeline,
        *,
        on_end: Callable[[Engine], None] = lambda engine: None,
    ) -> EngineStream:
        """Queue a stream; its chunks come through the EngineStream. on_end runs on the engine's thread after the last chunk."""
        engine = self.load()
        stream = EngineStream(engine.info.sample_rate, timeline, most_ahead_seconds=self._most_ahead_seconds, on_wanted=self._wake)
        timeline.mark("submitted")
        self._submit(EngineJob(time.perf_counter(), open_chunks=open_chunks, stream=stream, on_end=on_end))
        return stream

    def close(self) -> None:
        """Cancel everything, close the engine, end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()
        with self._changed:
            self._state = "closed"
            self._changed.notify_all()

    def _submit(self, job: EngineJob) -> None:
        while not self._took(job):
            self.load()

    def _took(self, job: EngineJob) -> bool:
        """Whether the job is in the queue; not while the engine is not open (it may have been unloaded since it was loaded)."""
        with self._changed:
            if self._closing:
                raise SpeechCancelled("The studio is closing.")
            if self._state != "ready":
                return False
            waiting = self._n_waiting()
            if waiting >= self._most_waiting:
                raise EngineBusy(self._info.id, waiting, retry_after_seconds=max(1, round(waiting * self._serving_seconds)))
            self._jobs.append(job)
            self._changed.notify_all()
            return True

    def _n_waiting(self) -> int:
        """Jobs that have not had their first turn; wants the lock held."""
        return sum(job.stream is None or job.chunks is None for job in self._jobs)

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    # --- the engine's thread

    def _work(self) -> None:
        if not self._open():
            return
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._ending or any(job.runnable for job in self._jobs))
                if self._ending:
                    break
                jobs = self._next_turn()
            over = self._advance(jobs)
            with self._changed:
                self._jobs = [job for job in self._jobs if job not in over]
        self._shut_down()

    def _next_turn(self) -> list[EngineJob]:
        """What to do next: one call, or the most urgent streams that one step serves; wants the lock held."""
        runnable = sorted((job for job in self._jobs if job.runnable), key=lambda job: job.urgency)
        if runnable[0].stream is None:
            return runnable[:1]
        return [job for job in runnable if job.stream is not None][: max(1, self._engine.width)]

    @property
    def _ending(self) -> bool:
        return self._closing or self._state == "unloading"

    def _open(self) -> bool:
        started = time.perf_counter()
        engine, failure, state = None, None, "ready"
        try:
            engine = self._open_warm()
        except EngineUnavailable as error:
            failure, state = error, "unavailable"
        except EngineError as error:
            failure, state = error, "failed"
        except Exception as error:
            failure, state = EngineFailed(f"{self._info.title} could not be opened: {error}."), "failed"
            failure.__cause__ = error
        with self._changed:
            self._engine, self._failure, self._state = engine, failure, state
            self._load_seconds = time.perf_counter() - started if engine else None
            self._extractor = Extractor.of(engine) if engine else self._extractor
            self._changed.notify_all()
        return engine is not None

    def _open_warm(self) -> Engine:
        engine = self._open_engine()
        try:
            engine.warmup()
        except BaseException:
            engine.close()
            raise
        return engine

    def _advance(self, jobs: list[EngineJob]) -> list[EngineJob]:
        """One turn of these jobs; those that are over. Nothing a job does can end the thread."""
        started = time.perf_counter()
        if jobs[0].stream is None:
            jobs[0].answer(self._engine)
            self._learn_serving(time.perf_counter() - started)
            return jobs
        hung_up = [job for job in jobs if job.stream.closed]
        for job in hung_up:
            self._end_stream(job)
        return hung_up + self._advance_streams([job for job in jobs if job not in hung_up])

    def _advance_streams(self, jobs: list[EngineJob]) -> list[EngineJob]:
        """One step for all of them; each is charged its share of the time. Those that are over."""
        started = time.perf_counter()
        results = {job: error for job in jobs if (error := self._begin(job)) is not None}
        going_on = [job for job in jobs if job not in results]
        try:
            stepped = self._engine.advance([job.chunks for job in going_on]) if going_on else []
            results |= zip(going_on, stepped, strict=True)
        except Exception as error:
            results |= dict.fromkeys(going_on, error)
        share = (time.perf_counter() - started) / max(1, len(jobs))
        for job in jobs:
            job.stream.timeline.compute_seconds += share
        return [job for job in jobs if self._took_result(job, results[job])]

    def _begin(self, job: EngineJob) -> Exception | None:
        """Open the stream, where it is new; the error, where it cannot be."""
        if job.chunks is not None:
            return None
        job.stream.timeline.mark("started")
        try:
            job.chunks = job.open_chunks(self._engine)
        except Exception as error:
            return error
        return None

    def _took_result(self, job: EngineJob, result: Advanced) -> bool:
        """Hand on what a step gave a stream; whether that was the last."""
        stream, error = job.stream, None
        try:
            if isinstance(result, np.ndarray):
                self._offer(stream, _checked(result))
                return False
            if isinstance(result, Exception):
                raise result
            if not stream.playback.audio_seconds:
                raise NoAudio(f"{self._info.title} produced no audio for this text.", "Try another text.")
        except Exception as failure:
            error = self._failure_of(failure)
        self._end_stream(job, error, result if isinstance(result, SpeechEnd) else None)
        return True

    def _failure_of(self, error: Exception) -> EngineError:
        """An engine's error as the listener is told it; anything else means that the engine is at fault."""
        if isinstance(error, EngineError):
            return error
        failure = EngineFailed(f"{self._info.title} failed: {error}.", "Try again; if it fails again, report the text and the engine.")
        failure.__cause__ = error
        return failure

    def _offer(self, stream: EngineStream, chunk: np.ndarray) -> None:
        if not len(chunk):
            return  # a yield point
        if not stream.playback.audio_seconds:
            self._learn_serving(stream.timeline.compute_seconds)
        stream.offer(chunk)

    def _end_stream(self, job: EngineJob, error: BaseException | None = None, end: SpeechEnd | None = None) -> None:
        """Close the engine's side and tell the listener."""
        try:
            if job.chunks is not None and hasattr(job.chunks, "close"):
                job.chunks.close()
            job.on_end(self._engine)
        except Exception:  # the speech is over either way; the engine's thread must live on for the others
            log.exception("%s failed while a stream was being closed", self._info.id)
        job.stream.finish(end) if error is None else job.stream.fail(error)

    def _learn_serving(self, seconds: float) -> None:
        self._serving_seconds += 0.2 * (seconds - self._serving_seconds)

    def _shut_down(self) -> None:
        for job in self._jobs:
            closing = SpeechCancelled("The studio is closing.")
            if job.stream is None:
                job.result.set_exception(closing)
            else:
                self._end_stream(job, closing)
        self._jobs.clear()
        try:
            self._engine.close()
        finally:
            with self._changed:
                self._engine = None
                self._state = "idle" if self._state == "unloading" else self._state
                self._changed.notify_all()


def _said_of(n_jobs: int) -> str:
    return "at work for one request" if n_jobs == 1 else f"at work for {n_jobs} requests"


def _checked(chunk: np.ndarray) -> np.ndarray:
    """The chunk, float32 (T,). An engine that yields anything else has failed: noise at full scale is never passed on."""
    if chunk.ndim != 1 or chunk.dtype != np.float32:
        raise EngineFailed(f"The engine yielded {chunk.dtype} of shape {chunk.shape}; chunks are float32 (T,).")
    if not np.isfinite(chunk).all():
        raise NoAudio("The engine produced samples that are not numbers.", "Try again with another seed.")
    return chunk
