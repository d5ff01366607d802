"""Pressed: whether a listener can spare the processor for what nobody waits for."""

import numpy as np
import pytest

from studio.running.delivery import Delivery
from studio.running.far_worker import FarWorker
from studio.running.scheduler import PRESSED_SECONDS, is_pressing
from studio.running.stream import EngineCall, EngineStream, StreamJob
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import REFINER, FakeEngine
from tests.studio.running.gate import Gate

MOST_AHEAD_SECONDS = 10.0


def listener(heard_seconds: float = 0.0, *, taken: bool = True, delivery: Delivery = Delivery()) -> StreamJob:
    """At time 0 so much was made for it. taken: whether it waits in the player, and not in the queue."""
    stream = EngineStream(1000, Timeline(0.0, clock=lambda: 0.0), most_ahead_seconds=MOST_AHEAD_SECONDS, on_wanted=lambda: None)
    if heard_seconds:
        stream.offer(np.zeros(round(heard_seconds * 1000), np.float32))
        if taken:
            stream.poll()
    return StreamJob(0.0, stream=stream, delivery=delivery)


def call(patience_seconds: float) -> EngineCall:
    return EngineCall(0.0, patience_seconds, run=lambda engine: None)


WHOLE = Delivery(whole=True)
CASES = {
    "who waits for a first audio": (listener(), 0.0, True),
    "who has little ahead": (listener(PRESSED_SECONDS - 0.1), 0.0, True),
    "who has enough ahead": (listener(PRESSED_SECONDS + 0.1), 0.0, False),
    "who had enough, later": (listener(PRESSED_SECONDS + 0.1), 0.2, True),
    "who takes it slowly, with enough in the queue": (listener(3.0, taken=False), 60.0, False),
    "who has paused, with all that may be kept ready": (listener(MOST_AHEAD_SECONDS, taken=False), 60.0, False),
    "a whole file": (listener(delivery=WHOLE), 0.0, False),
    "what still hears what came before": (listener(delivery=Delivery(until=9.0)), 0.0, False),
    "what is about to have heard what came before": (listener(delivery=Delivery(until=9.0)), 8.0, True),
    "who waits for an answer": (call(0.0), 0.0, True),
    "what nobody waits for": (call(2.0), 0.0, False),
}


@pytest.mark.parametrize("case", CASES)
def test_presses(case):
    job, now, expected = CASES[case]
    assert is_pressing(job, now) == expected


def test_who_has_hung_up_presses_nobody():
    job = listener()
    job.stream.close()
    assert not is_pressing(job, 0.0)


def test_a_worker_is_pressed_from_the_request_to_the_last_chunk_that_is_wanted(work):
    gate = Gate()
    worker = work(FakeEngine(before_chunk=gate))
    worker.load()
    assert not worker.is_pressed()
    stream = worker.stream(lambda engine: engine.stream("hello", engine.preset("tone"), {"seed": 0}), Timeline())
    assert worker.is_pressed()
    gate.release()
    assert len(list(stream)) > 1
    worker.call(lambda engine: None).result()
    assert not worker.is_pressed()


def test_what_is_done_elsewhere_presses_nobody_here_and_is_not_refined_here():
    worker = FarWorker(REFINER, FakeEngine)
    worker._jobs.append(listener())
    assert not worker.is_pressed() and not worker.refines
