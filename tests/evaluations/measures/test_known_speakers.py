"""Claims about known voices: whom speech is like, and who is somebody else."""

import numpy as np
import pytest

from engines.clips.clip import Clip
from studio.evaluations.measures.known_speakers import JudgedVoice, KnownSpeakers, Likenesses, in_fours, jointed
from tests.evaluations.measures.sounds import RATE


class PlayedEncoder:
    """Hears a vector by the first sample; nothing where it is 0."""

    def __init__(self, *vectors: tuple[float, float]):
        self.vectors = dict(enumerate(vectors, 1))
        self.heard: list[Clip] = []

    def embedding(self, clip: Clip) -> np.ndarray | None:
        self.heard.append(clip)
        number = round(float(clip.samples[0]))
        return np.array(self.vectors[number]) if number else None


def clip(number: int) -> Clip:
    return Clip(np.full(RATE, number, np.float32), RATE)


def test_the_largest_cosine_of_another_person_is_the_impostors():
    encoder = PlayedEncoder((1.0, 0.0), (0.8, 0.6), (0.0, 1.0))
    voices = {"ada": JudgedVoice(clip(1)), "ada in French": JudgedVoice(clip(2), person="ada"), "eve": JudgedVoice(lambda: clip(3))}
    known = KnownSpeakers.of(encoder, voices)
    heard = known.heard([clip(2), clip(0)])
    assert known.likenesses(heard, "ada") == Likenesses(pytest.approx(0.8), pytest.approx(0.6), "eve")
    assert known.likenesses(heard, "eve") == Likenesses(pytest.approx(0.6), pytest.approx(1.0), "ada in French")
    assert known.likenesses([], "ada") is None is known.likenesses(heard, "nobody")
    assert KnownSpeakers.of(encoder, {"ada": JudgedVoice(clip(1))}).likenesses(heard, "ada") == Likenesses(pytest.approx(0.8), None, "")


def test_recordings_of_one_voice_are_heard_four_at_a_time_and_once():
    encoder = PlayedEncoder((1.0, 0.0), (0.0, 1.0))
    known = KnownSpeakers.of(encoder, {"ada": JudgedVoice(jointed([clip(1)] * 4 + [clip(2)] * 2)), "silent": JudgedVoice(clip(0))})
    assert [one.n_recordings for one in encoder.heard] == [4, 2, 1]
    assert known.speakers["ada"] == pytest.approx([np.sqrt(0.5)] * 2) and known.speakers.keys() == {"ada"}
    assert [one.n_recordings for one in in_fours([clip(1)] * 4)] == [4]
