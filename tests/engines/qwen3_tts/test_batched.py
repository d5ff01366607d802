"""Batched steps: one step makes a frame of every stream that wants one, and what a stream says does not depend on who else is there."""

from collections.abc import Iterator, Sequence

import numpy as np
import pytest
import torch

from engines.contract.speech_end import SpeechEnd
from engines.kit.decode.batched_decoder import BatchedDecoder, DecodeSlot, DecodeSlots
from engines.kit.decode.cuda_graphs import Graphs
from engines.qwen3_tts import PACKAGE
from engines.qwen3_tts.batched_decoder import QwenRows
from engines.qwen3_tts.engine import Qwen3TtsEngine
from tests.engines.advanced_together import advanced_together
from tests.engines.qwen3_tts.checkpoints.opened import FRAME, FRAMES, LONG, learned, opened, reference, say, spoken, tiny
from tests.engines.replay import ReplayedGraphs

WIDTH = 3
# Text, voice, options: of different lengths of prompt, text and speech, by all ways of reading.
ASKED = [
    (LONG, 0, {"seed": 3}),
    ("the voice", 1, {"x_vector_only_mode": True, "max_new_tokens": 12}),  # which ends by itself
    (LONG, 1, {"language": "fr", "repetition_penalty": 1.3, "temperature": 0.6}),
    ("and then the", 0, {"non_streaming_mode": True, "codec_chunk_frames": 2}),
    (LONG, 1, {"seed": 9, "top_k": 3, "initial_codec_chunk_frames": 3, "max_new_tokens": 6}),
]


class CountingRows(QwenRows):
    """Counts steps, and the frames that they made."""

    def __init__(self, width: int, **settings):
        super().__init__(tiny(), Graphs(torch.device("cpu")), width=width, **{"fixed_shapes": False} | settings)
        self.steps = self.frames = 0

    def _complete(self) -> None:
        self.steps += 1
        super()._complete()


def streams_of(engine: Qwen3TtsEngine, asked: Sequence = ASKED) -> list[Iterator[np.ndarray]]:
    return [spoken(engine, text, learned(voice), **given) for text, voice, given in asked]


def alone(width: int, **settings) -> list[np.ndarray]:
    """What each says by itself, at this width."""
    return [say(opened(width=width, **settings), text, learned(voice), **given) for text, voice, given in ASKED]


@pytest.fixture(scope="module")
def exact() -> list[np.ndarray]:
    return alone(WIDTH)


@pytest.mark.parametrize("seed", range(2))
def test_what_a_stream_says_is_bit_by_bit_the_same_whoever_else_is_there(exact, seed):
    """Five streams in three rows: they come and go, take turns, and are set aside."""
    engine = opened(width=WIDTH)
    for heard, expected in zip(advanced_together(engine, streams_of(engine), np.random.default_rng(seed)), exact, strict=True):
        assert np.array_equal(heard, expected)
    assert engine._batched_decoder._slots.seated == ()


@pytest.mark.parametrize("width", [16, 32])
def test_so_it_is_with_rows_for_many(width):
    asked = ASKED[1:4]
    engine = opened(width=width)
    together = advanced_together(engine, streams_of(engine, asked), np.random.default_rng(0))
    for heard, (text, voice, given) in zip(together, asked, strict=True):
        assert np.array_equal(heard, say(opened(width=width), text, learned(voice), **given))


def test_newcomers_whose_prompts_have_one_shape_are_read_in_one_pass(exact, monkeypatch):
    """Two of one voice; the third reads its whole text first, behind a beginning that only such texts have."""
    engine, n_read = opened(width=WIDTH), []
    decoder = engine._batched_decoder.rows._decoder
    asked, prefill = [ASKED[0], ("the voice", 0, {"seed": 4}), ASKED[3]], decoder.prefill
    engine.prepare(learned(0))
    monkeypatch.setattr(decoder, "prefill", lambda rows, *rest: n_read.append(len(rows)) or prefill(rows, *rest))
    together = advanced_together(engine, streams_of(engine, asked), np.random.default_rng(0))
    assert sorted(n_read) == [1, 1, 2]
    expected = [exact[0], say(opened(width=WIDTH), "the voice", learned(0), seed=4), exact[3]]
    for heard, alone_said in zip(together, expected, strict=True):
        assert np.array_equal(heard, alone_said)


