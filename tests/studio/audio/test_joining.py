"""Several recordings as one clip."""

import numpy as np

from engines.clips.clip import Clip
from studio.audio.decode import joined


def tone(hz: float, rate: int, seconds: float = 0.5) -> Clip:
    return Clip(0.5 * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate), rate)


def test_recordings_of_several_rates_are_joined_at_the_highest():
    parts = [tone(440, 8_000), tone(880, 24_000), tone(660, 16_000)]
    clip = joined(parts)
    assert (clip.sample_rate, clip.joints, clip.seconds) == (24_000, (12_000, 24_000), 1.5)
    assert np.array_equal(clip.recordings()[1].samples, parts[1].samples)  # its own rate: as it is
    for part, hz in zip(clip.recordings(), (440, 880, 660), strict=True):
        inner = slice(1000, -1000)  # the edges of what was resampled ring
        assert np.abs(part.samples - tone(hz, 24_000).samples)[inner].max() < 1e-3


def test_one_recording_stays_the_clip_that_it_is():
    alone = tone(440, 8_000)
    assert joined([alone]) is alone
