"""The languages this engine offers, their eSpeak voices, and a guess from the script of a text."""

import unicodedata
from collections import Counter
from dataclasses import dataclass

from engines.errors import LanguageUnsupported

__all__ = ["CODES", "Language", "language_of"]


@dataclass(frozen=True)
class Language:
    """code: as callers name it. voice: eSpeak's. source_f0_hz: median F0 of our eSpeak voice in this language."""

    code: str
    voice: str
    source_f0_hz: float = 98.0


_LANGUAGES = (
    Language("en", "en-us"),
    Language("de", "de"),
    Language("es", "es"),
    Language("fr", "fr"),
    Language("it", "it"),
    Language("pt", "pt-br"),
    Language("nl", "nl"),
    Language("pl", "pl"),
    Language("sv", "sv"),
    Language("tr", "tr"),
    Language("ru", "ru"),
    Language("uk", "uk"),
    Language("el", "el"),
    Language("ar", "ar"),
    Language("hi", "hi"),
    Language("zh", "cmn"),
    Language("ja", "ja"),
    Language("ko", "ko"),
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
_UKRAINIAN = set("іїєґІЇЄҐ")


def language_of(text: str, code: str | None) -> Language:
    """The language with the code ("en", also "en-US" or "zh_CN"), or for None the one that the text's script tells, else English."""
    if code is None:
        return _BY_CODE[_guess(text)]
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
