"""Laws of batched decoders: interleaved in any order, batched or alone, in fixed shapes and replayed, streams are the same speech; what
they hold, they give back.
"""

import gc
import itertools
from collections.abc import Iterator, Sequence
from types import FunctionType, ModuleType

import numpy as np
import pytest
import torch

from engines.contract.contract import Engine
from engines.contract.speech_end import SpeechEnd
from engines.kit.decode.batched_decoder import FrameStream
from tests.engines.advanced_together import advanced_together
from tests.engines.decoder_subjects import LANES, DecoderSubject
from tests.engines.replay import ReplayedGraphs

TOLERANCE = 2e-5
WIDTH = 3


@pytest.fixture(scope="module", params=LANES)
def batched_decoder(request) -> DecoderSubject:
    return LANES[request.param]()


@pytest.fixture
def few_sizes(batched_decoder, monkeypatch) -> None:
    if batched_decoder.few_sizes is None:
        pytest.skip("a lane without graphs")
    for (owner, name), sizes in batched_decoder.few_sizes.items():
        monkeypatch.setattr(owner, name, sizes)


def test_interleaved_streams_are_what_each_is_alone(batched_decoder):
    engine = batched_decoder.of.opened()
    heard: list[list[np.ndarray]] = [[] for _ in batched_decoder.asked]
    for chunks in itertools.zip_longest(*streams_of(batched_decoder, engine)):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, batched_decoder.asked, strict=True):
        assert np.array_equal(np.concatenate(parts), batched_decoder.of.reference(text, seed_of_voice=voice, **given))


def test_in_a_batch_each_is_bit_by_bit_what_it_is_alone_at_that_width(batched_decoder):
    """Five streams in three rows: they come and go, take turns, and are set aside."""
    engine = batched_decoder.of.opened(width=WIDTH)
    together = advanced_together(engine, streams_of(batched_decoder, engine), np.random.default_rng(0))
    for heard, (text, voice, given) in zip(together, batched_decoder.asked, strict=True):
        assert np.array_equal(
            heard, batched_decoder.of.say(batched_decoder.of.opened(width=WIDTH), text, batched_decoder.of.learned(voice), **given)
        )
        assert np.abs(heard - batched_decoder.of.reference(text, seed_of_voice=voice, **given)).max() <= TOLERANCE
    assert engine._batched_decoder._slots.seated == ()


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(batched_decoder, few_sizes, host_lag_frames):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    graphs = ReplayedGraphs()
    engine = batched_decoder.of.opened(width=WIDTH, fixed_shapes=True, host_lag_frames=host_lag_frames, graphs=graphs)
    engine._batched_decoder.warm_up()
    together = advanced_together(engine, streams_of(batched_decoder, engine), np.random.default_rng(7))
    for heard, (text, voice, given) in zip(together, batched_decoder.asked, strict=True):
        expected = batched_decoder.of.reference(text, seed_of_voice=voice, **given)
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= TOLERANCE
    assert graphs.replays > 3 * batched_decoder.n_frames


def test_one_step_makes_a_frame_of_every_stream_and_none_is_made_in_vain(batched_decoder):
    engine = batched_decoder.of.opened(width=WIDTH)
    steps = counted(engine)
    streams = streams_of(
        batched_decoder, engine, [(batched_decoder.of.TEXT, voice % 2, {"seed": voice, **batched_decoder.even}) for voice in range(WIDTH)]
    )
    heard = [0] * WIDTH
    while not isinstance((results := list(engine.advance(streams)))[0], SpeechEnd):
        for index, chunk in enumerate(results):
            heard[index] += len(chunk)
        assert len(set(heard)) == 1
    assert heard == [batched_decoder.n_frames * batched_decoder.frame_samples] * WIDTH
    assert steps == [WIDTH] * batched_decoder.n_frames


@pytest.mark.parametrize("n_frames", [1, 3])
def test_a_closed_stream_makes_no_further_frame_and_leaves_its_row(batched_decoder, n_frames):
    """Also in the middle of a piece: no engine here hands out the third frame alone."""
    engine = batched_decoder.of.opened()
    steps = counted(engine)
    stream = batched_decoder.of.spoken(engine, batched_decoder.of.TEXT, batched_decoder.of.learned())
    while len(steps) < n_frames:
        next(stream)
    stream.close()
    assert len(steps) == n_frames
    assert engine._batched_decoder._slots.seated == ()
    left = getattr(engine._batched_decoder.rows, "_position", torch.zeros(1))  # of keys that others' steps would read along
    assert not left.any()


