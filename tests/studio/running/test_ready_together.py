"""What is ready together goes to a listener together, and wakes each side once."""

import numpy as np
import pytest

from engines.errors import EngineFailed
from studio.running.stream import TOGETHER_SECONDS, EngineStream
from studio.timeline import Timeline

RATE = 1_000
CHUNKS = [np.full(100, n, np.float32) for n in range(30)]


def opened(wakes: list[str], most_ahead_seconds: float = 60.0) -> EngineStream:
    stream = EngineStream(RATE, Timeline(), most_ahead_seconds=most_ahead_seconds, on_wanted=lambda: wakes.append("engine"))
    stream.notify(lambda: wakes.append("listener"))
    return stream


def test_chunks_that_wait_come_as_one_up_to_a_second_and_none_is_lost():
    stream = opened([])
    for chunk in CHUNKS:
        stream.offer(chunk)
    stream.finish()
    polled = []
    while (got := stream.poll())[0] is not None:
        polled.append(got[0])
    assert got == (None, True)
    np.testing.assert_array_equal(np.concatenate(polled), np.concatenate(CHUNKS))
    assert [len(chunk) for chunk in polled[:-1]] == [100 + TOGETHER_SECONDS * RATE] * (len(polled) - 1)


def test_a_listener_is_woken_once_for_all_that_came_since_it_looked():
    wakes: list[str] = []
    stream = opened(wakes)
    assert wakes == ["listener"]
    stream.poll()
    for chunk in CHUNKS[:3]:
        stream.offer(chunk)
    assert wakes == ["listener"] * 2
    stream.poll()
    stream.offer(CHUNKS[3])
    stream.finish()
    assert wakes == ["listener"] * 3


def test_the_engine_is_woken_where_a_full_queue_has_room_again_and_else_left_alone():
    wakes: list[str] = []
    stream = opened(wakes, most_ahead_seconds=0.2)
    stream.offer(CHUNKS[0])
    stream.poll()
    assert "engine" not in wakes
    for chunk in CHUNKS[:2]:
        stream.offer(chunk)
    stream.poll()
    assert wakes.count("engine") == 1


def test_a_failure_comes_behind_the_chunks_before_it():
    stream = opened([])
    stream.offer(CHUNKS[0])
    stream.offer(CHUNKS[1])
    stream.fail(EngineFailed("It broke."))
    assert len(stream.poll()[0]) == 200
    with pytest.raises(EngineFailed):
        stream.poll()
