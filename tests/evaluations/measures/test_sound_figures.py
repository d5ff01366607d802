"""Claims about figures of a sound alone: when something is heard in it, how loud it is, what of it is cut off."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.evaluations.measures import lacking
from studio.evaluations.measures.signal_figures import loudness_figures, signal_figures
from studio.evaluations.measures.sound_timing import SoundTiming
from tests.evaluations.measures.sounds import RATE, bursts


@pytest.mark.parametrize("level", [0.003, 0.1, 0.5])
def test_silence_is_timed_to_a_hundredth_of_a_second_at_any_level(level):
    timing = SoundTiming.of(bursts(0.30, 1.0, 0.60, 0.5, 0.25, 0.7, 0.45, level=level))
    assert timing.start_silence_seconds == pytest.approx(0.30, abs=0.011)
    assert timing.end_silence_seconds == pytest.approx(0.45, abs=0.011)
    assert timing.longest_pause_seconds == pytest.approx(0.60, abs=0.011)
    assert timing.sounding_seconds == pytest.approx(2.2, abs=0.03)
    assert timing.extent_seconds == pytest.approx(3.05, abs=0.02)
    assert timing.silence == pytest.approx(1.6 / 3.8, abs=0.01)


def test_a_closure_is_no_pause_and_a_sound_without_silence_has_none():
    assert SoundTiming.of(bursts(0.0, 1.0, 0.15, 1.0)).longest_pause_seconds == 0
    whole = SoundTiming.of(bursts(0.0, 1.0))
    assert (whole.start_silence_seconds, whole.end_silence_seconds, whole.silence, whole.noise_dbfs) == (0, 0, pytest.approx(0), None)


def test_a_sound_of_one_level_is_timed_too():
    assert SoundTiming.of(bursts(0.5, 2.0, 0.5)).extent_seconds == pytest.approx(2, abs=0.02)


def test_noise_is_measured_where_nothing_else_is_heard():
    found = signal_figures(bursts(0.5, 1.0, 0.5, 1.0, 0.5, noise=10 ** (-60 / 20))).values
    assert found["noise_db"] == pytest.approx(-60, abs=1)
    assert found["start_silence_ms"] == pytest.approx(500, abs=11)
    assert signal_figures(bursts(0.0, 1.0, 0.5, 1.0)).values["noise_db"] == -120
    assert "noise_db" not in signal_figures(bursts(0.5, 1.0, 0.5)).values, "digital silence around is padding, and tells nothing"


def test_where_speech_fades_without_a_pause_is_no_noise():
    clip = bursts(0.0, 2.0)
    faded = Clip(clip.samples * np.interp(np.arange(2 * RATE), [1.8 * RATE, 2 * RATE], [1, 0.1]).astype(np.float32), RATE)
    timing = SoundTiming.of(faded)
    assert (timing.noise_dbfs, timing.end_silence_seconds) == (None, 0)


def test_loudness_is_that_of_the_recommendation_and_a_short_sound_has_a_peak_alone():
    sine = np.sin(2 * np.pi * 997 * np.arange(RATE) / RATE).astype(np.float32)
    found = loudness_figures(Clip(sine, RATE))
    assert found.values["lufs"] == pytest.approx(-3.01, abs=0.05) and found.values["peak_db"] == pytest.approx(0, abs=0.05)
    short = loudness_figures(Clip(sine[: RATE // 4], RATE))
    assert short.values.keys() == {"peak_db"} and short.lack == lacking.NO_LUFS
    assert loudness_figures(Clip(sine * 1e-5, RATE)).lack == lacking.QUIETER_THAN_LUFS


def test_flat_tops_count_and_silence_has_neither_start_nor_end():
    loud = Clip(np.clip(bursts(0.0, 1.0, level=1.0).samples, -1, 1), RATE)
    assert signal_figures(loud).values["clipped"] == pytest.approx(50, abs=2)  # a sine is above 0.707 of its peak half of the time
    assert signal_figures(bursts(0.0, 1.0)).values["clipped"] == 0
    silent = signal_figures(Clip(np.zeros(RATE, np.float32), RATE))
    assert silent == ({"clipped": 0.0, "silence": 100.0}, lacking.NOTHING_HEARD)


def test_a_click_and_a_single_sample_have_figures():
    click = np.zeros(RATE, np.float32)
    click[RATE // 2] = 1
    assert SoundTiming.of(Clip(click, RATE)).sounding_seconds > 0
    assert SoundTiming.of(Clip(np.ones(1, np.float32), RATE)).is_silent