def test_the_error_of_one_stream_is_its_own_and_its_row_goes_to_others(batched_decoder):
    engine = batched_decoder.of.opened(width=2)
    good, bad = (
        batched_decoder.of.spoken(engine, batched_decoder.of.TEXT, batched_decoder.of.learned(), seed=3),
        batched_decoder.of.spoken(engine, " ", batched_decoder.of.learned()),
    )
    results = list(engine.advance([good, bad]))
    assert isinstance(results[1], Exception)
    good.close()
    assert engine._batched_decoder._slots.seated == ()


def test_who_comes_to_a_busy_lane_has_a_frame_of_the_very_next_step(batched_decoder):
    """Two at once: what they begin with is read in the step of somebody who speaks already."""
    engine = batched_decoder.of.opened(width=WIDTH)
    steps = counted(engine)
    speaking, *newcomers = streams_of(
        batched_decoder, engine, [(batched_decoder.of.TEXT, voice % 2, {"seed": voice, **batched_decoder.even}) for voice in range(WIDTH)]
    )
    while len(steps) < 2:
        next(speaking)
    for stream in newcomers:
        next(stream)
    while len(steps) < 3:
        next(speaking)
    assert steps == [1, 1, WIDTH]
    for stream in (speaking, *newcomers):
        stream.close()
    assert engine._batched_decoder._slots.seated == ()


def test_who_cannot_be_read_fails_alone_whoevers_step_it_is(batched_decoder, monkeypatch):
    engine = batched_decoder.of.opened(width=WIDTH)
    good, bad = streams_of(batched_decoder, engine, [(batched_decoder.of.TEXT, 0, {"seed": 3})] * 2)
    next(good)
    next(bad)
    slots, read = engine._batched_decoder._slots, engine._batched_decoder.rows.read
    unreadable = slots.seated[-1]

    def read_but_one(streams: Sequence[FrameStream]) -> None:
        if unreadable in streams:
            raise MemoryError("no room")
        read(streams)

    monkeypatch.setattr(engine._batched_decoder.rows, "alike", lambda streams: [[stream] for stream in streams])
    monkeypatch.setattr(engine._batched_decoder.rows, "read", read_but_one)
    expected = batched_decoder.of.say(
        batched_decoder.of.opened(width=WIDTH), batched_decoder.of.TEXT, batched_decoder.of.learned(0), seed=3
    )
    assert np.array_equal(np.concatenate(list(good)), expected)
    with pytest.raises(MemoryError, match="no room"):
        next(bad)
    assert slots.seated == ()


def test_the_memory_of_streams_that_are_set_aside_counts_until_they_end(batched_decoder):
    engine = batched_decoder.of.opened()
    for voice in range(2):
        engine.prepare(batched_decoder.of.learned(voice))
    prepared = engine.memory_bytes()
    streams = streams_of(batched_decoder, engine, [(batched_decoder.of.TEXT, 0, {}), (batched_decoder.of.TEXT, 1, {})])
    for _ in range(3):
        for stream in streams:
            next(stream)
    assert engine.memory_bytes() > prepared
    for stream in streams:
        stream.close()
    assert engine.memory_bytes() == prepared


def test_what_is_closed_holds_no_tensor_whoever_still_has_it(batched_decoder):
    """What a GPU had is given back by `close` itself: to who asks the driver, memory that is freed later is taken."""
    engine = batched_decoder.of.opened()
    engine.close()
    assert not holds_tensor(engine)


def test_warming_up_changes_no_later_speech(batched_decoder):
    engine = batched_decoder.of.opened()
    engine.warmup()
    assert np.array_equal(
        batched_decoder.of.say(engine, batched_decoder.of.TEXT, batched_decoder.of.learned()), batched_decoder.of.reference()
    )


def streams_of(batched_decoder: DecoderSubject, engine: Engine, asked: Sequence | None = None) -> list[Iterator[np.ndarray]]:
    return [
        batched_decoder.of.spoken(engine, text, batched_decoder.of.learned(voice), **given)
        for text, voice, given in asked or batched_decoder.asked
    ]


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
    steps, complete = [], engine._batched_decoder.rows.complete
    engine._batched_decoder.rows.complete = lambda streams: (steps.append(len(streams)), complete(streams))
    return steps
