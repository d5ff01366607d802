"""Streams: cut anywhere, interleaved in any order, batched or alone, they are the same speech; so they are in fixed shapes and replayed."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from engines.fish_speech.engine import FishSpeechEngine
from engines.fish_speech.lane import FishLane
from engines.speech_end import SpeechEnd
from tests.engines.advanced_together import advanced_together
from tests.engines.fish_speech.opened import FRAMES, TEXT, learned, opened, reference, say, spoken, tiny
from tests.engines.replay import ReplayedGraphs

TOLERANCE = 2e-5
WIDTH = 3
FRAME = tiny().decoder.frame_samples
TWO_PIECES = "The sentence and then the voice. " * 10
# Text, voice, options.
ASKED = [
    (TEXT, 0, {"seed": 3}),
    (TWO_PIECES, 1, {"context_pieces": 1, "max_new_tokens": 7}),
    (TEXT, 1, {"instructions": "the voice", "temperature": 1.3, "top_k": 0, "top_p": 1.0}),
    ("The voice.", 0, {"codec_chunk_frames": 2}),
    (TWO_PIECES, 0, {"seed": 9, "max_new_tokens": 6}),
]


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    """Of many sizes of graphs, those that these prompts have."""
    for name, sizes in {"KEY_SIZES": (256,), "PROMPT_KEYS": 128, "ROW_SIZES": (32, 96), "PIECE_SIZES": (4, 1)}.items():
        monkeypatch.setattr(FishLane, name, sizes)


def streams_of(engine: FishSpeechEngine, asked: Sequence = ASKED) -> list[Iterator[np.ndarray]]:
    return [spoken(engine, text, learned(voice), **given) for text, voice, given in asked]


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 2), (64, 64)])
def test_however_it_is_cut_it_is_the_same_speech(first, largest):
    given = {"initial_codec_chunk_frames": first, "codec_chunk_frames": largest}
    cut = [chunk for chunk in spoken(opened(), TEXT, learned(), **given) if len(chunk)]
    sizes = [len(chunk) // FRAME for chunk in cut]
    assert sizes[0] == min(first, FRAMES)
    assert max(sizes[1:], default=1) <= largest
    assert np.abs(np.concatenate(cut) - reference()).max() <= TOLERANCE
    assert len(reference()) == FRAMES * FRAME


def test_the_first_packet_has_two_frames_and_between_frames_others_have_their_turn():
    sizes = [len(chunk) // FRAME for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:3] == [0, 0, 2]
    assert [size for size in sizes if size] == [2, 4, 6]
    assert sizes.count(0) >= FRAMES


def test_fixed_shapes_change_no_sample_that_can_be_heard():
    for given in ({}, {"temperature": 0.0}, {"initial_codec_chunk_frames": 7}):
        assert np.abs(say(opened(fixed_shapes=True), TEXT, learned(), **given) - reference(**given)).max() <= TOLERANCE, given


def test_interleaved_streams_are_what_each_is_alone():
    engine = opened()
    heard: list[list[np.ndarray]] = [[] for _ in ASKED]
    for chunks in itertools.zip_longest(*streams_of(engine)):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, ASKED, strict=True):
        assert np.array_equal(np.concatenate(parts), reference(text, seed_of_voice=voice, **given))


def test_in_a_batch_each_is_bit_by_bit_what_it_is_alone_at_that_width():
    """Five streams in three rows: they come and go, take turns, and are set aside."""
    engine = opened(width=WIDTH)
    together = advanced_together(engine, streams_of(engine), np.random.default_rng(0))
    for heard, (text, voice, given) in zip(together, ASKED, strict=True):
        assert np.array_equal(heard, say(opened(width=WIDTH), text, learned(voice), **given))
        assert np.abs(heard - reference(text, seed_of_voice=voice, **given)).max() <= TOLERANCE
    assert engine._lane._slots.seated == ()


@pytest.mark.parametrize("late_frames", [0, 1])
def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(few_sizes, late_frames):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    graphs = ReplayedGraphs()
    engine = opened(width=WIDTH, fixed_shapes=True, late_frames=late_frames, graphs=graphs)
    engine._lane.warm_up()
    together = advanced_together(engine, streams_of(engine), np.random.default_rng(7))
    for heard, (text, voice, given) in zip(together, ASKED, strict=True):
        expected = reference(text, seed_of_voice=voice, **given)
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= TOLERANCE
    assert graphs.replays > 3 * FRAMES


def test_one_step_makes_a_frame_of_every_stream_and_none_is_made_in_vain():
    engine = opened(width=WIDTH)
    steps = counted(engine)
    streams = streams_of(engine, [(TEXT, voice % 2, {"seed": voice, "codec_chunk_frames": 2}) for voice in range(WIDTH)])
    heard = [0] * WIDTH
    while not isinstance((results := engine.advance(streams))[0], SpeechEnd):
        for index, chunk in enumerate(results):
            heard[index] += len(chunk) // FRAME
        assert len(set(heard)) == 1
    assert heard == [FRAMES] * WIDTH
    assert steps == [WIDTH] * FRAMES


@pytest.mark.parametrize("n_frames", [1, 3])
def test_a_closed_stream_makes_no_further_frame_and_leaves_its_row(n_frames):
    """Also in the middle of a piece, of the first two frames and of the four that follow."""
    engine = opened()
    steps = counted(engine)
    stream = spoken(engine, TEXT, learned())
    while len(steps) < n_frames:
        next(stream)
    stream.close()
    assert len(steps) == n_frames
    assert engine._lane._slots.seated == ()


def test_the_error_of_one_stream_is_its_own_and_its_row_goes_to_others():
    engine = opened(width=2)
    good, bad = spoken(engine, TEXT, learned(), seed=3), spoken(engine, " ", learned())
    results = engine.advance([good, bad])
    assert isinstance(results[1], Exception)
    good.close()
    assert engine._lane._slots.seated == ()


def test_the_memory_of_streams_that_are_set_aside_counts_until_they_end():
    engine = opened()
    for voice in range(2):
        engine.prepare(learned(voice))
    prepared = engine.memory_bytes()
    streams = streams_of(engine, [(TEXT, 0, {}), (TEXT, 1, {})])
    for _ in range(3):
        for stream in streams:
            next(stream)
    assert engine.memory_bytes() > prepared
    for stream in streams:
        stream.close()
    assert engine.memory_bytes() == prepared


def counted(engine: FishSpeechEngine) -> list[int]:
    """How many streams each step made a frame of, from now on."""
    steps, complete = [], engine._lane._complete_tokens
    engine._lane._complete_tokens = lambda streams: (steps.append(len(streams)), complete(streams))
    return steps
