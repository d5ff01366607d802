"""Clips from which no voice can be learned are refused with the figure that they have, and the one that they need."""

from dataclasses import replace

import pytest

from engines.errors import ClipUnusable
from engines.kit.signal.clip_analysis import SpeakerQuality, refuse_unusable

SOUND = SpeakerQuality(
    seconds=30.0,
    speech_seconds=20.0,
    voiced_seconds=10.0,
    snr_db=40.0,
    clipped_share=0.0,
    bandwidth_hz=8_000.0,
    level_dbfs=-20.0,
    f0_hz=120.0,
    still_pitch_share=0.1,
)


@pytest.mark.parametrize(
    ("figures", "sentence", "told"),
    [
        ({"voiced_seconds": 0.2, "speech_seconds": 0.5}, "clip_little_speech", r"Only 200 ms .* 500 ms are needed, 8 to 15 s work best\."),
        (
            {"voiced_seconds": 1.0},
            "clip_little_speech",
            "Only 1 s .* 2 s are needed.*: at least 10% of what is no silence must have a voice",
        ),
        ({"still_pitch_share": 0.95}, "clip_music", "still 95 % of the time: at most 50 % are allowed"),
    ],
)
def test_a_clip_without_speech_is_told_what_it_lacks(figures, sentence, told):
    refuse_unusable(SOUND)
    with pytest.raises(ClipUnusable, match=told) as refused:
        refuse_unusable(replace(SOUND, **figures))
    assert (refused.value.code, refused.value.values["sentence"]) == ("clip_no_speech", sentence)
