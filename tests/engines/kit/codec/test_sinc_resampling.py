"""Resampling by a windowed sinc: the windows that are asked for are torchaudio's own."""

import numpy as np
import pytest
import torch
import torchaudio

from engines.kit.codec.sinc_resampling import KAISER_64, sinc_resample

NOISE = np.random.default_rng(0).uniform(-0.5, 0.5, 4_800).astype(np.float32)


@pytest.mark.parametrize("window", [{}, dict(KAISER_64)])
def test_it_is_torchaudio_by_the_window_that_is_asked_for(window):
    samples = torch.from_numpy(NOISE)
    assert torch.equal(
        sinc_resample(NOISE, 48_000, 16_000, window=window), torchaudio.functional.resample(samples, 48_000, 16_000, **window)
    )
    exact = sinc_resample(NOISE, 48_000, 16_000, exact_filter=True, window=window)
    assert torch.equal(exact, torchaudio.transforms.Resample(48_000, 16_000, **window)(samples))


def test_the_longer_window_keeps_more_of_the_highest_tones():
    turns = np.arange(48_000) / 48_000
    tone = np.sin(2 * np.pi * 7_300 * turns).astype(np.float32)
    short, long = (sinc_resample(tone, 48_000, 16_000, window=window).std() for window in ({}, KAISER_64))
    assert short < long
