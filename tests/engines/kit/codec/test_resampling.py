"""Resampling as librosa: its number of samples, soxr's values, zeros behind."""

import numpy as np
import pytest
import soxr

from engines.kit.codec.resampling import resample

NOISE = np.random.default_rng(0).uniform(-0.5, 0.5, 48_000).astype(np.float32)


@pytest.mark.parametrize(
    ("from_hz", "to_hz", "n_samples", "expected"),
    [
        (44_100, 24_000, 44_100, 24_001),
        (44_100, 24_000, 44_099, 24_000),
        (48_000, 16_000, 48_000, 16_000),
        (16_000, 24_000, 16_001, 24_002),
    ],
)
def test_there_are_as_many_samples_as_librosa_gives(from_hz, to_hz, n_samples, expected):
    resampled = resample(NOISE[:n_samples], from_hz, to_hz)
    assert len(resampled) == expected
    assert resampled.dtype == np.float32
    plain = soxr.resample(NOISE[:n_samples], from_hz, to_hz, quality="HQ")
    n_shared = min(len(plain), expected)
    assert np.array_equal(resampled[:n_shared], plain[:n_shared])
    assert not resampled[n_shared:].any()


def test_a_product_that_rounds_up_is_one_sample_more():
    """441000 * (24000 / 44100) is more than 240000 in floating point."""
    assert len(resample(np.zeros(441_000, np.float32), 44_100, 24_000)) == 240_001


def test_samples_at_the_wanted_rate_are_handed_back():
    assert resample(NOISE, 24_000, 24_000) is NOISE
