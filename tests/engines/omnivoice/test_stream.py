"""Streams of OmniVoice: piece by piece, alone and with others, on a CPU as on a GPU; what is computed when, and when it ends."""

import itertools

import numpy as np
import pytest

from engines.contract.contract import YIELD_POINT
from engines.contract.speech_end import ENDED, SpeechEnd
from engines.errors import TextUnspeakable
from engines.kit.nn import batch_check
from engines.omnivoice import engine as omnivoice_engine
from engines.omnivoice.batched_decoder import BatchedSentenceDecoder
from tests.engines.advanced_together import advanced_together
from tests.engines.omnivoice.opened import FRAME, FRAMES, PAD, TEXT, learned, opened, reference, say, spoken
from tests.engines.replay import ReplayedGraphs

LONG = "The sentence and then the voice. And then the sentence, and then a voice was heard. And then the voice of the sentence."
SEVERAL = {"duration": 3.2, "first_frames": 20}  # of LONG: pieces of growing length
SIZES = (128, 192, 256)
# text, voice, options of streams that differ in all that streams may differ in; two of them are of one length
ASKED = [
    (TEXT, 0, {"seed": 3}),
    (TEXT, 1, {"instructions": "female, low pitch", "position_temperature": 0.0}),
    (LONG, 1, SEVERAL | {"guidance_scale": 1.0, "language": "en"}),
    ("The voice.", 0, {"num_step": 7, "class_temperature": 0.8}),
    (TEXT, 0, {"seed": 9, "duration": 0.2, "denoise": False}),
    (LONG, 0, {"duration": 3.2, "first_clause": True, "first_steps": 2}),
]


@pytest.fixture
def few_sizes(monkeypatch) -> None:
    monkeypatch.setattr(BatchedSentenceDecoder, "ROW_SIZES", SIZES)
    monkeypatch.setattr(BatchedSentenceDecoder, "LOOP_STEPS", (4,))


def streams_of(engine, asked=ASKED):
    return [spoken(engine, text, learned(voice), **given) for text, voice, given in asked]


def test_interleaved_streams_are_what_each_is_alone():
    engine = opened()
    heard = [[] for _ in ASKED]
    for chunks in itertools.zip_longest(*streams_of(engine)):
        for parts, chunk in zip(heard, chunks, strict=True):
            parts.extend([] if chunk is None else [chunk])
    for parts, (text, voice, given) in zip(heard, ASKED, strict=True):
        assert np.array_equal(np.concatenate(parts), reference(text, seed_of_voice=voice, **given))


@pytest.mark.parametrize("host_lag_frames", [0, 1])
def test_in_areas_of_fixed_sizes_and_in_company_it_is_the_same(few_sizes, host_lag_frames):
    """What a CUDA graph demands: no waiting inside, and nothing of the moment of capture frozen into it."""
    graphs = ReplayedGraphs()
    engine = opened(width=4, fixed_shapes=True, host_lag_frames=host_lag_frames, graphs=graphs)
    engine._batched_decoder.warm_up()
    together = advanced_together(engine, streams_of(engine), np.random.default_rng(7))
    for heard, (text, voice, given) in zip(together, ASKED, strict=True):
        assert np.array_equal(heard, reference(text, seed_of_voice=voice, **given))
    assert graphs.replays > 0
    assert engine._batched_decoder._under_way == []


def counted_steps(engine, monkeypatch) -> list[int]:
    """How many sentences each step of the batched decoder has served."""
    steps, work = [], engine._batched_decoder._step
    monkeypatch.setattr(
        engine._batched_decoder, "_step", lambda state, *rest, **same: (steps.append(len(state.codes)), work(state, *rest, **same))[1]
    )
    return steps


def test_sentences_of_one_length_share_a_step(few_sizes, monkeypatch):
    engine = opened(width=4, fixed_shapes=True)
    engine._batched_decoder.warm_up()
    steps = counted_steps(engine, monkeypatch)
    streams = streams_of(engine, [(TEXT, voice, {"seed": voice}) for voice in (0, 1, 0, 1, 0)])
    heard = _in_turn(engine, streams)
    assert steps[:1] == [4]
    assert set(steps) == {4, 1}
    for samples, voice in zip(heard, (0, 1, 0, 1, 0), strict=True):
        assert np.array_equal(samples, reference(TEXT, seed_of_voice=voice, seed=voice))


