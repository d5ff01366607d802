"""Streams of Pocket TTS: cut anywhere they are the same speech, pieces know the voice and nothing of one another, and each ends where it
should. What they share with others: ../test_lane_laws.py.
"""

import numpy as np
import pytest
import torch

from engines.contract.speech_end import SpeechEnd
from engines.kit.nn.batch_check import least_rows
from engines.pocket_tts import engine as pocket_engine
from engines.pocket_tts.batched_decoder import FADE_SAMPLES
from engines.pocket_tts.text_pieces import text_pieces
from tests.engines.pocket_tts.opened import FRAME, FRAMES, TEXT, learned, opened, reference, say, spoken, tiny

TOLERANCE = 2e-5
LONG = "The sentence and then the voice. " * 12
KINDS = ("lsd", "pointwise", "drifting")


def ended(engine, text, **given) -> tuple[np.ndarray, SpeechEnd]:
    stream, heard = spoken(engine, text, learned(), **given), []
    while True:
        try:
            heard.append(next(stream))
        except StopIteration as end:
            return np.concatenate(heard), end.value


@pytest.mark.parametrize(("first", "largest"), [(1, 1), (3, 2), (16, 16)])
def test_however_it_is_cut_it_is_the_same_speech(first, largest):
    cut = [chunk for chunk in spoken(opened(), TEXT, learned(), first_chunk_frames=first, chunk_frames=largest) if len(chunk)]
    sizes = [len(chunk) // FRAME for chunk in cut]
    assert sizes[0] == min(first, FRAMES)
    assert max(sizes[1:], default=1) <= largest
    assert np.abs(np.concatenate(cut) - reference()).max() <= TOLERANCE
    assert len(reference()) == FRAMES * FRAME


def test_the_first_frame_comes_at_once_and_between_frames_others_have_their_turn():
    sizes = [len(chunk) // FRAME for chunk in spoken(opened(), TEXT, learned())]
    assert sizes[:2] == [0, 1]
    assert [size for size in sizes if size] == [1, 2, 4, 4, 1]
    assert sizes.count(0) >= FRAMES


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_text_and_start_in_one_pass_are_what_they_are_in_two(kind):
    flow_lm = tiny(kind).flow_lm
    latents, rows = torch.from_numpy(learned(kind=kind).tensors["latents"].copy()), flow_lm.text_rows(range(1, 9))
    merged, apart = flow_lm.new_keys(64), flow_lm.new_keys(64)
    for keys in (merged, apart):
        flow_lm.read(flow_lm.voice_rows(latents), keys)
    at_once = flow_lm.read(rows, merged)
    flow_lm.read(rows[:-1], apart)
    later = flow_lm.read(rows[-1:], apart)
    assert torch.allclose(at_once.condition, later.condition, atol=TOLERANCE)
    assert torch.allclose(at_once.end, later.end, atol=TOLERANCE)
    assert torch.allclose(merged.prefix().keys_values, apart.prefix().keys_values, atol=TOLERANCE)


@pytest.mark.parametrize("kind", KINDS)
@torch.inference_mode()
def test_streams_that_share_a_step_are_bit_by_bit_what_each_is_beside_one_other(kind):
    """Whatever their number and wherever they are: else nothing may be shared (see LatentRows.shares)."""
    flow_lm = tiny(kind).flow_lm
    latents = torch.randn(3, tiny(kind).config.mimi.latent_dim, generator=torch.Generator().manual_seed(0))
    company, alone = ([flow_lm.new_keys(32) for _ in range(3)] for _ in range(2))
    for index, keys in enumerate(zip(company, alone, strict=True)):
        for one in keys:
            flow_lm.read(flow_lm.text_rows(range(2 + 5 * index)), one)
    company_rows = latents[[0, 1, 2, *[0] * (least_rows() - 3)]]
    together = flow_lm.step(company_rows, company)
    for index, keys in enumerate(alone):
        own = flow_lm.step(latents[[index] * least_rows()], [keys])
        assert torch.equal(own.condition[0], together.condition[index])
        keys.n_rows, company[index].n_rows = keys.n_rows + 1, company[index].n_rows + 1
        assert torch.equal(keys.prefix().keys_values, company[index].prefix().keys_values)
    assert opened(kind, width=3)._batched_decoder.rows.shares


def test_a_machine_that_gives_rows_other_bits_in_company_shares_nothing(monkeypatch):
    monkeypatch.setattr("engines.pocket_tts.batched_decoder.is_exact", lambda *_: False)
    engine = opened(width=3)
    assert engine.width == 1
    assert np.array_equal(say(engine, TEXT, learned()), reference())


def test_pieces_of_a_text_know_the_voice_and_nothing_of_one_another(monkeypatch):
    monkeypatch.setattr(pocket_engine, "NOISE_PER_PIECE", 0)
    pieces = text_pieces(LONG, tiny().config.text, lambda part: len(tiny().tokenizer.ids(part)))
    assert len(pieces) > 1
    alone = [say(opened(), piece.text, learned()) for piece in pieces]
    assert np.array_equal(say(opened(), LONG, learned()), np.concatenate(alone))


def test_pieces_do_not_draw_the_same_noise():
    sentence = "The sentence and then the voice is a text. " * 3
    first, second = np.split(say(opened(), sentence * 2, learned()), 2)
    assert not np.array_equal(first, second)


def test_every_piece_fades_in():
    whole = say(opened(), LONG, learned()).reshape(-1, FRAMES - 2, FRAME)
    assert np.array_equal(whole[:, 0, 0], np.zeros(len(whole)))
    assert np.abs(whole[:, 0, FADE_SAMPLES:]).max() > 0


def test_the_same_seed_speaks_the_same_way_and_without_noise_every_seed_does():
    assert np.array_equal(say(opened(), TEXT, learned(), seed=5), reference(seed=5))
    assert not np.array_equal(reference(seed=5), reference())
    assert np.array_equal(reference(seed=5, temperature=0.0), reference(temperature=0.0))


def test_a_text_that_never_ends_is_cut_and_says_so():
    heard, end = ended(opened(), TEXT, max_frames=4)
    assert len(heard) == 4 * FRAME
    assert end.reason == "capped"


def test_more_steps_of_the_head_are_another_speech_of_the_same_length():
    more = reference(decode_steps=4)
    assert len(more) == len(reference())
    assert not np.array_equal(more, reference())


def test_nothing_beyond_full_scale_is_heard():
    assert 0.001 < np.abs(reference()).max() <= 1


def test_a_step_that_fails_leaves_the_others_where_they_were(monkeypatch):
    """All that share a step are drawn before any is kept, with heads of one pass and of several."""
    engine = opened(width=3)
    broken, other = (spoken(engine, TEXT, learned(voice), decode_steps=2 - voice) for voice in range(2))
    heard = [list(engine.advance([broken, other]))[1]]
    make, calls = engine._batched_decoder.rows._head, []

    def fails_once(*of_head):
        calls.append(of_head)
        if len(calls) == 6:
            raise MemoryError
        return make(*of_head)

    monkeypatch.setattr(engine._batched_decoder.rows, "_head", fails_once)
    while not isinstance((results := list(engine.advance([broken, other])))[0], MemoryError):
        heard.append(results[1])
    heard += [results[1], *other]
    assert np.array_equal(np.concatenate(heard), say(opened(width=3), TEXT, learned(1)))
