"""A Clip of several recordings, and the words of each."""

import hashlib

import numpy as np
import pytest

from engines.clips.clip import Clip, Transcript
from engines.errors import TranscriptMismatch

SAMPLES = np.linspace(-1, 1, 6000, dtype=np.float32)


def test_a_clip_gives_back_the_recordings_that_it_is_joined_from():
    clip = Clip(SAMPLES, 16_000, (1000, 4000))
    parts = clip.recordings()
    assert [len(part.samples) for part in parts] == [1000, 3000, 2000]
    assert all(part.sample_rate == 16_000 and not part.joints for part in parts)
    assert np.array_equal(np.concatenate([part.samples for part in parts]), clip.samples)
    alone = Clip(SAMPLES, 16_000)
    assert alone.recordings() == (alone,)


@pytest.mark.parametrize("joints", [(0,), (6000,), (4000, 1000), (1000, 1000), (-5,)])
def test_joints_rise_within_the_clip(joints):
    with pytest.raises(ValueError, match="between 0 and 6000"):
        Clip(SAMPLES, 16_000, joints)


def test_joints_are_part_of_a_clips_digest_only_where_there_are_any():
    plain = hashlib.sha256((16_000).to_bytes(4, "little") + SAMPLES.tobytes()).hexdigest()
    assert Clip(SAMPLES, 16_000).digest == plain
    assert len({plain, *(Clip(SAMPLES, 16_000, joints).digest for joints in [(1000,), (1001,), (1000, 1001)])}) == 4


def test_the_words_of_several_recordings_are_a_line_each():
    words = Transcript.of_recordings([" One\nline. ", "Zwei,\u2028zwei."], 2, "de")
    assert words == Transcript("One line.\nZwei, zwei.", "de")
    assert words.lines(2) == ("One line.", "Zwei, zwei.")
    assert Transcript("One line.\n \n\nZwei, zwei.").lines(2) == words.lines(2)
    assert words.lines(1) == (words.text,)
    assert Transcript.of_recordings(["A\nB"], 1) == Transcript("A\nB")
    assert Transcript.of_recordings(["", " "], 3) is Transcript.of_recordings([], 2) is None


@pytest.mark.parametrize("texts", [["One.", "Two."], ["One.", "", "Three."], ["One.", "Two.", "Three.", "Four."]])
def test_words_that_are_not_of_each_recording_are_refused(texts):
    with pytest.raises(TranscriptMismatch, match=rf"words of {len(list(filter(None, texts)))} recordings, and this voice has 3"):
        Transcript.of_recordings(texts, 3)
    with pytest.raises(TranscriptMismatch, match="and this voice has 3"):
        Transcript("\n".join(texts)).lines(3)


def test_a_single_recording_has_no_words_of_two():
    with pytest.raises(TranscriptMismatch, match=r"words of 2 recordings, and this voice has 1\."):
        Transcript.of_recordings(["One.", "Two."], 1)
