"""EngineWorker: one engine and the one thread that uses it. It advances streams between yield points, as many as one step serves."""

import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from typing import TypedDict, TypeVar

import numpy as np

from engines.contract.contract import Engine, EngineInfo, StepResult
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import EngineError, EngineFailed, EngineUnavailable
from studio.errors import EngineBusy, EngineFull, NoAudio, SpeechCancelled
from studio.running.delivery import Delivery
from studio.running.lifecycle import EngineLifecycle, IdleLimit
from studio.running.limits import Limits
from studio.running.scheduler import AdmittingScheduler, EagerScheduler, Scheduler, is_pressing
from studio.running.stream import EngineCall, EngineJob, EngineStream, StreamJob
from studio.timeline import Timeline

__all__ = ["EngineWorker", "WorkerBounds", "closing_error"]

log = logging.getLogger("studio")

T = TypeVar("T")


class WorkerBounds(TypedDict, total=False):
    """What a worker of any kind may be told. availability: why its engine cannot be opened now, None where it can."""

    limits: Limits
    availability: Callable[[], EngineUnavailable | None]


class EngineWorker(EngineLifecycle):
    """Does everything with its engine on one thread, in the order that Turns says."""

    def __init__(
        self,
        info: EngineInfo,
        open_engine: Callable[[], Engine],
        *,
        limits: Limits = Limits(),
        availability: Callable[[], EngineUnavailable | None] = lambda: None,
        idle_limit: IdleLimit = IdleLimit(),
    ):
        super().__init__(info, open_engine, availability, idle_limit)
        self._limits = limits
        self._clock = limits.clock
        self._has_newcomer = False  # who has come since the turn under way began
        self._scheduler: Scheduler = (EagerScheduler if limits.admit == "all" else AdmittingScheduler)(limits.most_wait_seconds)

    @property
    def refines(self) -> bool:
        """Whether its engine makes prompts more alike in this process, see Engine.refine."""
        return self.info.refines

    def is_pressed(self) -> bool:
        """Whether somebody waits for the engine, or would run dry if it had the processor less to itself."""
        with self._changed:
            return any(is_pressing(job, self._clock()) for job in self._jobs)

    def load_for(self, timeline: Timeline) -> Engine:
        """The engine, opened where it was not yet; how long that took is on the timeline of whoever waited."""
        started, was_ready = timeline.now(), self.ready
        opened = self.load()
        if not was_ready:
            timeline.span("load", timeline.now() - started)
        return opened

    def info_for(self, timeline: Timeline) -> EngineInfo:
        """What the engine declares, for a request to be held against. Raises what `load` does, where that is known only then."""
        return self.info

    def carries_one_more(self, expected_seconds: float) -> bool:
        """Whether one more listener of so much audio would not have to wait for others to end. One that is not open is asked by nobody."""
        with self._changed:
            if self._state != "ready":
                return True
            is_full = self._n_waiting() >= self._limits.most_waiting
            return not is_full and self._scheduler.carries_one_more(self._jobs, expected_seconds, self._clock(), self._width)

    def gpu_seconds(self, spoken_seconds: float) -> int | None:
        """Of the visitor's GPU time of the day, about what so much speech takes, with one start; None where no GPU is lent."""
        return None

    def call(self, run: Callable[[Engine], T], *, patience_seconds: float = 0.0) -> "Future[T]":
        """Run on the engine's thread, between the chunks of others.

        patience_seconds: 0 for a caller who waits; else the call goes behind listeners who run dry within this time.
        """
        job = EngineCall(self._clock(), patience_seconds, run=run)
        self._submit(job)
        return job.result

    def tell(self, run: Callable[[Engine], None]) -> bool:
        """What takes next to no time, for whoever needs no answer: no line, no limit, no loading; nothing happens when the engine is not
        open. Whether it is."""
        with self._changed:
            is_open = self._state == "ready" and not self._closing
            if is_open:
                self._accept(EngineCall(self._clock(), is_brief=True, run=run))
            return is_open

    def stream(
        self,
        open_chunks: Callable[[Engine], Iterator[np.ndarray]],
        timeline: Timeline,
        *,
        on_end: Callable[[Engine], None] = lambda engine: None,
        expected_seconds: float = 0.0,
        knows_length: bool = False,
        delivery: Delivery = Delivery(),
    ) -> EngineStream:
        """Queue a stream; its chunks come through the EngineStream, and EngineFull where it waited too long for its first turn.

        on_end runs on the engine's thread after the last chunk. expected_seconds: of audio; knows_length: they are no estimate.
        """
        engine = self.load()
        ahead = self._limits.most_ahead_seconds
        stirred = threading.Event()
        on_wanted = partial(self._wake, stirred)
        stream = EngineStream(engine.info.sample_rate, timeline, most_ahead_seconds=ahead, on_wanted=on_wanted)
        timeline.mark("submitted")
        job = StreamJob(self._clock(), open_chunks=open_chunks, stream=stream, on_end=on_end, delivery=delivery, stirred=stirred)
        job.expected_seconds, job.knows_length = expected_seconds, knows_length
        if delivery.feed is not None:
            delivery.feed.notify(on_wanted)
        self._submit(job)
        return stream

    def begin_closing(self) -> None:
        """Take nothing more, and tell all listeners, whatever the engine is at. Waits for nothing; `close` comes next."""
        with self._changed:
            self._closing = True
            for job in self._jobs:
                if isinstance(job, StreamJob):
                    job.stream.fail(closing_error())
            self._changed.notify_all()

    def _submit(self, job: EngineJob) -> None:
        while not self._took(job):
            self.load()

    def _took(self, job: EngineJob) -> bool:
        """Whether the job is in the queue; not while the engine is not open (it may have been unloaded since it was loaded)."""
        with self._changed:
            if self._closing:
                raise closing_error()
            if self._state != "ready":
                return False
            waiting = self._n_waiting()
            if waiting >= self._limits.most_waiting and not job.goes_on:
                self._n_refused += 1
                raise EngineBusy(self._info.title, waiting, self._free_in_seconds())
            self._accept(job)
            return True

    def _accept(self, job: EngineJob) -> None:
        """Into the queue; wants the lock held."""
        self._jobs.append(job)
        self._has_newcomer |= isinstance(job, StreamJob) and not (job.whole or job.goes_on)
        self._changed.notify_all()

    def _n_waiting(self) -> int:
        return sum(job.begun is None for job in self._jobs if not job.is_brief)

    def _free_in_seconds(self) -> int:
        """When to come back, for one more who may not wait; wants the lock held."""
        return self._scheduler.free_in_seconds(self._jobs, self._clock(), self._width)

    def _wake(self, stirred: threading.Event) -> None:
        """The listener of the job with that event wants more, or is gone."""
        with self._changed:
            self._changed.notify_all()

    # --- the engine's thread

    def _serve(self) -> None:
        while jobs := self._await_turn():
            over = self._advance(jobs)
            with self._changed:
                self._dismiss(over)

    def _await_turn(self) -> list[EngineJob]:
        """What to do next; nothing where it is over, as it is for an engine that nobody has wanted for too long."""
        with self._changed:
            while not self._ending:
                self._has_newcomer = False
                order = self._scheduler.order(self._jobs, self._clock(), self._width)
                has_refused = self._refuse_overdue(order)
                if order:
                    return self._first_of(order)
                if has_refused:
                    continue
                if self._unloads_in() == 0:
                    minutes = (self._idle_limit.seconds or 0.0) / 60
                    log.info("%s is unloaded: nobody has wanted it for %g minutes", self._info.id, minutes)
                    self._begin_unloading()
                else:
                    self._changed.wait(self._looks_again_in())
            return []

    @property
    def _width(self) -> int:
        return max(1, self._serving.width)

    def _first_of(self, order: list[EngineJob]) -> list[EngineJob]:
        """One call, or the most urgent streams that one step serves."""
        streams: list[EngineJob] = [job for job in order if isinstance(job, StreamJob)]
        return streams[: self._width] if isinstance(order[0], StreamJob) else order[:1]

    def _refuse_overdue(self, order: list[EngineJob]) -> bool:
        """Whoever has waited too long for a first turn, and may not have one now, is told so. Whether there was such. Wants the lock held.

        order: those who may be served now.
        """
        now = self._clock()
        there = [job for job in self._jobs if not job.gone]
        late = (job for job in there if now >= self._scheduler.refused_at(job) and job not in order)
        overdue = [job for job in late if isinstance(job, StreamJob)]
        for job in overdue:
            others = [other for other in there if other is not job]
            self._n_refused += 1
            job.stream.fail(EngineFull(self._info.title, len(others), self._scheduler.free_in_seconds(others, now, self._width)))
        if overdue:
            self._dismiss(overdue)
        return bool(overdue)

    def _looks_again_in(self) -> float | None:
        """Seconds until something is to be done though nobody calls: an idle engine unloaded, somebody refused. Wants the lock held."""
        times = [self._scheduler.refused_at(job) - self._clock() for job in self._jobs]
        times += [seconds for seconds in [self._unloads_in()] if seconds is not None]
        soonest = min(times, default=math.inf)
        return None if soonest == math.inf else max(0.0, soonest)

    def _advance(self, jobs: list[EngineJob]) -> list[EngineJob]:
        """One turn of these jobs; those that are over. Nothing a job does can end the thread."""
        if isinstance(call := jobs[0], EngineCall):
            started = self._clock()
            if self._engine is None:  # it was closed meanwhile, and whoever waits is told so
                return []
            call.answer(self._engine)
            if not call.is_brief:
                with self._changed:
                    self._scheduler.learn_call(self._clock() - started)
            return jobs
        streams = [job for job in jobs if isinstance(job, StreamJob)]
        hung_up = [job for job in streams if job.stream.closed]
        for job in hung_up:
            self._end_stream(job)
        return [*hung_up, *self._advance_streams([job for job in streams if job not in hung_up])]

    def _advance_streams(self, jobs: list[StreamJob]) -> list[StreamJob]:
        """One step for all of them; each is charged its share of the time. Those that are over."""
        started, heard_before = self._clock(), [job.stream.playback.audio_seconds for job in jobs]
        ended, share, over, charged = started, 0.0, list[StreamJob](), dict[StreamJob, float]()
        for job, result in self._stepped(jobs):
            now = self._clock()
            share += (now - ended) / (len(jobs) - len(over))
            job.served, ended, charged[job] = started, now, share
            job.stream.timeline.compute_seconds += share
            if self._took_result(job, result):
                over.append(job)
        for job in jobs:
            job.stream.timeline.compute_seconds += 0.0 if job in over else share - charged.get(job, 0.0)
        if jobs and (len(charged) == len(jobs) or not all(heard_before)):
            with self._changed:
                self._scheduler.learn_step(jobs, heard_before, ended - started)
        return over

    def _stepped(self, jobs: list[StreamJob]) -> Iterator[tuple[StreamJob, StepResult]]:
        """What a step gives each of them, as it comes: a first sound is not kept back by pieces of others. A newcomer ends the turn, where
        those who have had none can have it later, see Engine.advance."""
        refused = {job: error for job in jobs if (error := self._begin(job)) is not None}
        yield from refused.items()
        left = deque(job for job in jobs if job not in refused)
        try:
            stepped = self._serving.advance([job.chunks for job in left if job.chunks is not None]) if left else ()
            for job, result in zip(tuple(left), stepped, strict=True):
                left.popleft()
                yield job, result
                if self._has_newcomer and isinstance(stepped, Iterator):
                    return
        except Exception as error:
            yield from ((job, error) for job in left)

    def _begin(self, job: StreamJob) -> Exception | None:
        """Open the stream, where it is new; the error, where it cannot be."""
        if job.begun is not None:
            return None
        job.begun = self._clock()
        with self._changed:
            self._n_begun += 1
        self._mark_begun(job)
        try:
            job.chunks = job.open_chunks(self._serving)
        except Exception as error:
            return error
        return None

    def _mark_begun(self, job: StreamJob) -> None:
        job.stream.timeline.mark("started")

    def _took_result(self, job: StreamJob, result: StepResult) -> bool:
        """Hand on what a step gave a stream; whether that was the last."""
        stream, error = job.stream, None
        try:
            if isinstance(result, np.ndarray):
                self._offer(stream, _checked(result, self._info.title))
                return False
            if isinstance(result, Exception):
                raise result
            if not stream.playback.audio_seconds:
                raise NoAudio(engine=self._info.title)
            if result.reason == ENDED.reason:
                with self._changed:
                    self._scheduler.learn_length(job)
        except Exception as failure:
            error = self._failure_of(failure)
        self._end_stream(job, error, self._named(result) if isinstance(result, SpeechEnd) else None)
        return True

    def _failure_of(self, error: Exception) -> EngineError:
        """An engine's error as the listener is told it; anything else means that the engine is at fault."""
        title = self._info.title
        if isinstance(error, EngineError):
            return error.of_engine(title)
        failure = EngineFailed.at(error, title)
        failure.__cause__ = error
        return failure

    def _named(self, end: SpeechEnd) -> SpeechEnd:
        """The same end, which says whose it is where people are told of it."""
        return replace(end, values={**end.values, "engine": self._info.title}) if end.warning else end

    def _offer(self, stream: EngineStream, chunk: np.ndarray) -> None:
        if len(chunk):  # else a yield point
            stream.offer(chunk)

    def _end_stream(self, job: StreamJob, error: BaseException | None = None, end: SpeechEnd | None = None) -> None:
        """Close the engine's side and tell the listener."""
        try:
            getattr(job.chunks, "close", lambda: None)()  # an iterator that is no generator has nothing to close
            if self._engine is not None:  # which a job that has its own thread may outlive
                job.on_end(self._engine)
        except Exception:  # the speech is over either way; the engine's thread must live on for the others
            log.exception("%s failed while a stream was being closed", self._info.id)
        job.stream.finish(end) if error is None else job.stream.fail(error)

    def _cancel_jobs(self) -> None:
        for job in self._jobs:
            if isinstance(job, EngineCall):
                job.result.set_exception(closing_error())
            elif isinstance(job, StreamJob):
                self._end_stream(job, closing_error())
        self._jobs.clear()


def _checked(chunk: np.ndarray, title: str) -> np.ndarray:
    """The chunk, float32 (T,). An engine that yields anything else has failed: noise at full scale is never passed on."""
    if chunk.ndim != 1 or chunk.dtype != np.float32:
        raise EngineFailed(
            sentence="engine_broke", detail=f"it yielded {chunk.dtype} of shape {chunk.shape}; chunks are float32 (T,)", engine=title
        )
    if not np.isfinite(chunk).all():
        raise NoAudio(
            hint="Try again with another seed.", detail="its samples are not numbers", sentence="no_audio_but_noise", engine=title
        )
    return chunk


def closing_error() -> SpeechCancelled:
    """What whoever waits is told when the studio closes."""
    return SpeechCancelled(sentence="studio_closing")
