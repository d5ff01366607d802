"""In which order codes are settled: against the same said once more, plainly, for one sentence."""

import math

import pytest
import torch
from torch import Tensor

from engines.kit.sampling.unmasking import UnmaskingTensors, guided, settled
from engines.omnivoice.unmasking import MOST_STEPS, UnmaskingSettings, _times, codes_per_step

BOOKS, FRAMES, ENTRIES, PENALTY = 3, 5, 7, 0.4
MASK = ENTRIES - 1


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def settings(**given: float) -> UnmaskingTensors:
    return UnmaskingTensors.of(torch.tensor([UnmaskingSettings(**given).row]))


def plainly(codes: Tensor, log_probs: Tensor, n: int, temperature: float, noise: Tensor) -> Tensor:
    """One sentence's codes (Q, F) after a step, one code after the other."""
    scores = {}
    for book, frame in torch.nonzero(codes == MASK).tolist():
        score = log_probs[book, frame, :MASK].max().item() - PENALTY * book
        scores[book, frame] = score / temperature + noise[book, frame].item() if temperature else score
    after = codes.clone()
    for book, frame in sorted(scores, key=scores.get, reverse=True)[:n]:
        after[book, frame] = log_probs[book, frame, :MASK].argmax()
    return after


@pytest.mark.parametrize("temperature", [0.0, 5.0])
@pytest.mark.parametrize("n", [0, 1, 4, 13])
def test_the_surest_codes_are_settled_and_no_others(n, temperature):
    codes = torch.full((BOOKS, FRAMES), MASK)
    codes[0, 2], codes[2, 4] = 3, 0
    log_probs, noise = drawn(BOOKS, FRAMES, ENTRIES).log_softmax(-1), drawn(BOOKS, FRAMES, seed=1)
    got = settled(
        codes[None], log_probs[None], torch.tensor([[n]]), settings(layer_penalty_factor=PENALTY, position_temperature=temperature),
        (noise[None], None),
    )[0]  # fmt: skip
    assert torch.equal(got, plainly(codes, log_probs, n, temperature, noise))
    assert (got == MASK).sum() == max(0, 13 - n)


def test_an_open_code_is_never_the_answer_however_likely():
    log_probs = drawn(1, BOOKS, FRAMES, ENTRIES)
    log_probs[..., MASK] += 50
    n_codes = torch.tensor([[BOOKS * FRAMES]])
    for noise in (None, drawn(1, BOOKS, FRAMES, ENTRIES, seed=2)):
        open_codes = torch.full((1, BOOKS, FRAMES), MASK)
        got = settled(open_codes, log_probs, n_codes, settings(class_temperature=1.0), (torch.zeros(1, BOOKS, FRAMES), noise))
        assert (got < MASK).all()


def test_codes_are_drawn_among_the_likeliest_tenth_by_their_probability():
    entries = 41  # of which the likeliest five are kept
    log_probs = drawn(1, 1, 1, entries).log_softmax(-1).expand(1, 1, 20_000, entries)
    uniform = torch.rand(log_probs.shape, generator=torch.Generator().manual_seed(3))
    n_all = torch.tensor([[log_probs.shape[2]]])
    drawn_codes = settled(
        torch.full((1, 1, 20_000), entries - 1), log_probs, n_all, settings(class_temperature=0.5),
        (torch.zeros(1, 1, 20_000), -(-uniform.log()).log()),
    )  # fmt: skip
    kept = log_probs[0, 0, 0, : entries - 1].topk(5)
    shares = torch.stack([(drawn_codes == index).double().mean() for index in kept.indices])
    assert shares.sum() == 1.0
    assert (shares - (kept.values / 0.5).softmax(0)).abs().max() < 0.015


def test_guidance_leads_away_from_what_is_said_without_the_prompt():
    told, untold = drawn(1, BOOKS, FRAMES, ENTRIES), drawn(1, BOOKS, FRAMES, ENTRIES, seed=1)
    got = guided(told, untold, torch.tensor([[2.0]]))
    expected = (3 * told.log_softmax(-1) - 2 * untold.log_softmax(-1)).log_softmax(-1)
    assert torch.allclose(got, expected, atol=1e-5)
    assert torch.allclose(got.exp().sum(-1), torch.ones(1, BOOKS, FRAMES))
    assert torch.allclose(guided(told, untold, torch.zeros(1, 1)), told.log_softmax(-1), atol=1e-6)


def test_settings_are_each_sentences_own():
    """Two sentences in one step, and each of them alone."""
    own = [
        UnmaskingSettings(guidance_scale=1.0, layer_penalty_factor=0.1, position_temperature=0.0),
        UnmaskingSettings(layer_penalty_factor=2.0),
    ]
    tables = torch.tensor([one.row for one in own])
    told, untold = drawn(2, BOOKS, FRAMES, ENTRIES), drawn(2, BOOKS, FRAMES, ENTRIES, seed=1)
    codes, noise, n = torch.full((2, BOOKS, FRAMES), MASK), drawn(2, BOOKS, FRAMES, seed=2), torch.tensor([[3], [8]])

    def step(rows: slice) -> Tensor:
        of = UnmaskingTensors.of(tables[rows])
        return settled(codes[rows], guided(told[rows], untold[rows], of.guidance_scale), n[rows], of, (noise[rows], None))

    assert torch.equal(step(slice(0, 2)), torch.cat([step(slice(0, 1)), step(slice(1, 2))]))


@pytest.mark.parametrize("n_steps", [4, 16, 32, MOST_STEPS])
@pytest.mark.parametrize("n_codes", [8, 40, 1000, 3000])
def test_every_code_is_settled_once_and_early_steps_settle_few(n_codes, n_steps):
    counts = codes_per_step(n_codes, n_steps, 0.1)
    assert sum(counts) == n_codes
    assert len(counts) <= n_steps
    assert min(counts) > 0
    if n_codes == 3000:
        assert len(counts) == n_steps
        assert counts[0] < counts[-1] / 5


def test_a_schedule_is_rounded_as_upstream_rounds_it_with_torch():
    """A step more or less of float32 is a code more or less in a step."""
    for n_steps in range(1, MOST_STEPS + 1):
        assert torch.equal(torch.from_numpy(_times(n_steps)), torch.linspace(0.0, 1.0, n_steps + 1)), n_steps


def test_the_schedule_is_the_makers():
    """Figures of the reference for a sentence of 125 frames and 8 books."""
    counts = codes_per_step(1000, 32, 0.1)
    assert (counts[:4], counts[-2:]) == ([4, 4, 4, 4], [157, 226])
    assert codes_per_step(1000, 4, 1.0) == [250, 250, 250, 250]
    assert math.isclose(sum(codes_per_step(1000, 32, 1.0)[:16]), 512)
