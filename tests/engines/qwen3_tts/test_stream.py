"""Streams: cut anywhere and interleaved in any order they are what they are alone, in fixed shapes as in exact ones."""

import itertools

import numpy as np
import pytest
import torch

from engines.contract.speech_end import SpeechEnd
from engines.kit.decode.batched_decoder import BatchedDecoder
from engines.kit.decode.chunk_schedule import ChunkSchedule
from engines.kit.decode.cuda_graphs import Graphs
from engines.kit.decode.frame_limit import FrameLimit
from engines.kit.decode.frame_loop import speak
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.engine import Qwen3TtsEngine
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, FRAMES, LONG, learned, opened, reference, say, spoken, tiny
from tests.engines.replay import ReplayedGraphs

TOLERANCE = 1e-5
SIXTY = FrameLimit(60, SpeechEnd("capped"))
MANY_FRAMES = 23  # of the one speech that is long enough for blocks of eight


@pytest.fixture
def engine() -> Qwen3TtsEngine:
    return opened()


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (5, 3), (1, 25)])
def test_however_it_is_cut_it_is_the_same_speech(engine, first, largest):
    whole = reference(initial_codec_chunk_frames=64, codec_chunk_frames=64)
    assert len(whole) == FRAMES * FRAME
    cut = pieces(spoken(engine, LONG, learned(), initial_codec_chunk_frames=first, codec_chunk_frames=largest))
    sizes = [len(chunk) // FRAME for chunk in cut]
    assert sizes[0] == first
    assert max(sizes[1:]) <= largest
    assert np.abs(np.concatenate(cut) - whole).max() <= TOLERANCE


def test_blocks_grow_from_one_frame_to_eight_and_a_long_speech_is_the_same_in_fixed_shapes():
    """Longer than the codec's window, and than the largest piece that it decodes at one go."""
    exact, fixed = (
        pieces(spoken(opened(fixed_shapes=fixed_shapes), LONG, learned(), max_new_tokens=MANY_FRAMES + 1)) for fixed_shapes in (False, True)
    )
    assert [len(chunk) // FRAME for chunk in exact] == [1, 2, 4, 8, 8] == [len(chunk) // FRAME for chunk in fixed]
    assert np.abs(np.concatenate(exact) - np.concatenate(fixed)).max() <= TOLERANCE


def test_a_first_block_of_zero_frames_is_the_engines_own_choice(engine):
    assert len(next(chunk for chunk in spoken(engine, LONG, learned(), initial_codec_chunk_frames=0) if len(chunk))) == FRAME


@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_interleaved_streams_are_what_each_is_alone(fixed_shapes):
    asked = [(LONG, 0, {"seed": 3}), ("the voice", 1, {"x_vector_only_mode": True}), (LONG, 1, {"language": "fr"})]
    blocks = {"codec_chunk_frames": 2, "max_new_tokens": 6}  # 1, 2 and 2 frames
    engine = opened(fixed_shapes=fixed_shapes)
    streams = [spoken(engine, text, learned(voice), **blocks, **given) for text, voice, given in asked]
    heard: list[list[np.ndarray]] = [[] for _ in asked]
    for chunks in itertools.zip_longest(*streams):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, asked, strict=True):
        alone = reference(text, seed_of_voice=voice, fixed_shapes=fixed_shapes, **blocks, **given)
        assert np.array_equal(np.concatenate(parts), alone)


def test_fixed_shapes_change_no_sample_that_can_be_heard():
    engine = opened(fixed_shapes=True)
    for given in ({}, {"x_vector_only_mode": True}, {"non_streaming_mode": True}, {"initial_codec_chunk_frames": 7}):
        assert np.abs(say(engine, LONG, learned(), **given) - reference(**given)).max() <= TOLERANCE, given


def test_work_recorded_once_and_replayed_without_python_is_the_same_speech(monkeypatch):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    monkeypatch.setattr(QwenRows, "ROW_SIZES", (4, 20))  # of many, those that these prompts have
    monkeypatch.setattr(QwenRows, "KEY_SIZES", QwenRows.KEY_SIZES[:1])
    recorded, graphs = opened(), ReplayedGraphs()
    recorded._batched_decoder = BatchedDecoder(QwenRows(tiny(), graphs, width=1, fixed_shapes=True))
    recorded.warmup()
    neighbor = spoken(recorded, LONG, learned(1), seed=4)
    next(neighbor)
    cold = {"temperature": 0.4, "top_k": 3, "seed": 8}
    for given in ({}, {"x_vector_only_mode": True, "codec_chunk_frames": 3}, cold):
        before = graphs.replays
        samples = [next(stream := spoken(recorded, LONG, learned(), **given))]
        next(neighbor)
        samples.extend(stream)
        assert np.abs(np.concatenate(samples) - reference(**given)).max() <= TOLERANCE, given
        assert graphs.replays - before >= 2 * FRAMES + 3  # every prompt, frame and piece


@pytest.mark.parametrize("width", [1, 2])
@pytest.mark.parametrize("fixed_shapes", [False, True])
def test_a_stream_that_outgrows_its_row_goes_on_with_keys_of_its_own_until_it_ends(monkeypatch, fixed_shapes, width):
    monkeypatch.setattr(QwenRows, "KEY_SIZES", (30, 32))  # the prompt has 28 rows, 35 at the end
    monkeypatch.setattr(QwenRows, "MOST_POSITIONS", 58)  # twice the prompt, as it demands
    monkeypatch.setattr(QwenRows, "ROW_SIZES", (4, 15))
    small = opened(fixed_shapes=fixed_shapes, width=width)
    batched_decoder, before = small._batched_decoder, small.memory_bytes()
    first, second = (spoken(small, LONG, learned()) for _ in range(2))
    heard, own = [], 0
    for pair in zip(first, second, strict=True):
        heard.append(np.stack(pair))
        own = max(own, sum(slot.own_keys is not None for slot in batched_decoder._slots.seated))
    assert own == width
    for samples in np.concatenate(heard, axis=1):
        assert np.abs(samples - reference()).max() <= TOLERANCE
    assert small.memory_bytes() - small._prepared.bytes == before, "what it grew by is freed"


@pytest.mark.parametrize(("text", "first"), [("the", 1), ("the voice", 1), ("the voice", 3), ("and then the sentence", 3)])
def test_learning_of_the_end_one_frame_late_changes_nothing(engine, text, first):
    engine._batched_decoder.host_lag_frames = 1
    given = {"x_vector_only_mode": True, "max_new_tokens": 12}
    expected, samples = reference(text, **given), say(engine, text, learned(), initial_codec_chunk_frames=first, **given)
    assert len(samples) == len(expected)
    assert np.abs(samples - expected).max() <= TOLERANCE


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_after_the_end_at_most_one_frame_is_made_for_nothing(engine, host_lag_frames):
    batched_decoder = BatchedDecoder(CountingRows(host_lag_frames))
    heard, completed = drained(engine, batched_decoder, ChunkSchedule(1, 64, SIXTY))
    assert completed - heard <= host_lag_frames


@pytest.mark.parametrize("n_frames", [1, 2, 5])
@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_a_closed_stream_makes_no_further_frame_and_leaves_its_slot(engine, n_frames, host_lag_frames):
    """Also in the middle of a piece: the largest here has eight frames, and only the first is heard by itself."""
    batched_decoder = BatchedDecoder(CountingRows(host_lag_frames))
    stream = speaking(engine, batched_decoder, ChunkSchedule(1, 8, SIXTY))
    while batched_decoder.rows.completed < n_frames:
        next(stream)
    stream.close()
    assert batched_decoder.rows.completed == n_frames
    assert batched_decoder._slots.seated == ()
    assert next(stream, None) is None


def test_no_step_of_a_stream_makes_more_than_one_frame(engine):
    batched_decoder = BatchedDecoder(CountingRows())
    before = 0
    for _ in speaking(engine, batched_decoder, ChunkSchedule(1, 8, SIXTY)):
        assert batched_decoder.rows.completed - before <= 1
        before = batched_decoder.rows.completed


def test_nothing_is_computed_before_the_first_chunk_is_asked_for(engine):
    spoken(engine, LONG, learned()).close()
    spoken(engine, "", learned())
    assert engine.counts.prefix_reads == 0


def test_what_a_neighbor_asks_for_does_not_change_the_noise(engine):
    neighbor = spoken(engine, LONG, learned(1), seed=9)
    for _ in range(3):
        next(neighbor)
    assert np.array_equal(say(engine, LONG, learned(), seed=5), reference(seed=5))
    neighbor.close()


def test_warming_up_changes_no_later_speech(engine):
    engine.warmup()
    assert np.array_equal(say(engine, LONG, learned()), reference())


def pieces(stream) -> list[np.ndarray]:
    """What can be heard of it."""
    return [chunk for chunk in stream if len(chunk)]


class CountingRows(QwenRows):
    """Counts frames that were completed, of one stream."""

    def __init__(self, host_lag_frames: int = 0):
        super().__init__(tiny(), Graphs(torch.device("cpu")), width=1, fixed_shapes=False, host_lag_frames=host_lag_frames)
        self.completed = 0

    def _complete(self) -> None:
        self.completed += 1
        super()._complete()


def speaking(engine: Qwen3TtsEngine, batched_decoder: BatchedDecoder, schedule: ChunkSchedule):
    options = {option.name: option.default for option in engine.info.options} | {"x_vector_only_mode": True}
    return speak(batched_decoder, engine._beginning(tiny().tokenizer.body("the voice"), learned(), options), schedule)


def drained(engine: Qwen3TtsEngine, batched_decoder: BatchedDecoder, schedule: ChunkSchedule) -> tuple[int, int]:
    """Frames heard, frames completed."""
    return sum(len(chunk) for chunk in speaking(engine, batched_decoder, schedule)) // FRAME, batched_decoder.rows.completed
