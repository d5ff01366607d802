"""The log-mel front end: its filters, its length, its floor, and what it hears."""

import math

import pytest
import torch

from engines.layers.mel import LogMel

MEL = LogMel()


def tone(hz: float, seconds: float = 0.5) -> torch.Tensor:
    return 0.5 * torch.sin(2 * math.pi * hz * torch.arange(round(seconds * MEL.sample_rate))[None] / MEL.sample_rate)


@pytest.mark.parametrize(("hz", "band"), [(187.5, 6), (1000, 37), (3000, 77), (9000, 117)])
def test_a_tone_is_loudest_in_its_band(hz, band):
    """Bands lie 0.396 mel apart; 1000 Hz is 15 mel."""
    loudest = MEL(tone(hz))[0].mean(dim=0).argmax().item()
    assert abs(loudest - band) <= 1


def test_the_filters_are_those_of_torchaudio():
    """Which computes corners in float32, a fourth digit for the narrowest."""
    from torchaudio.functional import melscale_fbanks

    from engines.layers.mel import _filters

    theirs = melscale_fbanks(513, 0.0, 12_000.0, 128, 24_000, norm="slaney", mel_scale="slaney")
    assert (_filters(MEL) - theirs).abs().max() < 2e-6
    assert torch.allclose(_filters(MEL).sum(0) * MEL.sample_rate / MEL.n_fft, torch.ones(128), atol=0.35)  # unit area, coarsely sampled


@pytest.mark.parametrize("n_samples", [24_000, 24_001, 24_255, 24_256])
def test_there_is_a_row_per_whole_hop(n_samples):
    assert MEL(torch.zeros(2, n_samples)).shape == (2, n_samples // 256, 128)


def test_silence_is_the_floor_and_twice_as_loud_is_log_two_more():
    assert torch.allclose(MEL(torch.zeros(1, 5000)), torch.tensor(1e-5).log())
    loud = MEL(torch.randn(1, 12_000, generator=torch.Generator().manual_seed(0)))
    louder = MEL(2 * torch.randn(1, 12_000, generator=torch.Generator().manual_seed(0)))
    assert torch.allclose(louder - loud, torch.tensor(2.0).log(), atol=1e-4)
