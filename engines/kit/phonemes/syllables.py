"""Syllables of a text, as eSpeak NG would say it: numbers and abbreviations are words.

A syllable is a phone that is a vowel; a diphthong is one phone, and so is a vowel with the "l" or "r" behind it that eSpeak makes one
sound of. eSpeak spells what it cannot read, such as Chinese characters in Japanese, by its name: such text has no count.
"""

from engines.errors import EngineError
from engines.kit.phonemes import espeak_library
from engines.kit.phonemes.languages import language_of
from engines.kit.phonemes.phone_features import is_vowel

__all__ = ["count_syllables"]

SPELLED_LANGUAGES = ("ja",)


def count_syllables(text: str, language: str | None) -> int | None:
    """None where eSpeak does not read that language, or is not here. language: a code; None where the text decides. 15 ms a sentence."""
    try:
        spoken = language_of(text, language)
        if spoken.code.split("-")[0] in SPELLED_LANGUAGES:
            return None
        return sum(is_vowel(name) for _, name in espeak_library.speak(text, spoken.voice).phones)
    except EngineError:
        return None
