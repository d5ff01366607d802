"""Laws of lanes: interleaved in any order, batched or alone, in fixed shapes and replayed, streams are the same speech; what they hold,
they give back.
"""

import gc
import itertools
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType

import numpy as np
import pytest
import torch

from engines.contract.contract import Engine, SpeechEnd
from engines.kit.decode.frame_lane import FrameStream
from tests.engines.advanced_together import advanced_together
from tests.engines.lane_subjects import LANES, LaneSubject
from tests.engines.replay import ReplayedGraphs

TOLERANCE = 2e-5
WIDTH = 3


@pytest.fixture(scope="module", params=LANES)
def lane(request) -> LaneSubject:
    return LANES[request.param]()


@pytest.fixture
def few_sizes(lane, monkeypatch) -> None:
    if lane.few_sizes is None:
        pytest.skip("a lane without graphs")
    for (owner, name), sizes in lane.few_sizes.items():
        monkeypatch.setattr(owner, name, sizes)


def test_interleaved_streams_are_what_each_is_alone(lane):
    engine = lane.of.opened()
    heard: list[list[np.ndarray]] = [[] for _ in lane.asked]
    for chunks in itertools.zip_longest(*streams_of(lane, engine)):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, lane.asked, strict=True):
        assert np.array_equal(np.concatenate(parts), lane.of.reference(text, seed_of_voice=voice, **given))


def test_in_a_batch_each_is_bit_by_bit_what_it_is_alone_at_that_width(lane):
    """Five streams in three rows: they come and go, take turns, and are set aside."""
    engine = lane.of.opened(width=WIDTH)
    together = advanced_together(engine, streams_of(lane, engine), np.random.default_rng(0))
    for heard, (text, voice, given) in zip(together, lane.asked, strict=True):
        assert np.array_equal(heard, lane.of.say(lane.of.opened(width=WIDTH), text, lane.of.learned(voice), **given))
        assert np.abs(heard - lane.of.reference(text, seed_of_voice=voice, **given)).max() <= TOLERANCE
    assert engine._lane._slots.seated == ()


@pytest.mark.parametrize("late_frames", [0, 1])
def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(lane, few_sizes, late_frames):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    graphs = ReplayedGraphs()
    engine = lane.of.opened(width=WIDTH, fixed_shapes=True, late_frames=late_frames, graphs=graphs)
    engine._lane.warm_up()
    together = advanced_together(engine, streams_of(lane, engine), np.random.default_rng(7))
    for heard, (text, voice, given) in zip(together, lane.asked, strict=True):
        expected = lane.of.reference(text, seed_of_voice=voice, **given)
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= TOLERANCE
    assert graphs.replays > 3 * lane.n_frames


def test_one_step_makes_a_frame_of_every_stream_and_none_is_made_in_vain(lane):
    engine = lane.of.opened(width=WIDTH)
    steps = counted(engine)
    streams = streams_of(lane, engine, [(lane.of.TEXT, voice % 2, {"seed": voice, **lane.even}) for voice in range(WIDTH)])
    heard = [0] * WIDTH
    while not isinstance((results := engine.advance(streams))[0], SpeechEnd):
        for index, chunk in enumerate(results):
            heard[index] += len(chunk) // lane.frame_samples
        assert len(set(heard)) == 1
    assert heard == [lane.n_frames] * WIDTH
    assert steps == [WIDTH] * lane.n_frames


@pytest.mark.parametrize("n_frames", [1, 3])
def test_a_closed_stream_makes_no_further_frame_and_leaves_its_row(lane, n_frames):
    """Also in the middle of a piece: no engine here hands out the third frame alone."""
    engine = lane.of.opened()
    steps = counted(engine)
    stream = lane.of.spoken(engine, lane.of.TEXT, lane.of.learned())
    while len(steps) < n_frames:
        next(stream)
    stream.close()
    assert len(steps) == n_frames
    assert engine._lane._slots.seated == ()


