"""The code predictor: each codebook is chosen from those before it, one frame leaves nothing for the next."""

import pytest
import torch

from tests.engines.qwen3_tts.checkpoints.networks import Networks, tiny_networks


@pytest.fixture(params=[True, False], ids=["projection", "no projection"])
def networks(request) -> Networks:
    return tiny_networks(projection=request.param)


def frame(networks: Networks, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    width = networks.config.talker.hidden_size
    return tuple(torch.randn(1, width, generator=generator, dtype=torch.float64) for _ in range(2))


def likeliest(logits: torch.Tensor, codebook: int) -> torch.Tensor:
    return logits.argmax(-1)


def test_fifteen_codebooks_are_chosen_in_order_and_come_with_their_rows(networks):
    asked = []
    sample_codebook = lambda logits, codebook: asked.append((codebook, tuple(logits.shape), logits.dtype)) or likeliest(logits, codebook)  # noqa: E731
    codes, rows = networks.predictor.complete(*frame(networks), sample_codebook, networks.predictor.new_cache())
    assert asked == [(codebook, (1, 2048), torch.float32) for codebook in range(1, 16)]
    assert codes.shape == (1, 15)
    for codebook in range(1, 16):
        assert torch.equal(rows[:, codebook - 1], networks.predictor.embed(codebook, codes[:, codebook - 1]))


def test_step_by_step_equals_reading_all_rows_at_once(networks):
    hidden, row0 = frame(networks)
    predictor, all_logits = networks.predictor, []
    sample_codebook = lambda logits, codebook: all_logits.append(logits) or likeliest(logits, codebook)  # noqa: E731
    _, rows = predictor.complete(hidden, row0, sample_codebook, predictor.new_cache())
    whole = torch.cat([hidden[:, None], row0[:, None], rows[:, :-1]], dim=1)
    decoder = predictor.decoder
    seen = decoder(predictor.small_to_mtp_projection(whole), decoder.step(torch.arange(16), 16), predictor.new_cache())
    for codebook, logits in enumerate(all_logits, start=1):
        assert torch.allclose(logits, predictor.lm_head[codebook - 1](seen[:, codebook]).float(), atol=1e-5)


def test_a_choice_changes_later_codebooks_and_no_earlier_one(networks):
    def logits_with(code: int) -> list[torch.Tensor]:
        all_logits = []

        def sample_codebook(logits: torch.Tensor, codebook: int) -> torch.Tensor:
            all_logits.append(logits)
            return torch.tensor([code]) if codebook == 5 else likeliest(logits, codebook)

        networks.predictor.complete(*frame(networks), sample_codebook, networks.predictor.new_cache())
        return all_logits

    one, other = logits_with(1), logits_with(2)
    assert all(torch.equal(a, b) for a, b in zip(one[:5], other[:5], strict=True))
    assert not torch.allclose(one[5], other[5], atol=1e-3)


def test_one_frame_leaves_nothing_for_the_next(networks):
    used = networks.predictor.new_cache()
    networks.predictor.complete(*frame(networks, seed=1), likeliest, used)
    again, _ = networks.predictor.complete(*frame(networks), likeliest, used)
    fresh, _ = networks.predictor.complete(*frame(networks), likeliest, networks.predictor.new_cache())
    assert torch.equal(again, fresh)
