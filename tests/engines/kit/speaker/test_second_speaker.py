"""Signs of a second voice: what the windows say of stand-in embeddings, and of one real pair."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from engines.kit.speaker.second_speaker import SecondSpeaker, SpeakerWindows
from engines.kit.speaker.speaker_encoder import SpeakerEncoder
from tests.ui.clips.clips import speech_like

RATE = 16_000
HOP, WINDOW = 40, 160  # frames of 10 ms


def windows(voices: str, unlikeness: float = 0.5) -> SpeakerWindows:
    """One window per letter, a for one person and b for another, each a little beside its person's direction."""
    random = np.random.default_rng(1)
    one, other = np.eye(8)[:2]
    people = {"a": one, "b": (1 - unlikeness) * one + np.sqrt(1 - (1 - unlikeness) ** 2) * other}
    found = np.stack([people[letter] + 0.05 * random.standard_normal(8) for letter in voices])
    starts = HOP * np.arange(len(voices))
    places = np.column_stack([starts, starts + WINDOW])
    return SpeakerWindows(found / np.linalg.norm(found, axis=1, keepdims=True), places, places / 100)


def test_two_people_are_a_sign_and_the_rarer_is_where_it_is():
    found = SecondSpeaker.among(windows("aaaaaaaaaabbbbbb"))
    assert found.is_a_sign and len(found.spans) == 1
    start, end = found.spans[0]
    assert start == pytest.approx(10 * 0.4 + 0.6, abs=0.05) and end == pytest.approx(15 * 0.4 + 1.6)
    assert [round(edge, 1) for edge in SecondSpeaker.among(windows("bbbbbaaaaaaaaaa")).spans[0]] == [0.0, 2.6]
    assert len(SecondSpeaker.among(windows("aaaaaabbbbaaaaaabbbb")).spans) == 2


def test_one_person_and_two_who_are_alike_are_no_sign():
    for heard in (windows("a" * 16), windows("aaaaaaaabbbbbbbb", unlikeness=0.1)):
        assert SecondSpeaker.among(heard) == SecondSpeaker(SecondSpeaker.among(heard).contrast, ())
        assert 0 < SecondSpeaker.among(heard).contrast < 1


def test_what_is_too_short_says_nothing():
    assert SecondSpeaker.among(windows("aaabbbb")) == SecondSpeaker(0.0)


class Listener:
    """Embeddings by how loud a window is; it counts what it is given."""

    def __init__(self):
        self.heard: list[int] = []

    def windows(self, samples: np.ndarray, starts: list[int]) -> np.ndarray:
        self.heard.append(len(starts))
        return np.tile(np.eye(1, 4), (len(starts), 1))


def test_no_window_hears_two_recordings_and_a_long_clip_costs_no_more():
    speech = speech_like(24.0, RATE)
    listener = Listener()
    heard = SpeakerWindows.of(listener, Clip(speech[: 12 * RATE], RATE, (6 * RATE,)))
    assert len(listener.heard) == 2
    assert not [span for span in heard.spans if span[0] < 6 < span[1]]
    listener.heard.clear()
    SpeakerWindows.of(listener, Clip(np.tile(speech, 5), RATE))
    assert sum(listener.heard) <= 49


def test_a_real_pair_is_told_from_one_voice_in_one_clip_and_in_two_recordings():
    from tests.engines.clips.test_speaker_count import voice

    encoder = SpeakerEncoder.shared()
    one, other = voice(6.0), voice(6.0, 0.75)
    pair = np.concatenate([one, other]).astype(np.float32)
    alone = SecondSpeaker.among(SpeakerWindows.of(encoder, Clip(voice(12.0).astype(np.float32), RATE)))
    for clip in (Clip(pair, RATE), Clip(pair, RATE, (len(one),))):
        found = SecondSpeaker.among(SpeakerWindows.of(encoder, clip))
        assert found.is_a_sign and not alone.is_a_sign, (found.contrast, alone.contrast)
        assert sum(end - start for start, end in found.spans) == pytest.approx(6.0, abs=1.5)
