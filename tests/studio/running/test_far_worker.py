"""FarWorker: a thread for each stream and call, so that none waits for another; bounds, rests, hang-ups, failures, opening again."""

import threading
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import replace

import numpy as np
import pytest

from engines.contract.contract import YIELD_POINT
from engines.contract.health import WELL, EngineHealth
from engines.contract.speech_end import SpeechEnd
from engines.contract.stream_figures import FAR_TTFP, state
from engines.errors import EngineFailed, EngineUnreachable
from studio.errors import EngineBusy, EngineInUse, NoAudio, SpeechCancelled
from studio.running.far_worker import FarWorker
from studio.running.limits import Limits
from studio.running.pool import EnginePool
from studio.running.stream import EngineStream
from studio.running.worker import EngineWorker
from studio.settings import Settings
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, INFO, FakeEngine
from tests.studio.running.test_engine_worker import TEXT, speak

FAR = replace(INFO, runs="elsewhere")
N_STREAMS = 8
CHUNK = np.full(CHUNK_SAMPLES, 0.1, np.float32)


@pytest.fixture
def work():
    """work(engine, **limits) -> FarWorker; all are closed after the test."""
    workers = []

    def start(engine: FakeEngine | None = None, *, open_engine=None, again_seconds: float = 60.0, when_opened=None, **limits) -> FarWorker:
        opened = open_engine or (lambda: engine or FakeEngine(FAR))
        told = {"when_opened": when_opened} if when_opened else {}
        workers.append(FarWorker(FAR, opened, limits=Limits(**limits), again_seconds=again_seconds, **told))
        return workers[-1]

    yield start
    for worker in workers:
        worker.close()


class Held:
    """Streams that wait as far ones do, with yield points, until `go` is set; then `n_chunks` come."""

    def __init__(self, n_chunks: int = 1):
        self.go, self.closed, self.waiting = threading.Event(), threading.Semaphore(0), threading.Semaphore(0)
        self.n_chunks = n_chunks
        self.n_made = 0

    def chunks(self):
        try:
            self.waiting.release()
            while not self.go.wait(0.01):
                yield YIELD_POINT
            for _ in range(self.n_chunks):
                self.n_made += 1
                yield CHUNK
        finally:
            self.closed.release()

    def begun_on(self, worker: EngineWorker):
        """One of them, that waits by now."""
        stream = worker.stream(lambda engine: self.chunks(), Timeline())
        assert self.waiting.acquire(timeout=60)
        return stream


def test_eight_streams_wait_for_the_far_side_all_at_once(work):
    together = threading.Barrier(N_STREAMS)

    def chunks():
        together.wait(60)  # which opens only where all of them are being advanced
        yield CHUNK

    worker = work()
    streams = [worker.stream(lambda engine: chunks(), Timeline()) for _ in range(N_STREAMS)]
    assert [len(list(stream)) for stream in streams] == [1] * N_STREAMS


def test_a_call_holds_up_no_stream_and_a_stream_no_call(work):
    go_on = threading.Event()
    worker = work()
    call = worker.call(lambda engine: go_on.wait(60))
    assert len(list(speak(worker))) == 10 and not call.done()
    held = Held()
    stream = held.begun_on(worker)
    go_on.set()
    assert call.result(60) and worker.call(lambda engine: "other").result(60) == "other"
    held.go.set()
    assert len(list(stream)) == 1


def test_what_has_no_audio_yet_is_bounded_and_what_is_told_waits_for_nobody(work):
    held, heard = Held(), Held(n_chunks=1000)
    heard.go.set()
    worker = work(most_waiting=2, most_ahead_seconds=0.1)
    listened = []
    for _ in range(3):
        listened.append(heard.begun_on(worker))
        next(listened[-1])  # heard by now, so it counts no more
    waiting = [held.begun_on(worker) for _ in range(2)]
    told = threading.Event()
    for refused in (lambda: held.begun_on(worker), lambda: worker.call(lambda engine: None)):
        with pytest.raises(EngineBusy) as busy:
            refused()
        assert busy.value.retry_after_seconds >= 1
    assert worker.tell(lambda engine: told.set()) and told.wait(60)
    status = worker.status()
    assert (status.waiting, status.streaming, status.begun, status.refused) == (2, 3, 5, 2)
    held.go.set()
    assert [len(list(stream)) for stream in waiting] == [1, 1]
    for stream in listened:
        stream.close()
    for _ in range(3):
        assert heard.closed.acquire(timeout=60)


