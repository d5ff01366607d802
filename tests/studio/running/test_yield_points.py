"""Yield points: between two steps of a piece an engine can be stopped, or serve whoever is in a greater hurry."""

import numpy as np

from engines.contract.contract import YIELD_POINT
from studio.timeline import Timeline
from tests.stand_ins.fake_engine import CHUNK_SAMPLES, FakeEngine
from tests.studio.running.gate import Gate


def steps_of_a_piece(made: list[str], name: str, gate: Gate, n_steps: int = 8):
    """One piece of audio after n_steps of work."""
    for step in range(n_steps):
        gate(step)
        made.append(name)
        yield YIELD_POINT
    yield np.full(CHUNK_SAMPLES, 0.1, np.float32)


def test_a_closed_stream_does_no_further_step_of_a_piece(work):
    worker, gate, made = work(FakeEngine()), Gate(), []
    stream = worker.stream(lambda engine: steps_of_a_piece(made, "closed", gate), Timeline())
    gate.pass_one()
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)  # in its third step
    stream.close()
    gate.release()
    worker.call(lambda engine: None).result(60)
    assert made == ["closed"] * 3


def test_whoever_has_heard_nothing_is_served_between_two_steps_of_a_piece(work):
    """The old stream has sound to play; the new one's steps come before the rest of the old one's piece."""
    worker, gate, made = work(FakeEngine(), admit="all"), Gate(), []

    def old_chunks():
        yield np.full(CHUNK_SAMPLES, 0.1, np.float32)
        yield from steps_of_a_piece(made, "old", gate)

    old = worker.stream(lambda engine: old_chunks(), Timeline())
    gate.pass_one()
    assert gate.arrived.acquire(timeout=60)
    new = worker.stream(lambda engine: steps_of_a_piece(made, "new", lambda step: None, 3), Timeline())
    gate.release()
    assert len(list(new)) == 1
    assert len(list(old)) == 2
    assert made == ["old"] * 2 + ["new"] * 3 + ["old"] * 6


def test_breaths_reach_no_listener(work):
    gate = Gate()
    gate.release()
    stream = work(FakeEngine()).stream(lambda engine: steps_of_a_piece([], "any", gate), Timeline())
    assert [len(chunk) for chunk in stream] == [CHUNK_SAMPLES]
