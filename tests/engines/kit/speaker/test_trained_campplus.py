"""The trained encoder is the released one with its batch norms folded, and hears a filter bank without its mean."""

import numpy as np
import pytest
import torch
from torchaudio.compliance import kaldi

from engines.kit.speaker.campplus import NORM_EPS, RELEASED_CAMPPLUS, CampPlus
from engines.kit.speaker.trained_campplus import RATE_HZ, TrainedEncoder, folded
from tests.engines.kit.speaker.trained_weights import unfolded


def test_a_batch_norm_behind_a_convolution_becomes_part_of_it():
    drawn = torch.Generator().manual_seed(7)
    theirs = {
        name: torch.rand(value.shape, generator=drawn) + 0.5 if value.is_floating_point() else value
        for name, value in unfolded(CampPlus(RELEASED_CAMPPLUS).state_dict()).items()
    }
    ours = folded(theirs)
    frames = torch.randn(1, 128, 9, generator=drawn)
    layer = "xvector.block1.tdnnd1"
    inner = torch.nn.functional.conv1d(frames, theirs[f"{layer}.linear1.weight"])
    mean, variance, gain, offset = (
        theirs[f"{layer}.nonlinear2.batchnorm.{part}"] for part in ("running_mean", "running_var", "weight", "bias")
    )
    normed = torch.nn.functional.batch_norm(inner, mean, variance, gain, offset, eps=NORM_EPS)
    both = torch.nn.functional.conv1d(frames, ours[f"{layer}.linear1.weight"], ours[f"{layer}.linear1.bias"])
    torch.testing.assert_close(both, normed, rtol=1e-4, atol=1e-3)
    assert CampPlus(RELEASED_CAMPPLUS).load_state_dict(ours, strict=True)


def test_it_hears_a_filter_bank_without_its_mean_whatever_the_loudness(tmp_path):
    torch.manual_seed(6)
    torch.save(unfolded(CampPlus(RELEASED_CAMPPLUS).state_dict()), tmp_path / "trained.pt")
    encoder = TrainedEncoder(tmp_path / "trained.pt")
    samples = 0.1 * np.random.default_rng(2).standard_normal(RATE_HZ).astype(np.float32)
    bank = kaldi.fbank(torch.from_numpy(samples)[None], num_mel_bins=80, sample_frequency=RATE_HZ)
    with torch.inference_mode():
        assert encoder.vector(samples) == pytest.approx(encoder.network((bank - bank.mean(0))[None]).numpy(), abs=1e-5)
    assert encoder.vector(0.25 * samples) == pytest.approx(encoder.vector(samples), abs=1e-3)