def _in_turn(engine, streams) -> list[np.ndarray]:
    """All of them, up to the engine's width at once."""
    heard, going_on = [[] for _ in streams], list(range(len(streams)))
    while going_on:
        now = going_on[: engine.width]
        for index, result in zip(now, engine.advance([streams[index] for index in now]), strict=True):
            if isinstance(result, SpeechEnd):
                assert result is ENDED
                going_on.remove(index)
            else:
                heard[index].append(result)
    return [np.concatenate(parts) for parts in heard]


def test_where_company_would_change_a_bit_every_sentence_has_steps_of_its_own(few_sizes, monkeypatch):
    monkeypatch.setattr(batch_check, "is_exact", lambda network, rows: False)
    engine = opened(width=4, fixed_shapes=True)
    engine._batched_decoder.warm_up()
    steps = counted_steps(engine, monkeypatch)
    _in_turn(engine, streams_of(engine, [(TEXT, 0, {}), (TEXT, 1, {})]))
    assert set(steps) == {1}


def test_company_is_refused_for_a_bit_that_only_the_last_product_changes(few_sizes, monkeypatch):
    """Logits are products of as many rows as the layers', of another shape: a library may choose otherwise for them alone."""
    engine = opened(width=4, fixed_shapes=True)
    backbone, logits = engine._networks.backbone, type(engine._networks.backbone).logits
    monkeypatch.setattr(type(backbone), "logits", lambda self, rows, *given: logits(self, rows, *given) * (1 + (len(rows) > 2) * 2**-20))
    engine._batched_decoder.warm_up()
    assert engine._batched_decoder._shared == {(2, n_rows) for n_rows in SIZES}


def test_later_pieces_of_one_text_share_steps_where_there_is_room(few_sizes, monkeypatch):
    engine = opened(width=4, fixed_shapes=True)
    engine._batched_decoder.warm_up()
    steps = counted_steps(engine, monkeypatch)
    equal = {"duration": 4.0, "first_frames": 20}
    heard = say(engine, "The voice. " + "And then a sentence. " * 8, learned(), **equal)
    assert np.array_equal(heard, reference("The voice. " + "And then a sentence. " * 8, **equal))
    assert steps[0] == 1


def test_a_piece_is_heard_before_a_longer_one_behind_it_is_computed(few_sizes, monkeypatch):
    engine = opened(width=4, fixed_shapes=True)
    engine._batched_decoder.warm_up()
    steps = counted_steps(engine, monkeypatch)
    stream = spoken(engine, LONG, learned(), duration=6.0, first_frames=20)
    heard_after = [len(steps) for chunk in stream if len(chunk)]
    pieces = sorted(set(heard_after))
    assert len(pieces) > 2
    assert pieces == [4 * (index + 1) for index in range(len(pieces))], "of four steps each"


def test_a_sentence_that_is_alone_and_in_a_hurry_is_settled_by_one_graph(few_sizes):
    for loop_graphs, n_turns in ((True, 1), (False, 4)):
        engine = opened(fixed_shapes=True)
        engine._batched_decoder.loops = loop_graphs
        engine._batched_decoder.warm_up()
        stream = spoken(engine, TEXT, learned())
        assert sum(1 for chunk in itertools.takewhile(lambda chunk: chunk is YIELD_POINT, stream)) == n_turns
        stream.close()


def test_a_stream_that_rests_with_a_step_asked_for_keeps_nobody_from_that(few_sizes):
    engine = opened(fixed_shapes=True)
    engine._batched_decoder.warm_up()
    resting = spoken(engine, LONG, learned(), **SEVERAL)
    next(chunk for chunk in resting if len(chunk))
    while engine._batched_decoder._under_way[0].wants is False:
        next(resting)
    newcomer = spoken(engine, TEXT, learned(1))
    assert sum(1 for chunk in itertools.takewhile(lambda chunk: chunk is YIELD_POINT, newcomer)) == 1
    for stream in (resting, newcomer):
        stream.close()


def test_between_steps_others_have_their_turn_and_a_closed_stream_makes_no_further_one(monkeypatch):
    engine = opened()
    steps = counted_steps(engine, monkeypatch)
    stream = spoken(engine, TEXT, learned(), num_step=8)
    for n_steps in range(4):
        assert next(stream) is YIELD_POINT
        assert len(steps) == n_steps
    stream.close()
    assert len(steps) == 3
    assert engine._batched_decoder._under_way == []


