"""IPA of a text: of that text alone, whatever was read or said before it."""

from random import Random

import numpy as np
import pytest

from engines.errors import EngineFailed
from engines.kit.phonemes.espeak_library import TIE, ipa, speak


def test_words_come_with_stress_and_ties_and_without_punctuation():
    assert ipa("Hello, you.", "en-us") == f"həlˈo{TIE}ʊ juː"
    assert ipa("", "en-us") == ipa(" \n", "en-us") == ""


def test_a_word_of_another_language_is_read_without_its_note():
    said = ipa("weekend", "fr")
    assert said and "(" not in said and ")" not in said


def test_nothing_of_a_text_is_left_for_the_next():
    """The library itself keeps the last letters of "see No. 5" back, and says them before the next text, whosever that is."""
    assert ipa("see No. 5", "en-us") == f"sˈiː nˈo{TIE}ʊ fˈa{TIE}ɪv"
    random, plain = Random(0), ipa("x", "en-us")
    for _ in range(500):
        ipa("".join(random.choice("ab5 .,:'-A?\"(/\0") for _ in range(random.randint(1, 12))), "en-us")
        assert ipa("x", "en-us") == plain


def test_reading_changes_no_speech_and_speech_no_reading():
    spoken, read = speak("Hello.", "en-us").samples, ipa("Hello.", "en-us")
    ipa("bonjour", "fr")
    assert np.array_equal(speak("Hello.", "en-us").samples, spoken)
    assert ipa("Hello.", "en-us") == read


def test_a_voice_that_there_is_not_is_refused():
    with pytest.raises(EngineFailed, match="no voice 'xx'"):
        ipa("a", "xx")
