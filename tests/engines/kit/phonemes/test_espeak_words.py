"""Which stretch of a text eSpeak says when."""

import pytest

from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.espeak_words import heard_stretches


@pytest.mark.parametrize(
    ("voice", "text", "stretches"),
    [
        ("en-us", "Out of the blue, it was $5.50.", ["Out of", "the", "blue,", "it", "was", "$5.50."]),
        ("de", "Am 3. Mai 1990 war es gut.", ["Am", "3.", "Mai", "1990", "war", "es", "gut."]),
        ("cmn", "今天很好,去123。", ["今", "天", "很好,", "去", "123。"]),
    ],
)
def test_each_stretch_is_a_word_or_words_that_are_said_as_one(voice, text, stretches):
    found = heard_stretches(espeak_library.speak(text, voice))
    assert [text[one.start : one.end] for one in found] == stretches
    times = [time for one in found for time in (one.start_samples, one.end_samples)]
    assert times == sorted(times)


def test_a_pause_is_no_part_of_the_word_before_it():
    speech = espeak_library.speak("Yes, no.", "en-us")
    yes, no = heard_stretches(speech)
    assert no.start_samples - yes.end_samples > 0.05 * 24_000
