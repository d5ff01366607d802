"""The level of a sound is that of its samples, however they came."""

import numpy as np
import pytest

from studio.audio.level_meter import LevelMeter


def level_of(*chunks: np.ndarray) -> float | None:
    meter = LevelMeter()
    for chunk in chunks:
        meter.add(chunk)
    return meter.dbfs


def test_a_sine_of_full_scale_has_minus_three_and_a_tenth_of_it_minus_twenty_three():
    sine = np.sin(2 * np.pi * np.arange(48_000) / 100).astype(np.float32)
    assert level_of(sine) == pytest.approx(-3.01, abs=0.01)
    assert level_of(sine / 10) == pytest.approx(-23.01, abs=0.01)


def test_chunks_have_the_level_of_the_whole_and_pauses_count():
    loud, pause = np.full(1_000, 0.5, np.float32), np.zeros(3_000, np.float32)
    assert level_of(loud, pause) == pytest.approx(level_of(np.concatenate([loud, pause])))
    assert level_of(loud, pause) == pytest.approx(level_of(loud) - 6.02, abs=0.01)


def test_silence_has_a_number_and_nothing_has_none():
    assert level_of(np.zeros(10, np.float32)) == -120.0
    assert level_of() is None
