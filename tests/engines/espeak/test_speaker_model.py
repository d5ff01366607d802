"""What is done to predicted frames: sharpened at equal power, and drawn to the speaker's own."""

import numpy as np
import pytest

from engines.espeak.speaker.speaker_model import SpeakerModel, loudness, sharpened
from engines.kit.signal.spectrum import N_CEPSTRA, N_MELS, cepstra_of, envelope_of


@pytest.fixture(scope="module")
def cepstra() -> np.ndarray:
    return (np.random.default_rng(0).standard_normal((50, N_CEPSTRA)) / np.arange(1, N_CEPSTRA + 1)).astype(np.float32)


def _speaker(exemplars: np.ndarray, ceiling: float = np.inf) -> SpeakerModel:
    color = np.linspace(-1, 1, N_MELS).astype(np.float32)
    plain = np.zeros(N_CEPSTRA, np.float32), np.ones(N_CEPSTRA, np.float32)
    slope = np.linspace(8, -2, N_CEPSTRA).astype(np.float32)
    return SpeakerModel(np.zeros((1, 1), np.float32), *plain, exemplars, slope, color, 5.0, 0.1, -10.0, ceiling, 2.0, 1.0)


def test_formants_grow_deeper_and_no_frame_louder(cepstra):
    deeper = sharpened(cepstra)
    power = [np.exp(envelope_of(rows)).mean(1) for rows in (cepstra, deeper)]
    np.testing.assert_allclose(power[1], power[0], rtol=1e-4)
    np.testing.assert_array_equal(deeper[:, 1:3], cepstra[:, 1:3])
    ratio = deeper[:, 3:] / cepstra[:, 3:]
    assert ratio.min() > 1.2 and ratio.std() < 1e-3


def test_frames_come_to_those_of_the_clip_and_their_formants_seven_tenths_of_the_way_as_loud_as_before(cepstra):
    random = np.random.default_rng(1)
    own = np.tile(random.standard_normal((1, N_CEPSTRA)).astype(np.float32), (20, 1))
    own += 0.01 * random.standard_normal(own.shape).astype(np.float32)
    speaker = _speaker(own)
    moved = cepstra + speaker.pull(speaker.varied(cepstra))
    before, after = (np.linalg.norm(rows[:, 1:8] - own[0, 1:8], axis=1) for rows in (cepstra, moved))
    np.testing.assert_allclose(after, before * 0.3, atol=0.02)
    np.testing.assert_allclose(moved[:, 8:], np.tile(own[0, 8:], (50, 1)), atol=0.03)
    np.testing.assert_array_equal(moved[:, 0], cepstra[:, 0])


def test_a_frame_is_drawn_to_those_that_are_near_it(cepstra):
    far = np.concatenate([np.zeros((10, N_CEPSTRA)), np.full((10, N_CEPSTRA), 30.0)]).astype(np.float32)
    assert np.abs(cepstra + _speaker(far).pull(cepstra))[:, 1:].max() < np.abs(cepstra).max()


def test_the_color_and_the_gain_are_added_to_every_frame(cepstra):
    speaker = _speaker(cepstra)
    np.testing.assert_allclose(speaker.log_power(cepstra) - envelope_of(sharpened(cepstra)), np.tile(speaker.color + 2, (50, 1)), atol=1e-5)


def test_voiced_frames_move_with_the_pitch_by_the_speakers_slope(cepstra):
    speaker = _speaker(cepstra)
    away, voicing = np.linspace(-0.25, 0.25, 50), np.repeat([1.0, 0.0], 25)
    moved = cepstra_of(speaker.log_power(cepstra, speaker.shift_at(away, voicing)) - speaker.log_power(cepstra))
    np.testing.assert_allclose(moved[:25], away[:25, None] * speaker.pitch_slope, atol=1e-4)
    assert not moved[25:].any()


def test_a_melody_that_leaves_what_a_clip_can_tell_moves_frames_no_further(cepstra):
    speaker = _speaker(cepstra)
    far, further = (speaker.shift_at(np.full(50, away), np.ones(50)) for away in (0.5, 2.0))
    np.testing.assert_array_equal(far, further)


def test_what_is_louder_than_the_ceiling_is_brought_to_three_tenths_in_the_shape_that_it_has(cepstra):
    loud, free = _speaker(cepstra), _speaker(cepstra).log_power(cepstra)
    before = loudness(free) - loud.gain
    ceiling = float(np.quantile(before, 0.6))
    now = _speaker(cepstra, ceiling).log_power(cepstra)
    above = np.maximum(before - ceiling, 0)
    np.testing.assert_allclose(loudness(now) - loud.gain, before - 0.7 * above, atol=1e-5)
    np.testing.assert_array_equal(now[above == 0], free[above == 0])
    np.testing.assert_allclose(now - now.mean(1, keepdims=True), free - free.mean(1, keepdims=True), atol=1e-5)
