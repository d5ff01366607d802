"""What a head is made of: mostly of the voice that serves all languages, and of hers who speaks English if the clip is like her."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.espeak.prior.prior import LEAST_SHARE
from engines.espeak.speaker.enrollment import Pool, speaker_base
from engines.kit.signal.clip_analysis import ClipAnalysis
from engines.kit.signal.spectrum import SAMPLE_RATE
from studio.speakers.demo import demo_recording

TEXT = "The weather report says that it will rain tomorrow afternoon, and that nobody should leave without a coat."


@pytest.fixture(scope="module")
def pool(prior) -> Pool:
    return Pool.of(prior)


def test_whoever_is_like_the_voice_that_speaks_english_is_made_of_it(engine, prior, pool, say):
    for preset, tract, share in (("heart", 1.0, 1.0), ("nsh", 0.77, LEAST_SHARE), ("rms", 0.77, LEAST_SHARE)):
        recording = ClipAnalysis.of(Clip(say(engine.preset(preset), TEXT, language="en"), SAMPLE_RATE))
        np.testing.assert_array_equal(speaker_base(prior, pool, recording, tract), prior.base_head(tract, share))


def test_between_the_two_the_share_grows_with_the_likeness(prior, pool, monkeypatch):
    recording = ClipAnalysis.of(demo_recording().clip)
    distances = iter([100.0, 89.0])
    monkeypatch.setattr("engines.espeak.speaker.enrollment.match_frames", lambda *given: (np.zeros(0), next(distances)))
    np.testing.assert_allclose(speaker_base(prior, pool, recording, 0.9), prior.base_head(0.9, LEAST_SHARE + 0.8 * 3 / 7), atol=1e-6)


def test_the_demos_clone_has_the_sound_of_its_recording(engine, prior, pool, say):
    """Nearer by its long-term spectrum than what is made of the other voice alone."""
    demo = demo_recording()
    recording = ClipAnalysis.of(demo.clip)
    np.testing.assert_array_equal(speaker_base(prior, pool, recording, 0.96), prior.base_head(0.96, 1.0))
    said = ClipAnalysis.of(Clip(say(engine.extract(demo.clip, demo.transcript), demo.transcript.text, language="en"), SAMPLE_RATE))
    own, clone = (one.log_envelope[one.speech].mean(0) for one in (recording, said))
    away = own - clone - (own - clone).mean()
    assert np.sqrt(np.mean(np.square(away[:100]))) < 0.7  # 3 dB
