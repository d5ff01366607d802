"""Claims about phones: what the networks are told of them, so that what was learned of one sound serves those that are made alike."""

from pathlib import Path

import numpy as np
import pytest

from engines.espeak.prior.prior import phones_at
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_library import SILENCE, EspeakSpeech
from engines.kit.phonemes.languages import language_of
from engines.kit.phonemes.phone_features import N_PHONE_FEATURES, phone_features
from engines.kit.signal.spectrum import HOP_SAMPLES

# Phones of eSpeak's voices.
_ENGLISH = "_ n t d ə ɪ ð s l ɹ k z æ ʌ w ɛ m f ɚ p b v aɪ iː h uː eɪ oʊ ɐ i ɡ j ʃ dʒ ɔːɹ aʊ θ tʃ ɑː ŋ ɜː ʊ ᵻ ɔː ɑːɹ əl ɾ ɔ ɔɪ ɛɹ ɪɹ ʒ ʊɹ"
_RUSSIAN = "ʲ ɭ r ɑ o u y a e tʲ sʲ x tʃʲ mʲ dʲ ja ts ɵ ju ɕ ʑ ɪ^"
KNOWN = tuple(f"{_ENGLISH} {_RUSSIAN}".split())
TEXTS = sorted((Path(__file__).parents[3] / "assets" / "texts").rglob("*.txt"))


def test_every_phone_of_every_language_of_the_texts_is_described():
    assert {path.stem for path in TEXTS} >= {"de", "es", "fr", "zh"}
    for path in TEXTS:
        text = path.read_text(encoding="utf-8")[:300]
        for _, name in espeak_library.speak(text, language_of(text, path.stem).voice).phones:
            features = phone_features(name)
            assert features.shape == (N_PHONE_FEATURES,) and np.isfinite(features).all()
            assert bool(features[0]) == (name == SILENCE), (path.stem, name)


@pytest.mark.parametrize(
    ("name", "near", "far"),
    [
        ("eː", "e", "o"),
        ("oː", "o", "a"),
        ("ɑ̃", "ɑ", "i"),
        ("ai", "aɪ", "eɪ"),
        ("ɔø", "ɔɪ", "aʊ"),
        ("β", "v", "s"),
        ("χ", "x", "k"),
        ("ʁ", "x", "m"),
        ("ts.h", "tʃ", "t"),
        ("th", "t", "θ"),
        ("ɲ", "n", "t"),
    ],
)
def test_phones_that_sound_alike_are_told_alike(name, near, far):
    told, alike, other = (phone_features(phone) for phone in (name, near, far))
    assert np.abs(told - alike).sum() < np.abs(told - other).sum()


def test_phones_of_a_language_are_told_apart():
    told = {phone_features(name).tobytes() for name in KNOWN}
    assert len(told) > 0.9 * len(KNOWN)
    assert phone_features("t").tobytes() != phone_features("d").tobytes() != phone_features("n").tobytes()


def test_phones_between_frames_are_those_of_the_moment():
    speech = EspeakSpeech("", np.zeros(0, np.float32), ((0, "a"), (4 * HOP_SAMPLES, "eː"), (8 * HOP_SAMPLES, "_")), (0, 0, 0), (), True)
    whole = phones_at(speech, np.arange(8) * HOP_SAMPLES)
    assert [whole.names[k] for k in whole.numbers[:, 0]] == ["a"] * 4 + ["eː"] * 4
    assert [whole.names[k] for k in whole.numbers[0]] == ["a", "_", "eː"]
    between = phones_at(speech, np.array([3.5, 4.5]) * HOP_SAMPLES)
    assert [between.names[k] for k in between.numbers[:, 0]] == ["a", "eː"] and np.allclose(between.position, [0.875, 0.125])