def test_the_error_of_one_stream_is_its_own_and_its_row_goes_to_others(lane):
    engine = lane.of.opened(width=2)
    good, bad = lane.of.spoken(engine, lane.of.TEXT, lane.of.learned(), seed=3), lane.of.spoken(engine, " ", lane.of.learned())
    results = engine.advance([good, bad])
    assert isinstance(results[1], Exception)
    good.close()
    assert engine._lane._slots.seated == ()


def test_who_comes_to_a_busy_lane_has_a_frame_of_the_very_next_step(lane):
    """Two at once: what they begin with is read in the step of somebody who speaks already."""
    engine = lane.of.opened(width=WIDTH)
    steps = counted(engine)
    speaking, *newcomers = streams_of(lane, engine, [(lane.of.TEXT, voice % 2, {"seed": voice, **lane.even}) for voice in range(WIDTH)])
    while len(steps) < 2:
        next(speaking)
    for stream in newcomers:
        next(stream)
    while len(steps) < 3:
        next(speaking)
    assert steps == [1, 1, WIDTH]
    for stream in (speaking, *newcomers):
        stream.close()
    assert engine._lane._slots.seated == ()


def test_who_cannot_be_read_fails_alone_whoevers_step_it_is(lane, monkeypatch):
    engine = lane.of.opened(width=WIDTH)
    good, bad = streams_of(lane, engine, [(lane.of.TEXT, 0, {"seed": 3})] * 2)
    next(good)
    next(bad)
    slots, read = engine._lane._slots, engine._lane._read
    unreadable = slots.seated[-1]

    def read_but_one(streams: Sequence[FrameStream]) -> None:
        if unreadable in streams:
            raise MemoryError("no room")
        read(streams)

    monkeypatch.setattr(engine._lane, "_alike", lambda streams: [[stream] for stream in streams])
    monkeypatch.setattr(engine._lane, "_read", read_but_one)
    expected = lane.of.say(lane.of.opened(width=WIDTH), lane.of.TEXT, lane.of.learned(0), seed=3)
    assert np.array_equal(np.concatenate(list(good)), expected)
    with pytest.raises(MemoryError, match="no room"):
        next(bad)
    assert slots.seated == ()


def test_the_memory_of_streams_that_are_set_aside_counts_until_they_end(lane):
    engine = lane.of.opened()
    for voice in range(2):
        engine.prepare(lane.of.learned(voice))
    prepared = engine.memory_bytes()
    streams = streams_of(lane, engine, [(lane.of.TEXT, 0, {}), (lane.of.TEXT, 1, {})])
    for _ in range(3):
        for stream in streams:
            next(stream)
    assert engine.memory_bytes() > prepared
    for stream in streams:
        stream.close()
    assert engine.memory_bytes() == prepared


def test_what_is_closed_holds_no_tensor_whoever_still_has_it(lane):
    """What a GPU had is given back by `close` itself: to who asks the driver, memory that is freed later is taken."""
    engine = lane.of.opened()
    engine.close()
    assert not holds_tensor(engine)


def test_warming_up_changes_no_later_speech(lane):
    engine = lane.of.opened()
    engine.warmup()
    assert np.array_equal(lane.of.say(engine, lane.of.TEXT, lane.of.learned()), lane.of.reference())


def streams_of(lane: LaneSubject, engine: Engine, asked: Sequence | None = None) -> list[Iterator[np.ndarray]]:
    return [lane.of.spoken(engine, text, lane.of.learned(voice), **given) for text, voice, given in asked or lane.asked]


def holds_tensor(engine: Engine) -> bool:
    """Whether one is reached from its attributes."""
    seen, left = set(), [vars(engine)]
    while left:
        one = left.pop()
        if isinstance(one, torch.Tensor):
            return True
        if id(one) not in seen and not isinstance(one, type | ModuleType | FunctionType):
            seen.add(id(one))
            left += gc.get_referents(one)
    return False


def counted(engine: Engine) -> list[int]:
    """How many streams each step made a frame of, from now on."""
    steps, complete = [], engine._lane._complete_tokens
    engine._lane._complete_tokens = lambda streams: (steps.append(len(streams)), complete(streams))
    return steps
