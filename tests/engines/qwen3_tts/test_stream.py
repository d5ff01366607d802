"""Streams: cut anywhere and interleaved in any order they are what they are alone, in fixed shapes as in exact ones."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch

from engines.qwen3_tts import lane as lane_module
from engines.qwen3_tts.engine import Qwen3TtsEngine
from engines.qwen3_tts.graphs import Graphs, HostCopy
from engines.qwen3_tts.lane import Lane
from engines.qwen3_tts.stream import ChunkSchedule, speak
from tests.engines.qwen3_tts.opened import FRAME, LONG, learned, opened, say, spoken, tiny
from tests.engines.qwen3_tts.replay import ReplayedGraphs


@pytest.fixture
def engine() -> Qwen3TtsEngine:
    return opened()


def as_on_a_gpu(engine: Qwen3TtsEngine) -> Qwen3TtsEngine:
    """The engine with the shapes of a GPU: padded prompts, keys and pieces. Only the capture itself is left out."""
    engine._lane = Lane(tiny(), Graphs(torch.device("cpu")), fixed_shapes=True)
    return engine


@pytest.mark.parametrize("largest", [1, 3, 25])
def test_however_it_is_cut_it_is_the_same_speech(engine, largest):
    whole = say(engine, LONG, learned(), initial_codec_chunk_frames=64, codec_chunk_frames=64)
    assert len(whole) == 23 * FRAME
    for first in (1, 5):
        cut = pieces(spoken(engine, LONG, learned(), initial_codec_chunk_frames=first, codec_chunk_frames=largest))
        sizes = [len(chunk) // FRAME for chunk in cut]
        assert sizes[0] == first
        assert max(sizes[1:]) <= largest
        assert np.abs(np.concatenate(cut) - whole).max() <= 1e-5


def test_blocks_grow_from_one_frame_to_eight(engine):
    sizes = [len(chunk) // FRAME for chunk in pieces(spoken(engine, LONG, learned()))]
    assert sizes == [1, 2, 4, 8, 8]


def test_a_first_block_of_zero_frames_is_the_engines_own_choice(engine):
    assert len(pieces(spoken(engine, LONG, learned(), initial_codec_chunk_frames=0))[0]) == FRAME


@pytest.mark.parametrize("gpu_shapes", [False, True])
def test_interleaved_streams_are_what_each_is_alone(engine, gpu_shapes):
    engine = as_on_a_gpu(engine) if gpu_shapes else engine
    asked = [
        (LONG, learned(0), {"seed": 3}),
        ("the voice", learned(1), {"x_vector_only_mode": True}),
        (LONG, learned(1), {"language": "fr"}),
    ]
    alone = [say(engine, text, prompt, codec_chunk_frames=2, **given) for text, prompt, given in asked]
    streams = [spoken(engine, text, prompt, codec_chunk_frames=2, **given) for text, prompt, given in asked]
    heard: list[list[np.ndarray]] = [[] for _ in asked]
    for chunks in itertools.zip_longest(*streams):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, expected in zip(heard, alone, strict=True):
        assert np.array_equal(np.concatenate(parts), expected)


@pytest.mark.parametrize("given", [{}, {"x_vector_only_mode": True}, {"non_streaming_mode": True}, {"codec_chunk_frames": 25}])
def test_fixed_shapes_change_no_sample_that_can_be_heard(engine, given):
    expected = say(engine, LONG, learned(), **given)
    assert np.abs(say(as_on_a_gpu(opened()), LONG, learned(), **given) - expected).max() <= 1e-5


@pytest.mark.parametrize("given", [{}, {"x_vector_only_mode": True, "codec_chunk_frames": 3}, {"temperature": 0.4, "top_k": 3, "seed": 8}])
def test_work_recorded_once_and_replayed_without_python_is_the_same_speech(engine, given):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    expected = say(engine, LONG, learned(), **given)
    recorded = opened()
    graphs = ReplayedGraphs()
    recorded._lane = Lane(tiny(), graphs, fixed_shapes=True)
    recorded.warmup()
    neighbour = spoken(recorded, LONG, learned(1), seed=4)
    next(neighbour)
    samples = [next(stream := spoken(recorded, LONG, learned(), **given))]
    next(neighbour)
    samples.extend(stream)
    assert np.abs(np.concatenate(samples) - expected).max() <= 1e-5
    assert graphs.replays >= 2 * 23 + 5  # every prompt, frame and piece


@pytest.mark.parametrize("gpu_shapes", [False, True])
def test_keys_that_outgrow_their_room_move_and_nothing_is_lost(engine, monkeypatch, gpu_shapes):
    expected = say(engine, LONG, learned())
    monkeypatch.setattr(lane_module, "KEY_SIZES", (30, 36, 44, 512, 16384))  # the prompt has 28 rows
    monkeypatch.setattr(lane_module, "ROW_SIZES", (4, 20))
    small = as_on_a_gpu(opened()) if gpu_shapes else opened()
    first, second = (spoken(small, LONG, learned()) for _ in range(2))
    heard = [np.stack(pair) for pair in zip(first, second, strict=True)]
    for samples in np.concatenate(heard, axis=1):
        assert np.abs(samples - expected).max() <= 1e-5
    assert set(small._lane._caches) >= {36, 44, 512}


@pytest.mark.parametrize("text", ["the", "the voice", "and then the sentence"])
@pytest.mark.parametrize("first", [1, 3])
def test_learning_of_the_end_one_frame_late_changes_nothing(engine, text, first):
    given = {"x_vector_only_mode": True, "max_new_tokens": 30, "initial_codec_chunk_frames": first}
    expected = say(engine, text, learned(), **given)
    schedule = engine._schedule

    def late(*args) -> ChunkSchedule:
        return replace(schedule(*args), late_frames=1)

    engine._schedule = late
    samples = say(engine, text, learned(), **given)
    assert len(samples) == len(expected)
    assert np.abs(samples - expected).max() <= 1e-5


@pytest.mark.parametrize("late_frames", [0, 1])
def test_after_the_end_at_most_one_frame_is_made_for_nothing(engine, late_frames):
    lane = CountingLane(tiny())
    heard, completed = drained(engine, lane, ChunkSchedule(1, 64, 60, late_frames))
    assert completed - heard <= late_frames


@pytest.mark.parametrize("n_frames", [1, 2, 5])
@pytest.mark.parametrize("late_frames", [0, 1])
def test_a_closed_stream_makes_no_further_frame_and_leaves_its_slot(engine, n_frames, late_frames):
    """Also in the middle of a piece: the largest here has eight frames, and only the first is heard by itself."""
    lane = CountingLane(tiny())
    stream = speaking(engine, lane, ChunkSchedule(1, 8, 60, late_frames))
    while lane.completed < n_frames:
        next(stream)
    stream.close()
    assert lane.completed == n_frames
    assert lane._slot is None
    assert next(stream, None) is None


def test_no_step_of_a_stream_makes_more_than_one_frame(engine):
    lane = CountingLane(tiny())
    before = 0
    for _ in speaking(engine, lane, ChunkSchedule(1, 8, 60, 0)):
        assert lane.completed - before <= 1
        before = lane.completed


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(engine):
    spoken(engine, LONG, learned()).close()
    spoken(engine, "", learned())
    assert engine.counts.prefix_reads == 0


def test_what_a_neighbour_asks_for_does_not_change_the_noise(engine):
    expected = say(engine, LONG, learned(), seed=5)
    neighbour = spoken(engine, LONG, learned(1), seed=9)
    for _ in range(3):
        next(neighbour)
    assert np.array_equal(say(engine, LONG, learned(), seed=5), expected)
    neighbour.close()


def test_warming_up_changes_no_later_speech(engine):
    expected = say(opened(), LONG, learned())
    engine.warmup()
    assert np.array_equal(say(engine, LONG, learned()), expected)


def test_a_copy_for_the_host_is_of_the_moment_it_was_made():
    tensor = torch.zeros(3)
    copy = HostCopy(tensor)
    tensor.fill_(1.0)
    assert copy.wait().tolist() == [0.0, 0.0, 0.0]


def pieces(stream) -> list[np.ndarray]:
    """What can be heard of it."""
    return [chunk for chunk in stream if len(chunk)]


class CountingLane(Lane):
    """Counts frames that were completed."""

    def __init__(self, networks):
        super().__init__(networks, Graphs(networks.device), fixed_shapes=False)
        self.completed = 0

    def complete(self, slot) -> None:
        self.completed += 1
        super().complete(slot)


def speaking(engine: Qwen3TtsEngine, lane: Lane, schedule: ChunkSchedule):
    options = {option.name: option.default for option in engine.info.options} | {"x_vector_only_mode": True}
    beginning, manuscript = engine._beginning("the voice", learned(), options)
    padding, trailing = tiny().rows.padding, manuscript.trailing
    return speak(lane, beginning, lambda t: trailing[:, t : t + 1] if t < trailing.shape[1] else padding, schedule)


def drained(engine: Qwen3TtsEngine, lane: CountingLane, schedule: ChunkSchedule) -> tuple[int, int]:
    """Frames heard, frames completed."""
    return sum(len(chunk) for chunk in speaking(engine, lane, schedule)) // FRAME, lane.completed
