"""Written forms: what a word is shortened to, by language, so that the short form and the long one are the same word. Tables alone.

Beside what the reading of numbers knows (studio/reading/numbers): titles and abbreviations of Spanish, French, Italian and Portuguese. Also
spellings and ways of saying numbers, units and money that are the same to who listens.
"""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["in_full", "in_one_spelling", "small_change_alike", "with_signs_read"]

# Language -> short form, in small letters and without its last full stop -> in full.
_FULL: Mapping[str, Mapping[str, str]] = {
    "en": {
        "e.g": "for example", "i.e": "that is", "etc": "et cetera", "vs": "versus", "approx": "approximately", "no": "number",
        "nos": "numbers", "st": "street", "ave": "avenue", "rd": "road", "blvd": "boulevard", "apt": "apartment", "dept": "department",
        "govt": "government", "inc": "incorporated", "ltd": "limited", "corp": "corporation", "co": "company", "mt": "mount",
        "hr": "hour", "hrs": "hours", "min": "minutes", "mins": "minutes", "sec": "seconds", "secs": "seconds", "yr": "year",
        "yrs": "years", "vol": "volume", "ch": "chapter", "fig": "figure", "pp": "pages", "jan": "january", "feb": "february",
        "mar": "march", "apr": "april", "jun": "june", "jul": "july", "aug": "august", "sep": "september", "sept": "september",
        "oct": "october", "nov": "november", "dec": "december", "mon": "monday", "tue": "tuesday", "tues": "tuesday",
        "wed": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday", "fri": "friday", "sat": "saturday",
        "sun": "sunday", "u.s": "united states", "u.s.a": "united states of america", "u.k": "united kingdom", "n.y": "new york",
        "d.c": "dc", "okay": "ok",
    },
    "de": {
        "z. b": "zum beispiel", "z.b": "zum beispiel", "d. h": "das heißt", "d.h": "das heißt", "u. a": "unter anderem",
        "u.a": "unter anderem", "usw": "und so weiter", "bzw": "beziehungsweise", "ca": "circa", "nr": "nummer", "str": "straße",
        "dr": "doktor", "prof": "professor", "hr": "herr", "fr": "frau", "ggf": "gegebenenfalls", "evtl": "eventuell",
        "inkl": "inklusive", "mio": "millionen", "mrd": "milliarden", "std": "stunden", "s. o": "siehe oben", "vgl": "vergleiche",
        "u. s. w": "und so weiter", "v. a": "vor allem", "okay": "ok",
    },
    "fr": {"par ex": "par exemple", "p. ex": "par exemple", "p.ex": "par exemple", "etc": "et cetera", "dr": "docteur", "okay": "ok"},
    "hi": {"डॉ": "डॉक्टर", "प्रो": "प्रोफ़ेसर"},
    "nl": {"bijv": "bijvoorbeeld", "d.w.z": "dat wil zeggen", "enz": "enzovoort", "dhr": "de heer", "mevr": "mevrouw", "nr": "nummer",
           "dr": "doctor", "prof": "professor", "okay": "ok"},
    "ru": {"т. е": "то есть", "т.е": "то есть", "т. д": "так далее", "т.д": "так далее", "г": "год", "гг": "годы", "ул": "улица",
           "руб": "рублей", "т. п": "тому подобное", "т.п": "тому подобное", "им": "имени"},
}  # fmt: skip
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en", "sv": "och", "pl": "i", "ru": "и"}
# Short forms that are words of their own: only with a full stop behind them.
_WORDS = frozenset("no co mar sat sun min sec mon dec ch st fig vol fr hr std im г им ca str".split())  # noqa: SIM905
# Ways of saying the same number or unit: the other one, and the one that counts.
_SAME: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    language: tuple((re.compile(other, re.IGNORECASE), one) for other, one in pairs)
    for language, pairs in {
        "de": ((r"\beintausend", "tausend"), (r"\beinhundert", "hundert"), (r"\bStundenkilometern?\b", "Kilometer pro Stunde")),
        "fr": ((r"\bkilomètres? (?:à l['’ ] ?|par |de l['’ ] ?)heure\b", "kilomètres heure"),),
        "it": ((r"\bchilometri (?:all['’ ] ?|per )ora\b", "chilometri orari"), (r"\b(milion[ei]) e ", r"\1 ")),
        "pt": ((r"\b(milh(?:ão|ões)) e ", r"\1 "),),
        "ru": ((r"\bодин (?=миллион)", ""), (r"\bодна (?=тысяча)", "")),
        "zh": (("两(?=[百千万亿])", "二"), ("负(?=[零一二三四五六七八九十百点0-9.]+度)", "零下")),
    }.items()
}
# Letters that are written in two ways, whatever the language: a Russian ё is mostly an е, the dot of Devanagari is mostly left out, and so
# is the moon of its nasal vowels. ẞ and ß the words' own normalizer takes for ss.
_LETTERS = str.maketrans({"ё": "е", "Ё": "Е", "œ": "oe", "Œ": "Oe", "æ": "ae", "Æ": "Ae", "\u093c": "", "\u0901": "\u0902"})
# Signs of languages whose numbers the studio leaves to the engines: pattern and words.
_SIGNS: Mapping[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    "hi": (
        (re.compile(r"(?<=\d),(?=\d{2,3}(?!\d))"), ""),  # 17,50,000
        (re.compile(r"₹\s?([\d.]+)"), r"\1 रुपये"),
        (re.compile(r"(?<=\d)\.(?=\d)"), " दशमलव "),
        (re.compile(r"(?<=\d)\s?%"), " प्रतिशत"),
    ),
}
_EURO_WORD = re.compile(r"(?<=[.,]\d\d)\s*euros?\b", re.IGNORECASE)
# Language -> words between whole money and its hundredths, and what these are called.
_CHANGE = {"en": ("and", "cents?"), "de": ("und", "Cent"), "fr": ("et", "centimes?"), "es": ("con|y", "céntimos?|centavos?"),
           "it": ("e", "centesimi"), "pt": ("e", "centavos?|cêntimos?"), "nl": ("en", "cent")}  # fmt: skip
