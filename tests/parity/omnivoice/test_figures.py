"""Figures of OmniVoice beside the official package: as many frames as were asked for, of as much of the clip as was asked for."""

import json
import math

import pytest
import soundfile

from tests.engines.omnivoice.opened import learned, opened
from tests.parity import beside
from tests.parity.our_figures import _Speech

PAD_SECONDS = 0.1  # behind a speech


def test_a_speech_has_the_frames_that_were_asked_for_though_its_length_is_asked_for_in_seconds():
    """29 frames are one of the numbers whose seconds, in binary, are a little less than they should be."""
    subject, n_frames = beside.SUBJECTS["omnivoice"], 29
    assert int(n_frames * subject.frame_seconds * 25) == n_frames - 1
    scenario = {"text": "The voice.", "length_option": subject.length_option, "n_unspoken": subject.n_unspoken}
    scenario |= {"is_in_seconds": subject.is_in_seconds, "frame_seconds": subject.frame_seconds, "n_frames": n_frames}
    figures = _Speech(opened(), scenario).whole(learned())
    assert figures["audio_seconds"] == pytest.approx(n_frames * subject.frame_seconds + PAD_SECONDS)
    assert math.isclose(figures["audio_seconds"], n_frames * subject.frame_seconds, rel_tol=subject.slack)
    assert figures["longest_step_seconds"] < figures["speech_seconds"]


def test_of_a_clip_cut_short_as_many_words_are_left(tmp_path):
    words = json.loads(beside.CLIP.with_suffix(".json").read_text())["transcript"]
    clip, all_of_them = beside._cut(math.inf, words, tmp_path)
    assert (soundfile.info(clip).frames, all_of_them) == (soundfile.info(beside.CLIP).frames, words)
    clip, some = beside._cut(5.0, words, tmp_path)
    assert soundfile.info(clip).duration == pytest.approx(5.0)
    assert words.startswith(some)
    assert len(some.split()) / len(words.split()) == pytest.approx(5.0 / soundfile.info(beside.CLIP).duration, abs=0.02)
