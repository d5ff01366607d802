"""The soft limiter: nothing happens below its knee, nothing leaves full scale, and no corner is heard between the two."""

import numpy as np
import pytest

from studio.audio.level_meter import KNEE, soft_limited
from studio.errors import NoAudio


def ramp(until: float = 3.0) -> np.ndarray:
    return np.linspace(-until, until, 60_001).astype(np.float32)


def test_below_the_knee_the_samples_are_the_same_array():
    quiet = ramp(KNEE)
    assert soft_limited(quiet) is quiet


def test_beside_a_loud_sample_the_quiet_ones_stay_bit_for_bit():
    samples = np.append(ramp(KNEE), np.float32(2.0))
    assert np.array_equal(soft_limited(samples)[:-1], samples[:-1])


def test_nothing_exceeds_full_scale_and_order_is_kept():
    limited = soft_limited(np.append(ramp(), np.float32(1e30)))
    assert np.abs(limited).max() <= 1.0
    assert np.all(np.diff(limited) >= 0)
    assert np.array_equal(soft_limited(-ramp()), -soft_limited(ramp()))
    assert limited.dtype == np.float32


def test_the_slope_begins_at_one_and_falls_without_a_jump():
    made = np.linspace(0.8, 1.5, 7_001)
    slope = np.diff(soft_limited(made.astype(np.float32)).astype(np.float64)) / np.diff(made)
    smooth = np.convolve(slope, np.ones(50) / 50, "valid")  # float32 rounds single steps
    assert smooth.max() <= 1.001
    assert np.abs(np.diff(smooth)).max() < 0.002
    assert smooth[-1] < 0.001


def test_pieces_are_limited_as_the_whole():
    samples = (2 * np.sin(np.arange(10_000) / 7)).astype(np.float32)
    pieces = [soft_limited(samples[start : start + 77]) for start in range(0, len(samples), 77)]
    assert np.array_equal(np.concatenate(pieces), soft_limited(samples))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", [0, 1])
def test_what_is_no_number_is_an_error(bad, place):
    with pytest.raises(NoAudio):
        soft_limited(np.roll(np.array([bad, 2.0], np.float32), place))