def test_a_sentence_comes_in_blocks_that_are_the_samples_of_the_whole(monkeypatch):
    """The decoder hears eleven frames around its own, so that a block of one frame has the samples of the whole."""
    whole = reference(duration=2.0)
    for first, most in ((1, 1), (3, 5), (200, 200)):
        monkeypatch.setattr(BatchedSentenceDecoder, "FIRST_BLOCK_FRAMES", first)
        monkeypatch.setattr(omnivoice_engine, "MOST_BLOCK_FRAMES", most)
        cut = say(opened(), TEXT, learned(), duration=2.0)
        assert len(cut) == len(whole)
        assert np.abs(cut - whole).max() <= 2e-6


def test_the_length_is_what_was_asked_for_whatever_the_pieces():
    for seconds in (0.2, 1.0, 2.12):
        for text in (TEXT, LONG):
            n_samples = len(reference(text, duration=seconds, first_frames=20))
            n_pads = n_samples - int(25 * seconds) * FRAME
            assert n_pads % PAD == 0
            assert n_pads // PAD % 2 == 1, "a pad behind the last piece, and two between pieces"


def test_speed_changes_the_number_of_frames():
    plain, fast = (len(say(opened(), TEXT, learned(), duration=0.0, speed=speed)) - PAD for speed in (1.0, 2.0))
    assert (plain // FRAME) // 2 == fast // FRAME


def test_the_first_piece_is_short_and_sounds_before_the_next_is_begun(monkeypatch):
    engine = opened()
    steps = counted_steps(engine, monkeypatch)
    stream = spoken(engine, LONG, learned(), **SEVERAL)
    first = next(chunk for chunk in stream if len(chunk))
    assert len(steps) == 4
    assert 0 < len(first) <= 20 * FRAME
    stream.close()


def test_fewer_steps_of_the_first_piece_change_nothing_behind_it(monkeypatch):
    engine = opened()
    steps = counted_steps(engine, monkeypatch)
    quick = [chunk for chunk in spoken(engine, LONG, learned(), first_steps=2, **SEVERAL) if len(chunk)]
    assert len(steps) % 4 == 2, "two of the first piece, and four of each other"
    usual = [chunk for chunk in spoken(engine, LONG, learned(), **SEVERAL) if len(chunk)]
    assert not np.array_equal(quick[0], usual[0]), "a block holds the first piece"
    assert np.array_equal(np.concatenate(quick[1:]), np.concatenate(usual[1:]))


def test_a_text_with_nothing_to_say_and_one_without_room_are_refused_before_a_step(monkeypatch):
    engine = opened()
    steps = counted_steps(engine, monkeypatch)
    for nothing in (" \n", "?!"):
        with pytest.raises(TextUnspeakable, match="letter"):
            next(spoken(engine, nothing, learned()))
    monkeypatch.setattr(omnivoice_engine, "MOST_ROWS", 50)
    with pytest.raises(TextUnspeakable, match="50 are the limit"):
        next(spoken(engine, TEXT, learned()))
    assert steps == []
    assert engine._batched_decoder._under_way == []


def test_a_later_piece_that_cannot_be_read_is_refused_before_anything_is_heard(monkeypatch):
    engine = opened()
    steps = counted_steps(engine, monkeypatch)
    for voice in (learned(), engine.preset("design")):
        with pytest.raises(TextUnspeakable):
            next(spoken(engine, LONG + " The <|text_end|>.", voice, **SEVERAL))
    assert steps == []


def test_pieces_that_were_begun_are_released_where_the_next_one_fails(monkeypatch):
    engine = opened(width=4)
    begin, begun = engine._batched_decoder.begin, []

    def begin_two(*given, **settings):
        if len(begun) == 2:
            raise MemoryError("no room for a third")
        begun.append(begin(*given, **settings))
        return begun[-1]

    monkeypatch.setattr(engine._batched_decoder, "begin", begin_two)
    with pytest.raises(MemoryError, match="third"):
        list(spoken(engine, LONG, learned(), **SEVERAL))
    assert engine._batched_decoder._under_way == []


def test_a_speech_has_as_many_frames_as_it_was_given():
    assert len(reference()) == FRAMES * FRAME + PAD


def test_the_memory_of_sentences_under_way_counts_until_they_end():
    engine = opened()
    engine.prepare(learned())
    at_rest = engine.memory_bytes()
    stream = spoken(engine, TEXT, learned())
    next(stream)
    assert engine.memory_bytes() > at_rest
    stream.close()
    assert engine.memory_bytes() == at_rest