def test_nothing_more_is_taken_of_a_stream_whose_listener_has_enough(work):
    held = Held(n_chunks=50)
    held.go.set()
    worker = work(most_ahead_seconds=0.4)
    slow = held.begun_on(worker)
    next(slow)
    assert len(list(speak(worker))) == 10  # nobody is held up by who rests
    assert held.n_made <= 7
    assert len(list(slow)) == 49


def test_who_hangs_up_has_the_stream_closed_while_it_waits_and_while_it_rests(work):
    waits, rests = Held(), Held(n_chunks=1000)
    rests.go.set()
    worker = work(most_ahead_seconds=0.4)
    for held in (waits, rests):
        ended = threading.Event()
        stream = worker.stream(lambda engine, held=held: held.chunks(), Timeline(), on_end=lambda engine, ended=ended: ended.set())
        assert held.waiting.acquire(timeout=60)
        stream.close()
        assert held.closed.acquire(timeout=60) and ended.wait(60)
        assert stream.end.reason == "cancelled"


def test_samples_errors_and_ends_are_told_as_those_of_an_engine_here(work):
    engine = FakeEngine(FAR, fail_at_chunk=3)
    worker = work(engine)
    cases = (([], NoAudio), ([np.full(9, np.nan, np.float32)], NoAudio), ([YIELD_POINT], NoAudio))
    cases += (([np.zeros(9)], EngineFailed), ([np.zeros((2, 5), np.float32)], EngineFailed), ([None], EngineFailed))
    for chunks, error in cases:
        with pytest.raises(error):
            next(worker.stream(lambda engine, chunks=chunks: iter(chunks), Timeline()))

    def unreachable(engine):
        raise EngineUnreachable("Nobody is there.")

    with pytest.raises(EngineUnreachable):
        next(worker.stream(unreachable, Timeline()))
    heard, failing = [], speak(worker)
    with pytest.raises(EngineFailed, match="told to fail"):
        heard.extend(failing)
    assert len(heard) == 3

    def capped():
        yield CHUNK
        return SpeechEnd("capped")

    stream = worker.stream(lambda engine: capped(), Timeline())
    assert len(list(stream)) == 1 and stream.end.reason == "capped"


def test_closing_ends_all_and_streams_before_the_engine(work):
    order, go_on = [], threading.Event()
    engine = FakeEngine(FAR)
    engine.close = lambda: (order.append("engine"), go_on.set())
    worker, held = work(engine), Held()
    stream = worker.stream(lambda engine: held.chunks(), Timeline(), on_end=lambda engine: order.append("stream"))
    assert held.waiting.acquire(timeout=60)
    call = worker.call(lambda engine: go_on.wait(60))
    worker.close()
    assert order == ["stream", "engine"] and worker.status().state == "closed"
    for refused in (lambda: list(stream), lambda: call.result(60), lambda: speak(worker)):
        with pytest.raises(SpeechCancelled):
            refused()
    assert not worker.tell(lambda engine: None)


def test_why_a_stream_ended_stays_what_it_was_told_first():
    for first, reason in ((lambda stream: stream.finish(), "ended"), (lambda stream: stream.close(), "cancelled")):
        stream = EngineStream(24_000, Timeline(), most_ahead_seconds=1.0, on_wanted=lambda: None)
        first(stream)
        stream.fail(EngineFailed("It was closed meanwhile."))
        assert stream.end.reason == reason
        if reason == "ended":
            assert list(stream) == []
        else:
            with pytest.raises(SpeechCancelled):
                next(stream)


def test_it_is_unloaded_only_while_unused_and_what_it_declared_stays_known(work):
    told = replace(FAR, presets=("tone", "far"))
    worker, held = work(FakeEngine(told)), Held()
    assert worker.info.presets == ("tone",)
    stream = held.begun_on(worker)
    with pytest.raises(EngineInUse):
        worker.unload()
    held.go.set()
    list(stream)
    with worker._changed:
        assert worker._changed.wait_for(lambda: not worker._jobs, 60)
    worker.unload()
    assert (worker.status().state, worker.info.presets) == ("idle", ("tone", "far"))
    assert len(list(speak(worker))) == 10


