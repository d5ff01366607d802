"""An answer at another rate is the same sound, however its chunks are cut, and hardly any of it is held back."""

from itertools import pairwise

import numpy as np
import pytest
import soxr

from engines.catalog import engine_ids, engine_info
from studio.audio.resampling import SAMPLE_RATES, Resampler

OTHER_RATE = 37_000  # of no engine
PAIRS = [(from_hz, to_hz) for from_hz in (*SAMPLE_RATES, OTHER_RATE) for to_hz in SAMPLE_RATES if from_hz != to_hz]
MOST_HELD_SECONDS = 0.005


def noise(sample_rate: int, seconds: float = 0.25) -> np.ndarray:
    return (0.1 * np.random.default_rng(0).standard_normal(round(sample_rate * seconds))).astype(np.float32)


def resampled(samples: np.ndarray, from_hz: int, to_hz: int, *, step: int) -> np.ndarray:
    resampler = Resampler(from_hz, to_hz)
    parts = [resampler.push(samples[start : start + step]) for start in range(0, len(samples), step)]
    return np.concatenate([*parts, resampler.finish()])


@pytest.mark.slow
def test_chunks_give_the_samples_of_the_whole_bit_by_bit():
    for from_hz, to_hz in PAIRS:
        samples = noise(from_hz)
        whole = resampled(samples, from_hz, to_hz, step=len(samples))
        assert len(whole) == int(len(samples) * to_hz / from_hz + 0.5)
        for step in (67, from_hz // 25):
            assert np.array_equal(resampled(samples, from_hz, to_hz, step=step), whole), (from_hz, to_hz, step)


@pytest.mark.slow
def test_no_more_than_5_ms_are_held_back():
    for from_hz, to_hz in {*PAIRS, *((engine_info(name).sample_rate, 24_000) for name in engine_ids())}:
        resampler, samples = Resampler(from_hz, to_hz), noise(from_hz)
        edges = range(0, len(samples), from_hz // 100)
        n_made = 0
        for start, end in pairwise(edges):
            n_made += len(resampler.push(samples[start:end]))
            assert end / from_hz - n_made / to_hz < MOST_HELD_SECONDS, (from_hz, to_hz)


def test_it_is_the_sound_that_soxr_makes_of_the_whole():
    """Up to three quarters of the lower rate's band: above, the two give way differently."""
    for from_hz, to_hz in [(22_050, 24_000), (44_100, 24_000), (48_000, 24_000), (16_000, 24_000), (24_000, 48_000)]:
        pitch = 0.375 * min(from_hz, to_hz)
        tones = sum(np.sin(2 * np.pi * hz * np.arange(from_hz) / from_hz) for hz in (220.0, 1_000.0, pitch))
        samples = (0.2 * tones).astype(np.float32)
        ours, theirs = resampled(samples, from_hz, to_hz, step=1000), soxr.resample(samples, from_hz, to_hz, quality="HQ")
        inside = slice(to_hz // 50, -to_hz // 50)  # at its edges a tone that begins at once rings
        assert np.abs(ours[inside] - theirs[inside]).max() < 1e-4, (from_hz, to_hz)  # -80 dB


@pytest.mark.parametrize(("from_hz", "to_hz"), [(48_000, 16_000), (24_000, 8_000)])
def test_what_the_lower_rate_cannot_hold_does_not_come_back_as_another_tone(from_hz, to_hz):
    too_high = np.sin(2 * np.pi * 0.52 * to_hz * np.arange(from_hz // 4) / from_hz).astype(np.float32)
    inside = resampled(too_high, from_hz, to_hz, step=1000)[to_hz // 50 : -to_hz // 50]
    assert np.abs(inside).max() < 10 ** (-80 / 20)


def test_equal_rates_pass_through_untouched():
    samples = noise(24_000)
    assert Resampler(24_000, 24_000).push(samples) is samples


def test_silence_a_sample_and_nothing_stay_what_they_are():
    assert not resampled(np.zeros(4_800, np.float32), 48_000, 24_000, step=100).any()
    assert len(Resampler(22_050, 24_000).finish()) == 0
    assert len(resampled(np.ones(1, np.float32), 22_050, 24_000, step=1)) == 1
    constant = resampled(np.full(2_000, 0.5, np.float32), 22_050, 24_000, step=300)
    assert constant[200:-200] == pytest.approx(0.5, abs=1e-4)
