"""The languages this engine offers, their eSpeak voices, and a guess from the script of a text."""

import unicodedata
from collections import Counter
from dataclasses import dataclass

from engines.errors import LanguageUnsupported

__all__ = ["CODES", "Language", "language_of"]


@dataclass(frozen=True)
class Language:
    """code: as callers name it. voice: eSpeak's. source_f0_hz: median F0 of our eSpeak voice in this language, measured."""

    code: str
    voice: str
    source_f0_hz: float


_LANGUAGES = (
    Language("en", "en-us", 102.0),
    Language("de", "de", 98.7),
    Language("es", "es", 104.4),
    Language("fr", "fr", 102.2),
    Language("it", "it", 99.9),
    Language("pt", "pt-br", 104.7),
    Language("nl", "nl", 103.1),
    Language("pl", "pl", 102.7),
    Language("sv", "sv", 102.2),
    Language("tr", "tr", 100.3),
    Language("ru", "ru", 105.6),
    Language("uk", "uk", 103.4),
    Language("el", "el", 104.3),
    Language("ar", "ar", 101.8),
    Language("hi", "hi", 98.4),
    Language("zh", "cmn", 89.1),
    Language("ja", "ja", 96.6),
    Language("ko", "ko", 102.1),
)
_BY_CODE = {language.code: language for language in _LANGUAGES}
CODES = tuple(_BY_CODE)

# first word of a letter's Unicode name -> language; Latin letters say nothing
_BY_SCRIPT = {
    "CYRILLIC": "ru",
    "GREEK": "el",
    "ARABIC": "ar",
    "DEVANAGARI": "hi",
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
}
_GUESSED_CHARACTERS = 500  # a long text starts as fast as a short one
_UKRAINIAN = set("іїєґІЇЄҐ")


def language_of(text: str, code: str | None) -> Language:
    """The language with the code ("en", also "en-US" or "zh_CN"), or for None the one that the text's script tells, else English."""
    if code is None:
        return _BY_CODE[_guess(text[:_GUESSED_CHARACTERS])]
    language = _BY_CODE.get(code.lower().replace("_", "-").split("-")[0])
    if language is None:
        raise LanguageUnsupported(f"The embedded engine does not speak {code!r}.", f"It speaks {', '.join(CODES)}.")
    return language


def _guess(text: str) -> str:
    counts = Counter(_BY_SCRIPT.get(unicodedata.name(letter, "").split(" ")[0].split("-")[0], "en") for letter in text if letter.isalpha())
    if counts["ja"]:  # kana stand in every Japanese sentence and in no Chinese one
        return "ja"
    if not counts:
        return "en"
    code = counts.most_common(1)[0][0]
    return "uk" if code == "ru" and _UKRAINIAN & set(text) else code