def test_what_cannot_be_opened_is_opened_by_itself_later_unless_it_was_unloaded(work):
    tries, opened = [], threading.Event()

    def open_engine():
        tries.append(1)
        if len(tries) < 3:
            raise EngineUnreachable("Nobody is there.")
        return FakeEngine(FAR)

    worker = work(open_engine=open_engine, again_seconds=0.0, when_opened=lambda engine: opened.set())
    worker.begin_loading()
    assert opened.wait(60) and len(tries) == 3 and worker.ready
    worker = work(open_engine=lambda: open_engine() and None, again_seconds=60.0)
    tries.clear()
    with pytest.raises(EngineUnreachable):
        worker.load()
    waiting = worker._thread
    worker.unload()
    with worker._changed:
        worker._changed.notify_all()  # as anything that changes does
    waiting.join(60)
    assert (worker.status().state, len(tries)) == ("idle", 1)


def test_a_connection_that_fails_at_opening_means_that_nobody_can_be_reached(work):
    for error in (ConnectionRefusedError("no"), TimeoutError()):

        def open_engine(error=error):
            raise error

        worker = work(open_engine=open_engine)
        with pytest.raises(EngineUnreachable) as refused:
            worker.load()
        assert refused.value.retry_after_seconds >= 1 and worker.status().code == "engine_unreachable"


def test_who_asks_does_not_wait_for_the_next_attempt(work):
    tries = []

    def open_engine():
        tries.append(1)
        if len(tries) == 1:
            raise EngineUnreachable("Nobody is there.")
        return FakeEngine(FAR)

    worker = work(open_engine=open_engine, again_seconds=3600.0)
    with pytest.raises(EngineUnreachable):
        worker.load()
    assert len(list(speak(worker))) == 10


def test_what_the_engine_states_of_a_stream_is_on_that_streams_timeline_alone(work):
    together = threading.Barrier(2)

    def chunks(seconds: float):
        together.wait(60)
        state(FAR_TTFP, seconds)
        yield CHUNK
        state(FAR_TTFP, 9.0)  # of the text's second part
        state("other", 1.0)
        yield CHUNK

    worker = work()
    streams = [worker.stream(lambda engine, seconds=seconds: chunks(seconds), Timeline()) for seconds in (0.25, 0.5)]
    for stream in streams:
        list(stream)
    assert [stream.timeline.stages()["far"] for stream in streams] == [0.25, 0.5]
    stages = list(streams[0].timeline.stages())
    assert stages[stages.index("first_chunk") + 1] == "far"
    assert "far;dur=250.00" in streams[0].timeline.server_timing() and streams[0].timeline.summary()["far_ms"] == 250.0


def test_a_job_has_the_context_of_whoever_asked(work):
    visitor: ContextVar[str] = ContextVar("visitor")
    visitor.set("somebody")
    assert work().call(lambda engine: visitor.get()).result(60) == "somebody"


@pytest.mark.slow
def test_many_streams_at_once_are_each_counted_and_whole(work):
    worker = work(most_waiting=64)
    with ThreadPoolExecutor(16) as listeners:
        lengths = listeners.map(lambda _: len(list(speak(worker, TEXT))), range(64))
        assert set(lengths) == {10}
    assert worker.status().begun == 64


def test_the_pool_serves_by_where_an_engine_runs_and_tells_how_well_it_is():
    down = EngineHealth("down", "Both servers are gone.")
    engine, opened = FakeEngine(FAR), threading.Event()
    engine.health = lambda: down
    infos = {"fake": FAR, "here": replace(INFO, id="here")}
    pool = EnginePool(infos, lambda name, check_memory: engine, Settings())
    pool.when_opened(lambda name, its: opened.set() if its is engine else None)
    try:
        assert [isinstance(pool.worker(name), FarWorker) for name in infos] == [True, False]
        assert {status.health for status in pool.statuses()} == {WELL}
        pool.worker("fake").load()
        assert opened.wait(60)
        assert [status.health for status in pool.statuses()] == [down, WELL]
    finally:
        pool.close()
