"""Parity of Fish Audio S2 Pro's sampling: what may be drawn, with which probabilities, and what is drawn from the same noise."""

import numpy as np
import pytest
import torch

from engines.layers.sampling import SamplingTensors, sample_cut_first
from tests.parity import golden
from tests.parity.fish_speech.cases import GOLDEN, N_RACES, SAMPLING, noise, sampling_logits
from tests.parity.fish_speech.oracle import Settings

WIDTHS = (4097, 1024)  # of the semantic codes and the end, and of every other book
SURE = 1e4  # noise by which whatever may be drawn is drawn
NEAR = 1e-3  # between two logarithms of probabilities


def drawn(logits: torch.Tensor, noises: torch.Tensor, settings: Settings) -> list[int]:
    """A code for each row of noise (N, V)."""
    params = SamplingTensors.blank(len(noises), "cpu")
    params.set(settings.temperature, settings.top_k, settings.top_p)
    return sample_cut_first(logits.expand(len(noises), -1), noises, params).tolist()


@pytest.fixture(scope="module")
def theirs() -> dict[str, np.ndarray]:
    return golden.read(GOLDEN / "sampling.safetensors")


@pytest.fixture(scope="module")
def noises() -> dict[int, torch.Tensor]:
    return {width: torch.stack([noise(0, frame, 0, width) for frame in range(N_RACES)]) for width in WIDTHS}


@pytest.mark.parametrize("name", SAMPLING)
def test_what_may_be_drawn_is_what_the_reference_keeps(theirs, name):
    """Of the sixty likeliest, each pushed far ahead of all others; those that are cut do not come."""
    for width in WIDTHS:
        logits, kept = torch.from_numpy(sampling_logits(width)), set(theirs[f"{name}_{width}.kept"].tolist())
        best = logits.topk(60).indices
        pushed = torch.zeros(60, width)
        pushed[torch.arange(60), best] = SURE
        codes = drawn(logits, pushed, SAMPLING[name])
        assert kept <= set(best.tolist())
        assert {code for code, at in zip(codes, best.tolist(), strict=True) if code == at} == kept


@pytest.mark.parametrize("name", SAMPLING)
def test_probabilities_are_tempered_as_the_reference_tempers_them(theirs, name):
    """Noise that makes all of them equal but one, which then comes."""
    for width in WIDTHS:
        kept, probabilities = (torch.from_numpy(theirs[f"{name}_{width}.{part}"]) for part in ("kept", "probabilities"))
        kept = kept.long()
        levelled = torch.zeros(len(kept), width)
        levelled[:, kept] = NEAR * torch.eye(len(kept)) - probabilities.log()
        assert drawn(torch.from_numpy(sampling_logits(width)), levelled, SAMPLING[name]) == kept.tolist()


@pytest.mark.parametrize("name", SAMPLING)
def test_the_same_noise_draws_the_same_codes(theirs, noises, name):
    for width in WIDTHS:
        codes = drawn(torch.from_numpy(sampling_logits(width)), noises[width], SAMPLING[name])
        assert codes == theirs[f"{name}_{width}.drawn"].tolist()
