"""Claims about what is told of hum, hiss, music and room, on one voice that has none of them."""

from functools import cache

import numpy as np
import pytest
import soxr

from engines.advice.clip_advice import MOST_MUSIC_PERCENT
from engines.clips.clip import Clip, ClipSound
from engines.clips.disturbance import Disturbance
from engines.clips.speech_activity import RATE_HZ, SpeechActivity
from tests.stand_ins.vocoded_speaker import vocoded_speaker

LEVEL = 0.1


@cache
def voice() -> np.ndarray:
    """(T,) at 16 kHz, RMS of LEVEL."""
    clip = vocoded_speaker()
    samples = soxr.resample(clip.samples, clip.sample_rate, RATE_HZ, quality="HQ")
    return samples * LEVEL / np.sqrt(np.mean(np.square(samples)))


def with_sound(sound: np.ndarray, below_db: float) -> np.ndarray:
    return voice() + sound * LEVEL * 10 ** (-below_db / 20) / np.sqrt(np.mean(np.square(sound)))


def time() -> np.ndarray:
    return np.arange(len(voice())) / RATE_HZ


def hum(mains_hz: float) -> np.ndarray:
    return sum(np.sin(2 * np.pi * mains_hz * harmonic * time() + harmonic) / harmonic for harmonic in range(1, 9))


def noise() -> np.ndarray:
    return np.random.default_rng(1).standard_normal(len(voice()))


def chords() -> np.ndarray:
    roots = 220 * 2 ** (np.array([0, -3, 5, 7])[(time() / 0.8).astype(int) % 4] / 12)
    return sum(np.sin(2 * np.pi * roots * ratio * time()) for ratio in (1, 1.26, 1.5)) * np.exp(-(time() % 0.8))


def in_a_room(seconds: float) -> np.ndarray:
    after = np.arange(round(1.2 * seconds * RATE_HZ)) / RATE_HZ
    response = np.random.default_rng(2).standard_normal(len(after)) * 10 ** (-3 * after / seconds)
    response *= 0.7 / np.sqrt(np.sum(np.square(response)))
    response[0] = 1
    n_samples = len(voice()) + len(response)
    return np.fft.irfft(np.fft.rfft(voice(), n_samples) * np.fft.rfft(response, n_samples), n_samples)[: len(voice())]


def disturbance_of(samples: np.ndarray) -> Disturbance:
    clip = Clip(samples.astype(np.float32), RATE_HZ)
    sound = ClipSound.of(clip)
    activity = SpeechActivity.of(clip, sound)
    return Disturbance.of(activity.samples, activity.speech(sound))


def test_a_clean_voice_has_none():
    found = disturbance_of(voice())
    assert (found.hum_hz, found.hum_db) == (0, 60.0)
    assert found.hiss_db > 25
    assert found.music_percent < 5
    assert found.reverberation_seconds < 0.3


@pytest.mark.parametrize("mains_hz", [50.1, 59.9])
def test_hum_is_told_by_its_frequency_and_level_and_is_neither_hiss_nor_music(mains_hz):
    found = disturbance_of(with_sound(hum(mains_hz), 15.0))
    assert found.hum_hz == round(mains_hz)
    assert found.hum_db == pytest.approx(15.0, abs=2.5)
    assert found.hiss_db > 25
    assert found.music_percent < 5


def test_hiss_is_told_by_its_level_and_is_neither_hum_nor_music():
    found = disturbance_of(with_sound(noise(), 15.0))
    assert found.hiss_db == pytest.approx(15.0, abs=2.5)
    assert (found.hum_hz, found.music_percent) == (0, 0)


def test_music_is_heard_in_the_pauses_and_is_neither_hum_nor_hiss():
    found = disturbance_of(with_sound(chords(), 15.0))
    assert found.music_percent > MOST_MUSIC_PERCENT[0]
    assert found.hum_hz == 0
    assert found.hiss_db > 25


def test_a_room_is_told_by_how_long_it_sounds():
    dry, living_room, hall = (disturbance_of(samples) for samples in (voice(), in_a_room(0.4), in_a_room(1.0)))
    assert dry.reverberation_seconds < 0.2
    assert 0.3 < living_room.reverberation_seconds < 0.5 < hall.reverberation_seconds < 1.2
    assert {found.hum_hz for found in (living_room, hall)} == {0}
    assert max(living_room.music_percent, hall.music_percent) <= MOST_MUSIC_PERCENT[0]


def test_of_a_clip_without_speech_nothing_is_told():
    assert disturbance_of(0.1 * noise()) == disturbance_of(np.zeros(100)) == Disturbance()
