"""Word errors: counts how many recognized words differ from the expected words.

It compares words only: case, punctuation and the way to write numbers do not count.

In languages that are written without spaces characters are counted instead of words, and in Korean, whose spaces vary.
"""

import re
import unicodedata

from studio.analysis.spoken_number import spoken_number

__all__ = ["compared_words", "counts_characters", "word_errors"]

CHARACTER_LANGUAGES = ("zh", "yue", "cmn", "ja", "th", "lo", "km", "my", "bo", "ko")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u0f00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_GROUPED = re.compile(r"(?<=\d)[,.\u202f\u00a0’](?=\d{3}(?!\d))")  # the marks between thousands
_APOSTROPHES = re.compile(r"['’ʼ`]")
_NUMBER = re.compile(r"\d+")
_PERCENT = {"en": "percent", "de": "prozent", "fr": "pour cent", "es": "por ciento"}
MOST_DIGITS = 9


def word_errors(said: str, heard: str, language: str | None = None) -> tuple[int, int]:
    """(words missing, added and replaced, words that should be said): Levenshtein's distance in words, or characters.

    The first over the second is the word error rate, more than 1 where much was added. language: a code such as "de" or "de-AT" of both.
    """
    language = _base(language) or ("zh" if counts_characters(said) else "")
    wanted, got = compared_words(said, language), compared_words(heard, language)
    row = list(range(len(got) + 1))
    for i, word in enumerate(wanted, 1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(got, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (word != other))
    return row[-1], len(wanted)


def compared_words(text: str, language: str | None = None) -> list[str]:
    """What is compared: small letters, no punctuation, numbers in words; characters where those count."""
    language = _base(language)
    text = unicodedata.normalize("NFKC", _GROUPED.sub("", text)).casefold()
    text = text.replace("%", f" {_PERCENT.get(language, '')} ")
    text = _NUMBER.sub(lambda found: _said(found[0], language), text)
    text = _APOSTROPHES.sub("", text)
    kept = "".join(character if unicodedata.category(character)[0] in "LMN" else " " for character in text)
    return list("".join(kept.split())) if counts_characters(text, language) else kept.split()


def counts_characters(text: str, language: str | None = None) -> bool:
    """Whether characters are counted. language: None where most letters of the text decide."""
    if language:
        return _base(language) in CHARACTER_LANGUAGES
    letters = sum(map(str.isalpha, text))
    return 2 * len(_UNSPACED.findall(text)) > letters


def _said(digits: str, language: str) -> str:
    words = spoken_number(int(digits), language) if len(digits) <= MOST_DIGITS else None
    return words.casefold() if words is not None else digits


def _base(language: str | None) -> str:
    return (language or "").partition("-")[0].casefold()
