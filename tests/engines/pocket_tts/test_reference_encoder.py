"""What the encoder hears of a clip: all of it up to its last sound, at 24 kHz, and then a pause."""

import numpy as np
import pytest
import torch

from engines.clips.clip import Clip
from engines.pocket_tts.reference_encoder import latents_of, prompt_samples
from tests.engines.clips.made_clip import made_clip

RATE, FRAME, PAUSE = 24_000, 480, 1920


def heard(samples: np.ndarray, joints: tuple[int, ...] = ()) -> np.ndarray:
    return prompt_samples(Clip(samples.astype(np.float32), RATE, joints))


def noise(n_samples: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).uniform(-0.5, 0.5, n_samples).astype(np.float32)


def test_it_is_what_the_makers_hear():
    """Numbers of end_on_pause of pocket_tts 4.0.1."""
    samples = made_clip(0.5).samples.copy()
    samples[9000:] *= np.float32(0.002)
    found = heard(samples)
    assert len(found) == 11_040
    expected = {8639: -0.05995135, 8640: -0.06315603, 8800: -0.10208313, 8999: 0.01418265, 9000: 8.0320042e-06, 9119: 0.0}
    assert all(abs(found[at] - value) < 1e-7 for at, value in expected.items())


def test_a_clip_is_neither_louder_nor_later_and_ends_in_80_ms_of_silence_after_a_fade_of_20():
    samples = noise(10 * FRAME)
    samples[:FRAME] = 0
    found = heard(samples)
    assert found.dtype == np.float32
    assert len(found) == len(samples) + PAUSE
    assert np.array_equal(found[: 9 * FRAME], samples[: 9 * FRAME])
    assert np.abs(found[9 * FRAME : 10 * FRAME] - samples[9 * FRAME :] * np.linspace(1, 0, FRAME)).max() < 1e-7
    assert not found[10 * FRAME :].any()


@pytest.mark.parametrize(("below_db", "n_kept"), [(34.9, 10), (35.1, 6)])
def test_what_ends_more_than_35_db_below_the_loudest_is_cut(below_db, n_kept):
    samples = np.tile([0.5, -0.5], 5 * FRAME).astype(np.float32)
    samples[6 * FRAME :] *= 10 ** (-below_db / 20)
    assert len(heard(samples)) == n_kept * FRAME + PAUSE


def test_a_click_at_the_end_keeps_the_silence_before_it():
    samples = np.zeros(20 * FRAME, np.float32)
    samples[[100, -1]] = 0.5
    assert len(heard(samples)) == 20 * FRAME + PAUSE


def test_what_is_left_of_a_frame_is_cut_even_where_it_is_loud():
    assert len(heard(noise(3 * FRAME + 479))) == 3 * FRAME + PAUSE


def test_silence_keeps_its_length_and_less_than_20_ms_stay_as_they_are():
    assert np.array_equal(heard(np.zeros(7 * FRAME)), np.zeros(7 * FRAME + PAUSE))
    assert np.array_equal(heard(noise(FRAME - 1)), noise(FRAME - 1))
    assert len(heard(noise(FRAME))) == FRAME + PAUSE


@pytest.mark.parametrize("rate", [16_000, 44_100, 48_000])
def test_any_rate_is_heard_at_24_khz(rate):
    found = prompt_samples(made_clip(1.0, sample_rate=rate))
    assert len(found) == RATE + PAUSE
    assert np.abs(found[2400:21_600] - made_clip(1.0).samples[2400:21_600]).std() < 0.05


@pytest.mark.parametrize("joint", [8 * FRAME, 8 * FRAME + 7])
def test_recordings_are_heard_one_behind_the_other_and_the_end_is_that_of_the_last(joint):
    """A soft one is not taken for the silence behind a loud one; what is soft beside itself is."""
    samples = noise(20 * FRAME)
    samples[joint:] *= 1e-3
    samples[15 * FRAME :] *= 1e-2
    found = heard(samples, joints=(3 * FRAME, joint))
    assert len(found) == 15 * FRAME + PAUSE
    assert np.array_equal(found[: 14 * FRAME], samples[: 14 * FRAME])
    assert len(heard(samples)) == -(-joint // FRAME) * FRAME + PAUSE


def test_the_last_recording_begins_where_it_does_at_the_clips_own_rate():
    samples = np.tile(np.repeat(np.float32([0.5, -0.5]), 24), 2 * 20 * FRAME // 48)
    samples[2 * 10 * FRAME :] *= 1e-3
    samples[2 * 15 * FRAME :] *= 1e-3
    found = prompt_samples(Clip(samples, 2 * RATE, joints=(2 * 10 * FRAME + 2000,)))
    assert len(found) == 15 * FRAME + PAUSE


def test_a_last_recording_of_less_than_a_frame_ends_the_clip():
    assert len(heard(noise(5 * FRAME), joints=(5 * FRAME - 7,))) == 5 * FRAME + PAUSE


def test_no_clip_grows_by_more_than_the_pause():
    """So that 30 s are at most 376 latents, however many recordings they are."""
    for rate, joints in ((RATE, ()), (RATE, (FRAME,)), (44_100, (44_100 * 29, 44_100 * 29 + 1))):
        assert len(prompt_samples(Clip(np.full(30 * rate, 0.1, np.float32), rate, joints))) == 30 * RATE + PAUSE


def test_latents_are_those_of_what_is_heard():
    class Encoder:
        def encode(self, samples: torch.Tensor) -> torch.Tensor:
            assert not torch.is_grad_enabled()
            return samples.unflatten(0, (-1, 960))[:, :32]

    clip = Clip(noise(10 * FRAME), RATE)
    found = latents_of(clip, Encoder())
    assert (found.shape, found.dtype) == ((7, 32), np.float32)
    assert np.array_equal(found, prompt_samples(clip).reshape(-1, 960)[:, :32])