def test_of_another_width_it_is_the_same_speech(exact):
    for wide, (text, voice, given) in zip(exact, ASKED, strict=True):
        assert np.abs(wide - reference(text, seed_of_voice=voice, **given)).max() <= 1e-5


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_in_fixed_shapes_replayed_without_python_it_is_the_same_too(host_lag_frames):
    engine, graphs = opened(width=WIDTH), ReplayedGraphs()
    engine._batched_decoder = BatchedDecoder(QwenRows(tiny(), graphs, width=WIDTH, fixed_shapes=True, host_lag_frames=host_lag_frames))
    engine.warmup()
    for heard, (text, voice, given) in zip(advanced_together(engine, streams_of(engine), np.random.default_rng(7)), ASKED, strict=True):
        expected = reference(text, seed_of_voice=voice, **given)
        assert len(heard) == len(expected)
        assert np.abs(heard - expected).max() <= 1e-5
    assert graphs.replays > 3 * FRAMES


def test_one_step_makes_a_frame_of_every_stream():
    """Three of eight frames each, advanced together: eight steps and not twenty-four, and none of them sooner than the others."""
    engine = opened(width=WIDTH)
    batched_decoder = engine._batched_decoder = BatchedDecoder(CountingRows(WIDTH))
    streams = streams_of(engine, [(LONG, voice % 2, {"seed": voice}) for voice in range(WIDTH)])
    heard = [0] * WIDTH
    while not isinstance((results := list(engine.advance(streams)))[0], SpeechEnd):
        for index, chunk in enumerate(results):
            heard[index] += len(chunk) // FRAME
        assert len(set(heard)) == 1
    assert heard == [FRAMES] * WIDTH
    assert batched_decoder.rows.steps == FRAMES


def test_who_comes_takes_part_in_the_next_step_and_hears_before_the_others_go_on():
    engine = opened(width=WIDTH)
    batched_decoder = engine._batched_decoder = BatchedDecoder(CountingRows(WIDTH))
    old = streams_of(engine, [(LONG, 0, {}), (LONG, 1, {})])
    for _ in range(4):
        list(engine.advance(old))
    newcomer, steps = spoken(engine, LONG, learned(1), seed=5), batched_decoder.rows.steps
    list(engine.advance([newcomer, *old]))
    assert batched_decoder.rows.steps - steps == 1
    assert len(next(newcomer)) == FRAME, "by the one step that the others took too"
    assert batched_decoder.rows.steps - steps == 1


def test_the_error_of_one_stream_is_its_own(exact):
    engine = opened(width=WIDTH)
    good, bad = streams_of(engine, ASKED[:1])[0], spoken(engine, "", learned())
    results = list(engine.advance([good, bad]))
    assert isinstance(results[1], Exception)
    assert np.array_equal(np.concatenate([results[0], *good]), exact[0])


def test_a_stream_that_is_dropped_leaves_its_row_to_others(exact):
    engine = opened(width=1)
    dropped = spoken(engine, LONG, learned(1))
    for _ in range(5):
        next(dropped)
    dropped.close()
    assert engine._batched_decoder._slots.seated == ()
    assert np.array_equal(say(engine, LONG, learned(), seed=3), reference(seed=3))


def test_the_memory_of_streams_that_are_set_aside_counts_until_they_end():
    engine = opened(width=1)
    before = engine.memory_bytes()
    engine.prepare(learned())
    engine.prepare(learned(1))
    prepared = engine.memory_bytes()
    streams = streams_of(engine, [(LONG, 0, {}), (LONG, 1, {})])
    for _ in range(3):
        for stream in streams:
            next(stream)
    keys = engine._batched_decoder.rows._keys.caches[0].tensor
    assert before < prepared
    assert engine.memory_bytes() - prepared > 25 * keys.nbytes / keys.shape[4], "keys and values of the one who has no row"
    for stream in streams:
        stream.close()
    assert engine.memory_bytes() == prepared


def test_a_row_comes_back_to_the_slot_as_it_left_it():
    state = {}
    slots = DecodeSlots(2, save=lambda slot: state.pop(slot.row), restore=lambda slot: state.update({slot.row: slot.aside}))
    first, second, third = DecodeSlot(), DecodeSlot(), DecodeSlot()
    for name, slot in (("first", first), ("second", second)):
        state[slots.seat(slot)] = name
    slots.seat(first)  # so that the second was used least recently
    state[slots.seat(third)] = "third"
    assert (second.row, second.aside) == (None, "second")
    assert state[slots.seat(second)] == "second"
    assert first.aside == "first" and third.row is not None
    third.wants = second.wants = True
    assert set(map(id, slots.together(second))) == {id(second), id(third)}
    for slot in (first, second, third, third):
        slots.release(slot)
    assert slots.seated == ()


@pytest.mark.parametrize(("dtype", "asked", "width"), [(torch.float32, 0, 1), (torch.bfloat16, 0, 1), (torch.float32, 3, 3)])
def test_a_step_on_a_cpu_serves_one_unless_another_number_is_asked_for(dtype, asked, width):
    engine = Qwen3TtsEngine(PACKAGE.info, tiny(dtype=dtype), width=asked)
    assert engine.width == engine._batched_decoder.width == width
