"""Where known words are in a sound: found by phones, in speech whose places are known exactly, and refused where they are not in it."""

import numpy as np
import pytest

from engines.errors import LanguageUnsupported
from engines.kit.alignment.phone_path import PhoneState, best_path
from engines.kit.alignment.word_alignment import align_words
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_words import heard_stretches
from engines.kit.phonemes.languages import language_of

TEXTS = {
    "en": "Please send me a letter, when you arrive in the old town.",
    "de": "Der Zug fährt jeden Morgen um sieben in die Stadt.",
    "es": "El niño mira por la ventana mientras llueve.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_words_are_found_where_espeak_says_them(language):
    text = TEXTS[language]
    speech = espeak_library.speak(text, language_of(text, language).voice)
    known = {stretch.start: stretch for stretch in heard_stretches(speech)}
    found = align_words(speech.samples, 24_000, text, language)
    assert [stretch.start for stretch in found.stretches] == sorted(known)
    off = [abs(stretch.start_seconds - known[stretch.start].start_samples / 24_000) for stretch in found.stretches]
    assert np.mean(off) < 0.04, "the goal of studio/measure/DIARY.md"
    wrong = "Fourteen purple elephants juggle yellow bananas beneath seven bridges."
    assert align_words(speech.samples, 24_000, wrong, "en").score < found.score


def test_places_are_those_of_the_given_text_whatever_its_accents_are_made_of():
    text = "Le cafe\u0301 est te\u0300s bon, oui."
    speech = espeak_library.speak("Le café est tès bon, oui.", "fr")
    found = align_words(speech.samples, 24_000, text, "fr")
    assert [text[stretch.start : stretch.end] for stretch in found.stretches] == ["Le", "cafe\u0301", "est", "te\u0300s", "bon,", "oui."]


def test_a_language_that_nobody_reads_is_refused():
    with pytest.raises(LanguageUnsupported):
        align_words(np.zeros(24_000, np.float32), 24_000, "hello", "tlh-none")


def test_the_best_path_passes_all_states_but_those_that_may_lack():
    states = [PhoneState("_", -1, may_lack=True), PhoneState("a", 0), PhoneState("_", -1, may_lack=True), PhoneState("b", 1)]
    scores = np.full((6, 3), -5.0, np.float32)
    for frame, phone in enumerate([1, 1, 1, 2, 2, 2]):
        scores[frame, phone] = 0.0
    assert best_path(scores, states, {"_": 0, "a": 1, "b": 2}).tolist() == [1, 1, 1, 3, 3, 3]


def test_a_long_chain_is_followed_beyond_the_states_that_are_looked_at_together():
    names = [f"{number % 7}" for number in range(3_000)]
    states = [PhoneState(name, number) for number, name in enumerate(names)]
    scores = np.full((6_000, 7), -4.0, np.float32)
    for frame in range(6_000):
        scores[frame, (frame // 2) % 7] = 0.0
    path = best_path(scores, states, {str(number): number for number in range(7)})
    assert path[0] == 0 and path[-1] == 2_999
    assert np.abs(path - np.arange(6_000) // 2).max() <= 2
