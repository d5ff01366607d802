"""Streams: cut anywhere, interleaved in any order, batched or alone, they are the same speech; so they are in fixed shapes and replayed."""

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
import pytest

from engines.speech_end import SpeechEnd
from engines.voxcpm2 import lane as lane_module
from engines.voxcpm2.engine import VoxCpm2Engine
from tests.engines.advanced_together import advanced_together
from tests.engines.replay import ReplayedGraphs
from tests.engines.voxcpm2.opened import FEW_STEPS, PATCH, PATCHES, TEXT, learned, opened, reference, say, spoken

TOLERANCE = 2e-5
WIDTH = 3
# Text, voice, options: all modes, other lengths, another number of steps.
ASKED = [
    (TEXT, 0, {"seed": 3}),
    ("And then the voice.", 1, {"mode": "continuation"}),
    (TEXT, 1, {"mode": "both", "cfg_value": 3.0}),
    ("The voice.", 0, {"inference_timesteps": 3, "chunk_patches": 2}),
    (TEXT, 1, {"seed": 9, "instructions": "a text", "max_patches": 5}),
]


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    """Of many sizes of graphs, those that these prompts have, and the steps that most of them ask for."""
    monkeypatch.setattr(lane_module, "DEFAULT_STEPS", FEW_STEPS["inference_timesteps"])
    monkeypatch.setattr(lane_module, "KEY_SIZES", (64,))
    monkeypatch.setattr(lane_module, "ROW_SIZES", (16, 48))


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 2), (16, 16)])
def test_however_it_is_cut_it_is_the_same_speech(first, largest):
    cut = [chunk for chunk in spoken(opened(), TEXT, learned(), first_chunk_patches=first, chunk_patches=largest) if len(chunk)]
    sizes = [len(chunk) // PATCH for chunk in cut]
    assert sizes[0] == min(first, PATCHES)
    assert max(sizes[1:], default=1) <= largest
    assert np.array_equal(np.concatenate(cut), reference())
    assert len(reference()) == PATCHES * PATCH


def test_the_first_patch_comes_at_once_and_between_patches_others_have_their_turn():
    sizes = [len(chunk) // PATCH for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:2] == [0, 1]
    assert [size for size in sizes if size] == [1, 2, 4]
    assert sizes.count(0) >= PATCHES


@pytest.mark.parametrize("mode", ["reference", "continuation", "both"])
def test_fixed_shapes_change_no_sample_that_can_be_heard(mode):
    assert np.abs(say(opened(fixed_shapes=True), TEXT, learned(), mode=mode) - reference(mode=mode)).max() <= TOLERANCE


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
    assert graphs.replays > 3 * PATCHES


def test_one_step_makes_a_patch_of_every_stream_and_none_is_made_in_vain():
    engine = opened(width=WIDTH)
    steps = counted(engine)
    streams = streams_of(engine, [(TEXT, voice % 2, {"seed": voice, "chunk_patches": 1}) for voice in range(WIDTH)])
    heard = [0] * WIDTH
    while not isinstance((results := engine.advance(streams))[0], SpeechEnd):
        for index, chunk in enumerate(results):
            heard[index] += len(chunk) // PATCH
        assert len(set(heard)) == 1
    assert heard == [PATCHES] * WIDTH
    assert steps == [WIDTH] * PATCHES


@pytest.mark.parametrize("n_patches", [1, 3])
def test_a_closed_stream_makes_no_further_patch_and_leaves_its_row(n_patches):
    """Also in the middle of a piece: the largest here has four patches, and only the first is heard by itself."""
    engine = opened()
    steps = counted(engine)
    stream = spoken(engine, TEXT, learned())
    while len(steps) < n_patches:
        next(stream)
    stream.close()
    assert len(steps) == n_patches
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


def test_warming_up_changes_no_later_speech():
    engine = opened()
    engine.warmup()
    assert np.array_equal(say(engine, TEXT, learned()), reference())


def streams_of(engine: VoxCpm2Engine, asked: Sequence = ASKED) -> list[Iterator[np.ndarray]]:
    return [spoken(engine, text, learned(voice), **given) for text, voice, given in asked]


def counted(engine: VoxCpm2Engine) -> list[int]:
    """How many streams each patch was made for, as it goes on."""
    steps, complete = [], engine._lane._complete_tokens
    engine._lane._complete_tokens = lambda streams: (steps.append(len(streams)), complete(streams))
    return steps
