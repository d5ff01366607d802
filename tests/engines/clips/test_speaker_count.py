"""One voice or more than one: a vocoded speaker's, and the same one higher or lower, as another person's would be."""

import numpy as np
import pytest
import soxr

from engines.clips.clip import Clip
from engines.clips.clip_quality import measure_clip
from tests.ui.clips.clips import speech_like

RATE = 16_000


def n_speakers(*parts: np.ndarray) -> int:
    return measure_clip(Clip(np.concatenate(parts).astype(np.float32), RATE)).n_speakers


def voice(seconds: float, size: float = 1.0) -> np.ndarray:
    """(T,) the speaker's voice with pitch and formants divided by `size`."""
    return soxr.resample(speech_like(seconds / size, RATE), RATE, RATE * size)


def test_one_voice_is_one_however_it_is_recorded():
    random = np.random.default_rng(1)
    speech = voice(9.0)
    for taken in (
        speech,
        0.05 * speech,
        speech + 0.01 * random.standard_normal(len(speech)),
        np.convolve(speech, [1, -0.7]),
        voice(9.0, 1.2),
    ):
        assert n_speakers(taken) == 1


@pytest.mark.parametrize("size", [0.8, 1.25])
def test_two_voices_are_more_than_one_in_turns_too(size):
    assert n_speakers(voice(5.0), voice(5.0, size)) == 2
    assert n_speakers(voice(3.0), voice(3.0, size), voice(3.0), voice(3.0, size)) == 2


def test_what_is_too_short_to_tell_is_one():
    assert n_speakers(voice(1.0), voice(1.0, 1.25)) == 1


def test_where_nobody_speaks_there_is_no_voice():
    assert n_speakers(np.zeros(RATE)) == n_speakers(0.1 * np.random.default_rng(1).standard_normal(3 * RATE)) == 0
