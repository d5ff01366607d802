"""The log-mel front end: its filters, its length, its floor, and what it hears."""

import math

import numpy as np
import pytest
import torch

from engines.kit.codec.mel import LogMel, whisper_log_mel

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

    from engines.kit.codec.mel import _filters

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


def plain_power(samples: np.ndarray, n_fft: int, hop: int) -> np.ndarray:
    """(T,) -> (frames, bins): the discrete Fourier transform by its definition, of frames under a periodic Hann window."""
    turns = np.outer(np.arange(n_fft), np.arange(n_fft // 2 + 1)) / n_fft
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)
    frames = np.lib.stride_tricks.sliding_window_view(samples, n_fft)[::hop] * window
    return np.abs(frames @ np.exp(-2j * np.pi * turns)) ** 2


def plain_bands(power: np.ndarray, rate: int, n_bands: int) -> np.ndarray:
    """By torchaudio's triangles, which are float32."""
    from torchaudio.functional import melscale_fbanks

    return power @ melscale_fbanks(power.shape[1], 0.0, rate / 2, n_bands, rate, norm="slaney", mel_scale="slaney").double().numpy()


def noise(n_samples: int) -> torch.Tensor:
    return torch.randn(n_samples, generator=torch.Generator().manual_seed(0)) * torch.linspace(0, 0.5, n_samples)


def test_magnitudes_are_those_of_the_plain_formula():
    """At the sizes of CosyVoice3's flow."""
    samples = noise(4_900)
    padded = np.pad(samples.double().numpy(), 720, mode="reflect")
    plain = np.log(plain_bands(np.sqrt(plain_power(padded, 1920, 480) + 1e-9), 24_000, 80).clip(min=1e-5))
    ours = LogMel(n_fft=1920, hop_samples=480, n_bands=80)(samples[None])[0]
    assert ours.shape == plain.shape == (10, 80)
    assert np.abs(ours.numpy() - plain).max() < 1e-4


@pytest.mark.parametrize("n_samples", [1_600, 2_399])
def test_whisper_measures_power_and_leaves_out_its_last_frame(n_samples):
    samples = noise(n_samples)
    padded = np.pad(samples.double().numpy(), 200, mode="reflect")
    bands = np.log10(plain_bands(plain_power(padded, 400, 160)[:-1], 16_000, 128).clip(min=1e-10))
    plain = (np.maximum(bands, bands.max() - 8) + 4) / 4
    ours = whisper_log_mel(samples[None])[0]
    assert ours.shape == (128, n_samples // 160)
    assert np.abs(ours.numpy() - plain.T).max() < 1e-4


def test_whisper_hears_nothing_far_below_the_loudest_of_the_same_row():
    samples = torch.cat([torch.zeros(1_600), noise(1_600)])
    loud, soft = whisper_log_mel(torch.stack([samples, samples * 0.1]))
    assert torch.allclose(torch.stack([loud.max() - loud.min(), soft.max() - soft.min()]), torch.tensor(2.0))  # a fourth of 8 decades
    assert torch.allclose(loud - soft, torch.tensor(0.5), atol=1e-4)
