"""Where sentences begin is told by silences and lengths; what cannot be told apart is one part, and nothing is cut within words."""

import numpy as np
import pytest

from engines.text.spoken_length import spoken_seconds
from studio.takes.sentence_places import sentence_places

RATE = 8_000
SENTENCES = ("It was cold.", "Nobody was in the street yet, and a dog barked.", "No.", "She closed the window and went down the stairs.")


def hum(seconds: float) -> np.ndarray:
    return 0.3 * np.sin(2 * np.pi * 200 * np.arange(round(seconds * RATE)) / RATE + 1).astype(np.float32)


def hush(seconds: float) -> np.ndarray:
    return np.random.default_rng(1).uniform(-0.001, 0.001, round(seconds * RATE)).astype(np.float32)


def spoken(between: float = 0.3, pace: float = 1.0) -> tuple[np.ndarray, list[float]]:
    """SENTENCES, with a comma's silence in the second; and where each begins, seconds."""
    sounds, starts, at = [], [], 0.0
    for number, sentence in enumerate(SENTENCES):
        seconds = pace * spoken_seconds(sentence)
        starts.append(at)
        words = [hum(seconds / 2), hush(0.14), hum(seconds / 2 - 0.14)] if number == 1 else [hum(seconds)]
        sounds += [*words, hush(between)]
        at = sum(map(len, sounds)) / RATE
    return np.concatenate(sounds), starts


@pytest.mark.parametrize("pace", [0.6, 1.0, 1.5])
def test_sentences_begin_behind_the_silences_between_them_and_not_behind_a_commas(pace):
    samples, starts = spoken(pace=pace)
    found = sentence_places(samples, RATE, SENTENCES)
    assert np.array(found.starts) / RATE == pytest.approx(starts, abs=0.03) and found.n_sentences == (1, 1, 1, 1)
    assert not found.is_cut


def test_what_no_silence_tells_apart_is_one_part():
    found = sentence_places(spoken(between=0.0)[0], RATE, SENTENCES)
    assert sum(found.n_sentences) == 4 and len(found.starts) < 4
    assert sentence_places(hum(5.0), RATE, SENTENCES).n_sentences == (4,)


@pytest.mark.parametrize(("n_whole", "more_seconds"), [(1, 1.0), (3, 0.8)])
def test_a_sound_that_breaks_off_has_the_sentences_before_it_whole(n_whole, more_seconds):
    samples, starts = spoken()
    found = sentence_places(samples[: round((starts[n_whole] + more_seconds) * RATE)], RATE, SENTENCES, pace=1.0)
    assert (len(found.starts), found.is_cut) == (n_whole + 1, True)
    assert np.array(found.starts) / RATE == pytest.approx(starts[: n_whole + 1], abs=0.03)
