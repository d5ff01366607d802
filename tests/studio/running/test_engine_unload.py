"""EngineWorker: unloading frees the engine, refuses while it is at work, and the next request opens it again."""

import contextlib
import threading

import pytest

from engines.errors import EngineUnavailable
from studio.errors import EngineInUse
from studio.running.lifecycle import EngineStatus, IdleLimit
from studio.running.limits import Limits
from studio.running.offer.memory_check import SMALL_BYTES
from studio.running.stream import EngineStream
from studio.running.worker import EngineWorker
from tests.api.door import Gate
from tests.stand_ins.fake_engine import INFO, FakeEngine
from tests.studio.running.test_engine_worker import speak


class Opener:
    """Opens a new fake engine each time, or fails as told."""

    def __init__(self):
        self.engines: list[FakeEngine] = []
        self.error: Exception | None = None
        self.before_chunk = lambda index: None
        self.before_close = lambda: None
        self.before_open = lambda: None
        self.memory_bytes = 0

    def __call__(self) -> FakeEngine:
        self.before_open()
        if self.error is not None:
            raise self.error
        engine = FakeEngine(before_chunk=self.before_chunk)
        engine.memory_bytes = lambda: self.memory_bytes
        closed = engine.close
        engine.close = lambda: (self.before_close(), closed())
        self.engines.append(engine)
        return engine


@pytest.fixture
def opener():
    return Opener()


@pytest.fixture
def worker(opener):
    worker = EngineWorker(INFO, opener, limits=Limits(8))
    yield worker
    worker.close()


def test_an_unloaded_engine_is_closed_and_idle_and_opens_again_when_wanted(worker, opener):
    first = [chunk.sum() for chunk in speak(worker)]
    worker.unload()
    assert opener.engines[0].closed
    assert (worker.status().state, worker.status().device) == ("idle", "")
    assert [chunk.sum() for chunk in speak(worker)] == first
    assert len(opener.engines) == 2
    assert worker.status().state == "ready"


def test_an_engine_that_speaks_is_not_unloaded_and_speaks_on(worker, opener):
    gate = Gate()
    opener.before_chunk = gate
    stream = speak(worker)
    gate.wait_for_arrival()
    with pytest.raises(EngineInUse, match="at work for somebody"):
        worker.unload()
    gate.open()
    assert len(list(stream)) == 10
    assert not opener.engines[0].closed


def test_an_engine_that_is_being_loaded_is_not_unloaded(worker, opener):
    gate = Gate()
    opener.before_open = gate
    worker.begin_loading()
    gate.wait_for_arrival()
    with pytest.raises(EngineInUse, match="being loaded"):
        worker.unload()
    gate.open()
    worker.load()


def test_whoever_speaks_while_it_is_being_closed_waits_and_is_heard(worker, opener):
    gate = Gate()
    opener.before_close = gate
    worker.load()
    unloading = threading.Thread(target=worker.unload)
    unloading.start()
    gate.wait_for_arrival()
    assert worker.status().state == "unloading"
    heard = []
    speaking = threading.Thread(target=lambda: heard.extend(speak(worker)))
    speaking.start()
    gate.open()
    unloading.join(60)
    speaking.join(60)
    assert len(heard) == 10
    assert [engine.closed for engine in opener.engines] == [True, False]


@pytest.mark.slow
def test_requests_and_unloading_at_once_never_lose_a_request(worker, opener):
    heard = []

    def listen(times: int) -> None:
        for _ in range(times):
            heard.append(len(list(speak(worker))))
            with contextlib.suppress(EngineInUse):
                worker.unload()

    listeners = [threading.Thread(target=listen, args=(times,)) for times in (20, 25, 60)]  # the last is alone in the end
    for thread in listeners:
        thread.start()
    for thread in listeners:
        thread.join(60)
    assert heard == [10] * 105
    assert len(opener.engines) > 10


def test_a_request_whose_engine_is_unloaded_before_it_is_queued_opens_it_again(worker, opener, monkeypatch):
    load, unloads = worker.load, iter([worker.unload])

    def load_and_lose() -> FakeEngine:
        engine = load()
        next(unloads, lambda: None)()
        return engine

    monkeypatch.setattr(worker, "load", load_and_lose)
    assert len(list(speak(worker))) == 10
    assert len(opener.engines) == 2


def test_what_decides_about_prompts_is_known_before_and_after(worker):
    assert worker.extractor is None
    engine = worker.load()
    worker.unload()
    assert worker.extractor.weights_fingerprint == engine.weights_fingerprint


def test_unloading_what_could_not_be_opened_forgets_why(worker, opener):
    opener.error = EngineUnavailable("The weights are not here.", "make weights")
    with pytest.raises(EngineUnavailable):
        worker.load()
    worker.unload()
    assert (worker.status().state, worker.status().reason) == ("idle", "")
    opener.error = None
    assert worker.load()


class Clock:
    """Seconds, as the test says."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def timed(opener, clock):
    """A worker whose engine is unloaded after ten idle minutes."""
    worker = EngineWorker(INFO, opener, limits=Limits(8), idle_limit=IdleLimit(600, clock))
    yield worker
    worker.close()


def at_rest(worker: EngineWorker, stream: EngineStream, state: str = "ready") -> EngineStatus:
    """Once nothing is under way and the worker has looked at the clock, which it does when a listener leaves; waits for that state."""
    with worker._changed:
        assert worker._changed.wait_for(lambda: not worker._jobs, 60)
    stream.close()
    with worker._changed:
        assert worker._changed.wait_for(lambda: worker._state == state, 60)
    return worker.status()


def test_an_engine_that_nobody_wants_for_long_is_unloaded_and_opens_again_when_wanted(timed, opener, clock):
    opener.memory_bytes = SMALL_BYTES
    stream = speak(timed)
    first = [chunk.sum() for chunk in stream]
    assert at_rest(timed, stream).unloads_in_seconds == 600
    clock.now = 400.0
    assert at_rest(timed, stream).unloads_in_seconds == 240  # in minutes, rounded up
    clock.now = 600.0
    assert at_rest(timed, stream, "idle").unloads_in_seconds is None
    assert opener.engines[0].closed
    again = speak(timed)
    assert [chunk.sum() for chunk in again] == first
    assert at_rest(timed, again).unloads_in_seconds == 600  # from its last use on


def test_an_engine_at_work_is_not_idle_however_long_it_takes(timed, opener, clock):
    opener.memory_bytes = SMALL_BYTES
    gate = Gate()
    opener.before_chunk = gate
    stream = speak(timed)
    gate.wait_for_arrival()
    clock.now = 10_000.0
    assert timed.status().unloads_in_seconds is None
    gate.open()
    assert len(list(stream)) == 10
    assert at_rest(timed, stream).unloads_in_seconds == 600


def test_an_engine_that_holds_next_to_nothing_stays(timed, opener, clock):
    opener.memory_bytes = SMALL_BYTES - 1
    stream = speak(timed)
    list(stream)
    clock.now = 10_000.0
    assert at_rest(timed, stream).unloads_in_seconds is None
    assert not opener.engines[0].closed


def test_unloading_what_is_not_loaded_or_closed_changes_nothing(worker):
    worker.unload()
    assert worker.status().state == "idle"
    worker.load()
    worker.close()
    worker.unload()
    assert worker.status().state == "closed"