_MONEY = "euros?|dollars?|pounds?|reais|real|pesos|franken|francs?|dólares"
_MOST_WORDS = 4  # of a number below a hundred, hyphens included

_NAME = re.compile(r"\s[A-Z]")


def in_full(text: str, language: str) -> str:
    """The same text with its short forms written in full. language: a base code, such as "de"."""
    if word := _AND.get(language):
        text = re.sub(r"\s*&\s*", f" {word} ", text)
    if language == "de":
        text = re.sub(r"(?<=\w)str\.", "straße", text)
    if forms := _FULL.get(language):
        text = _pattern(language).sub(lambda found: _said(found, forms), text)
    for other, one in _SAME.get(language, ()):
        text = other.sub(one, text)
    return text


def in_one_spelling(text: str) -> str:
    """With letters that are written in two ways written in one. Combined as Unicode's NFC has them."""
    return text if text.isascii() else unicodedata.normalize("NFC", text).translate(_LETTERS)


def with_signs_read(text: str, language: str) -> str:
    """With signs beside digits as words, in languages without a grammar of numbers here; and the word for euros behind cents as
    the sign, so that both are read alike. language: a base code."""
    for sign, words in _SIGNS.get(language, ()):
        text = sign.sub(words, text)
    return _EURO_WORD.sub(" €", text)


def small_change_alike(text: str, language: str) -> str:
    """Money in words without what people leave out: "dollars and fifty cents" is "dollars fifty". language: a base code."""
    if language not in _CHANGE:
        return text
    text = _change_pattern(language).sub(r"\1 \2", text)
    return _joint_pattern(language).sub(r"\1 ", text)


@lru_cache(8)
def _change_pattern(language: str) -> re.Pattern[str]:
    joint, cents = _CHANGE[language]
    return re.compile(rf"\b({_MONEY}) (?:(?:{joint}) )?((?:[\w-]+ ){{1,{_MOST_WORDS}}}?)(?:{cents})\b", re.IGNORECASE)


@lru_cache(8)
def _joint_pattern(language: str) -> re.Pattern[str]:
    return re.compile(rf"\b({_MONEY}) (?:{_CHANGE[language][0]}) ", re.IGNORECASE)


def _said(found: re.Match[str], forms: Mapping[str, str]) -> str:
    short = found["short"].lower()
    is_name = short == "st" and _NAME.match(found.string, found.end())  # a saint
    return found[0] if is_name or (short in _WORDS and not found["stop"]) else forms[short]


@lru_cache(8)
def _pattern(language: str) -> re.Pattern[str]:
    shorts = "|".join(sorted(map(re.escape, _FULL[language]), key=len, reverse=True))
    return re.compile(rf"(?<![\w.])(?P<short>{shorts})(?P<stop>\.?)(?![\w])", re.IGNORECASE)
