"""CosyVoice3's flow network: it is its formula, however a speech is cut into calls, and each of its oddities is needed for that."""

from dataclasses import replace

import pytest
import torch

from engines.cosyvoice3.flow.flow import MOST_FRAMES, fixed_noise
from engines.cosyvoice3.flow.pre_lookahead import NO_TOKEN, token_window
from engines.kit.nn.packed_linear import pack_linears
from tests.engines.cosyvoice3.flow.flow_formula import TOY, FlowFormula, toy_weights
from tests.engines.cosyvoice3.flow.toy_flow import SPEECH, FlowSpeech, loaded_flow, toy_flow

FORMULA = FlowFormula(toy_weights())
N = len(SPEECH.tokens)
CLOSE = {"rtol": 0, "atol": 1e-5}  # numbers are about 1

pytestmark = pytest.mark.usefixtures("inference")


@pytest.fixture
def inference():
    with torch.inference_mode():
        yield


@pytest.mark.parametrize("cuts", [(0, N), (0, 10, N), (0, 5, 10, 15, 20, N), (0, 15, 20, N)])
def test_chunks_are_what_the_formula_makes_of_all_at_once(cuts):
    made, expected = SPEECH.mel(cuts), FORMULA.mel(*SPEECH)
    assert 0.3 < expected.std() < 3
    torch.testing.assert_close(made, expected, **CLOSE)


def test_a_prompt_trimmed_at_its_start_brings_the_first_chunk_after_fewer_tokens():
    """A prompt of 7 tokens whose first 4 are dropped ends 2 tokens before a chunk does: 2 new tokens and 3 ahead are enough."""
    trimmed = FlowSpeech(SPEECH.tokens[4:], SPEECH.prompt[8:], SPEECH.embedding)
    expected = FORMULA.mel(*trimmed)
    begun = FlowSpeech(trimmed.tokens[:8], trimmed.prompt, trimmed.embedding)
    memory = toy_flow().new_memory(1, 40)
    torch.testing.assert_close(begun.mel((0, 5), memory), expected[:10], **CLOSE)
    torch.testing.assert_close(trimmed.mel((5, 10, 19), memory), expected[10:], **CLOSE)


@pytest.mark.parametrize("oddity", [{"rotated_heads": TOY.heads}, {"rotated_heads": 0}, {"n_seen_ahead": 1}, {"n_seen_ahead": -1}])
def test_only_the_first_head_is_rotated_and_a_chunk_ends_where_it_does(oddity):
    assert (SPEECH.mel((0, N)) - replace(FORMULA, **oddity).mel(*SPEECH)).abs().max() > 1e-2


def test_frames_that_begin_no_chunk_are_refused():
    with pytest.raises(ValueError, match="begin where a chunk does"):
        toy_flow().steps.whole(range(4, 10), toy_flow().new_memory(1, 20))


def test_more_frames_than_there_is_room_for_are_refused():
    with pytest.raises(ValueError, match="46 frames in a memory of 45"):
        SPEECH.mel((0, N), toy_flow().new_memory(1, 45))


@pytest.mark.parametrize("size", [1, 2, 5, N])
def test_rows_of_tokens_are_the_same_however_they_are_cut(size):
    pieces = [range(start, min(start + size, N)) for start in range(0, N, size)]
    windows = [torch.tensor([token_window(SPEECH.tokens, piece, TOY.pre_lookahead_len)]) for piece in pieces]
    rows = torch.cat([toy_flow().token_rows(window)[0] for window in windows])
    torch.testing.assert_close(rows, FORMULA.token_rows(SPEECH.tokens).repeat_interleave(2, dim=0), **CLOSE)


def test_windows_of_several_streams_make_one_call_at_their_ends_too():
    """One begins, one goes on, one ends; what stands behind an end pads it."""
    spans = (range(6), range(7, 13), range(N - 2, N + 4))
    windows = torch.tensor([token_window(SPEECH.tokens, span, 3) for span in spans])
    assert windows[0, :2].tolist() == [NO_TOKEN] * 2
    assert windows[2, 4:].tolist() == [NO_TOKEN] * 7
    made, expected = toy_flow().token_rows(windows), FORMULA.token_rows(SPEECH.tokens).repeat_interleave(2, dim=0)
    for row, span in zip(made, spans, strict=True):
        there = expected[2 * span.start : 2 * span.stop]
        torch.testing.assert_close(row[: len(there)], there, **CLOSE)


def test_a_speaker_is_a_direction():
    flow, embedding = toy_flow(), SPEECH.embedding[None]
    torch.testing.assert_close(flow.speaker_rows(5 * embedding), flow.speaker_rows(embedding))
    assert not torch.allclose(flow.speaker_rows(-embedding), flow.speaker_rows(embedding), atol=0.1)


def test_noise_is_upstreams_and_drawn_by_nobody_elses_generator():
    state = torch.get_rng_state()
    noise = fixed_noise(80)
    assert torch.equal(torch.get_rng_state(), state)
    with torch.random.fork_rng():
        torch.manual_seed(0)
        assert torch.equal(noise, torch.randn([1, 80, 50 * 300])[0].T)
    assert noise.shape == (MOST_FRAMES, 80)


def test_matrices_laid_out_for_a_cpu_make_the_same():
    flow = loaded_flow()
    pack_linears(flow)
    torch.testing.assert_close(SPEECH.mel((0, 10, N), flow=flow), FORMULA.mel(*SPEECH), **CLOSE)


def test_what_tells_the_time_is_gone_once_it_is_known():
    names = [name for name, _ in toy_flow().named_parameters()]
    assert not [name for name in names if "time_embed" in name or "norm" in name]
