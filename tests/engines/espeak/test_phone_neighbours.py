"""Claims about phones that no training voice made: each has a neighbour among those that English and Russian have."""

from pathlib import Path

import numpy as np
import pytest

from engines.espeak import library
from engines.espeak.languages import language_of
from engines.espeak.library import EspeakSpeech
from engines.espeak.phone_neighbours import kind_of, nearest_phone
from engines.espeak.phones import phone_frames, phones_at
from engines.espeak.spectrum import HOP_SAMPLES

# Phones of eSpeak's voices.
_ENGLISH = "_ n t d ə ɪ ð s l ɹ k z æ ʌ w ɛ m f ɚ p b v aɪ iː h uː eɪ oʊ ɐ i ɡ j ʃ dʒ ɔːɹ aʊ θ tʃ ɑː ŋ ɜː ʊ ᵻ ɔː ɑːɹ əl ɾ ɔ ɔɪ ɛɹ ɪɹ ʒ ʊɹ"
_RUSSIAN = "ʲ ɭ r ɑ o u y a e tʲ sʲ x tʃʲ mʲ dʲ ja ts ɵ ju ɕ ʑ ɪ^"
KNOWN = tuple(f"{_ENGLISH} {_RUSSIAN}".split())
TEXTS = sorted((Path(__file__).parents[3] / "assets" / "texts").rglob("*.txt"))


def test_every_phone_of_every_language_of_the_texts_has_a_neighbour_of_its_kind():
    assert {path.stem for path in TEXTS} >= {"de", "es", "fr", "zh"}
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")[:300]
        for _, name in library.speak(text, language_of(text, path.stem).voice).phones:
            nearest = nearest_phone(name, KNOWN)
            assert nearest in KNOWN and kind_of(nearest) == kind_of(name), (path.stem, name, nearest)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("eː", "e"),
        ("oː", "o"),
        ("ɑ̃", "ɑ"),
        ("ai", "aɪ"),
        ("ɔø", "ɔɪ"),
        ("β", "v"),
        ("χ", "x"),
        ("ʁ", "x"),
        ("ts.h", "tʃ"),
        ("ʎ", "ɭ"),
        ("th", "t"),
    ],
)
def test_a_neighbour_sounds_alike(name, nearest):
    assert nearest_phone(name, KNOWN) == nearest


def test_a_known_phone_is_itself_and_none_stands_for_another_kind():
    assert all(nearest_phone(name, KNOWN) == name for name in KNOWN)
    assert nearest_phone("ɲ", ("a", "_")) is None and nearest_phone("ø", ("t", "_")) is None


def test_phones_between_frames_are_those_of_the_moment():
    speech = EspeakSpeech(np.zeros(0, np.float32), ((0, "a"), (4 * HOP_SAMPLES, "eː"), (8 * HOP_SAMPLES, "_")), (), True)
    number_of = {"_": 1, "a": 2, "e": 3}
    whole = phone_frames(speech, 8, number_of)
    assert whole.numbers[:, 0].tolist() == [2] * 4 + [3] * 4 and whole.numbers[0].tolist() == [2, 1, 3]
    between = phones_at(speech, np.array([3.5, 4.5]) * HOP_SAMPLES, number_of)
    assert between.numbers[:, 0].tolist() == [2, 3] and np.allclose(between.position, [0.875, 0.125])
