"""Batched steps: the worker gives an engine as many streams at a time as one step serves, the most urgent first."""

import threading
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pytest

from engines.contract.contract import YIELD_POINT
from engines.errors import EngineFailed, TextUnspeakable
from studio.errors import SpeechCancelled
from studio.running.worker import EngineWorker
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, FakeEngine

CHUNK = np.full(CHUNK_SAMPLES, 0.1, np.float32)
PATIENCE_SECONDS = 60


class Steps(FakeEngine):
    """Serves three streams a step, notes which, and does the first step when it is let go."""

    width = 3

    def __init__(self, before_step: Callable[[int], None] = lambda index: None):
        super().__init__()
        self.go, self.steps, self._before_step = threading.Event(), [], before_step

    def advance(self, streams: Sequence) -> list:
        assert self.go.wait(PATIENCE_SECONDS)
        self._before_step(len(self.steps))
        self.steps.append([stream.gi_frame.f_locals["name"] if stream.gi_frame else "" for stream in streams])
        return super().advance(streams)


def chunks(name: str, n: int, fails_with: Exception | None = None):
    for _ in range(n):
        yield CHUNK
    if fails_with is not None:
        raise fails_with


def speak(worker: EngineWorker, name: str, n: int = 2, fails_with: Exception | None = None, clock: float = 0.0):
    return worker.stream(lambda engine: chunks(name, n, fails_with), Timeline(clock=lambda: clock))


def test_a_step_serves_as_many_as_the_engine_says_and_the_most_urgent_first(work):
    """Listeners on clocks that stand still: all begin before any goes on, and then who runs dry sooner goes first."""
    engine = Steps()
    worker = work(engine)
    streams = [speak(worker, name, clock=clock) for name, clock in (("d", 40.0), ("c", 30.0), ("b", 20.0), ("a", 10.0))]
    engine.go.set()
    for stream in streams:
        list(stream)
    assert engine.steps[0] == ["d", "c", "b"] or engine.steps[0] == ["d"]  # whether the others had come by then
    begun = [name for step in engine.steps for name in step[:1]]
    assert begun[0] == "d"
    assert all(len(step) <= Steps.width for step in engine.steps)
    assert ["a", "b", "c"] in engine.steps, "of four who have heard something, the three who run dry first"


def test_who_comes_joins_at_the_next_step_ahead_of_who_has_heard_something(work):
    newcomers = []

    def before_step(index: int) -> None:
        if index == 1:
            newcomers.append(speak(worker, "new"))

    engine = Steps(before_step)
    worker = work(engine, admit="all")
    old = speak(worker, "old", n=4)
    engine.go.set()
    assert len(list(old)) == 4
    assert len(list(newcomers[0])) == 2
    assert engine.steps[:3] == [["old"], ["old"], ["new", "old"]]


def test_each_is_charged_its_share_of_a_step(work):
    """By a clock that moves while the engine is at a step: all shares together are the time of all steps."""
    now = [0.0]

    class Slow(Steps):
        def advance(self, streams: Sequence) -> list:
            now[0] += 3.0
            return super().advance(streams)

    engine = Slow()
    worker = work(engine, admit="all", clock=lambda: now[0])
    streams = [speak(worker, name) for name in "abc"]
    engine.go.set()
    for stream in streams:
        list(stream)
    assert max(map(len, engine.steps)) == Steps.width
    charged = [stream.timeline.compute_seconds for stream in streams]
    assert min(charged) > 0 and sum(charged) == pytest.approx(now[0])


def test_what_comes_first_is_handed_on_while_others_have_their_turn(work):
    """A first sound waits for no piece of anybody else: here the other's is made when it has been heard."""
    begun, heard = threading.Event(), threading.Event()

    def goes_on():
        yield CHUNK
        while not begun.is_set():
            yield YIELD_POINT
        assert heard.wait(PATIENCE_SECONDS)
        yield CHUNK

    def begins():
        begun.set()
        yield CHUNK

    engine = FakeEngine()
    engine.width = 2
    worker = work(engine, admit="all", most_ahead_seconds=1e9)
    other = worker.stream(lambda engine: goes_on(), Timeline())
    next(other)
    newcomer = worker.stream(lambda engine: begins(), Timeline())
    assert len(next(newcomer)) == CHUNK_SAMPLES
    heard.set()
    assert (len(list(newcomer)), len(list(other))) == (0, 1)


@pytest.mark.parametrize("kind", [iter, list])
def test_a_newcomer_comes_before_whoever_has_not_had_their_turn_where_that_can_be_had_later(kind, work):
    events, newcomers = [], []

    def goes_on(name: str):
        yield CHUNK
        events.append(name)
        if not newcomers:
            newcomers.append(worker.stream(lambda engine: begins("new"), Timeline()))
        yield CHUNK

    def begins(name: str):
        events.append(name)
        yield CHUNK

    class Kind(Steps):
        def advance(self, streams: Sequence) -> Iterable:
            return kind(super().advance(streams))

    engine = Kind()
    worker = work(engine, admit="all", most_ahead_seconds=1e9)
    speak(worker, "holds the turn until both are there", 1)
    first, second = [worker.stream(lambda engine, name=name: goes_on(name), Timeline(clock=lambda: 0.0)) for name in ("first", "second")]
    engine.go.set()
    assert (len(list(first)), len(list(second)), len(list(newcomers[0]))) == (2, 2, 1)
    assert events.index("new") == (1 if kind is iter else 2)


def test_the_error_of_one_ends_one(work):
    engine = Steps()
    worker = work(engine)
    good, bad, broken = speak(worker, "good", 3), speak(worker, "bad", 1, TextUnspeakable("no")), speak(worker, "broken", 1, KeyError("x"))
    engine.go.set()
    assert len(list(good)) == 3
    with pytest.raises(TextUnspeakable, match="no"):
        list(bad)
    with pytest.raises(EngineFailed, match="'x'"):
        list(broken)


def test_a_step_that_fails_as_a_whole_ends_whom_it_served_and_nobody_else(work):
    class Breaks(Steps):
        def advance(self, streams: Sequence) -> list:
            if not self.steps:
                self.steps.append([])
                raise RuntimeError("out of memory")
            return super().advance(streams)

    engine = Breaks()
    engine.go.set()
    worker = work(engine)
    with pytest.raises(EngineFailed, match="out of memory"):
        list(speak(worker, "first"))
    assert len(list(speak(worker, "second"))) == 2


def test_who_hangs_up_is_closed_and_the_others_of_the_step_go_on(work):
    closed = threading.Event()

    def endless():
        try:
            while True:
                yield CHUNK
        finally:
            closed.set()

    engine = FakeEngine()
    engine.width = 3
    worker = work(engine, most_ahead_seconds=1e9)
    gone = worker.stream(lambda engine: endless(), Timeline())
    next(gone)
    stays = speak(worker, "stays", 5)
    gone.close()
    assert len(list(stays)) == 5
    assert closed.wait(PATIENCE_SECONDS)
    with pytest.raises(SpeechCancelled):
        list(gone)


def test_a_stream_that_cannot_be_opened_fails_alone(work):
    engine = Steps()
    worker = work(engine)

    def refuses(engine):
        raise TextUnspeakable("nothing to say")

    refused = worker.stream(refuses, Timeline())
    good = speak(worker, "good")
    engine.go.set()
    assert len(list(good)) == 2
    with pytest.raises(TextUnspeakable):
        list(refused)
