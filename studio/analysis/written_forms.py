"""Written forms: what a word is shortened to, by language, so that the short form and the long one are the same word. A table alone.

Beside what the reading of numbers knows (studio/reading/numbers): titles and abbreviations of Spanish, French, Italian and Portuguese.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

__all__ = ["in_full"]

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
    "nl": {"bijv": "bijvoorbeeld", "d.w.z": "dat wil zeggen", "enz": "enzovoort", "dhr": "de heer", "mevr": "mevrouw", "nr": "nummer"},
    "ru": {"т. е": "то есть", "т.е": "то есть", "т. д": "так далее", "т.д": "так далее", "г": "год", "гг": "годы", "ул": "улица",
           "руб": "рублей", "т. п": "тому подобное", "т.п": "тому подобное", "им": "имени"},
}  # fmt: skip
_AND = {"en": "and", "de": "und", "fr": "et", "es": "y", "it": "e", "pt": "e", "nl": "en", "sv": "och", "pl": "i", "ru": "и"}
# Short forms that are words of their own: only with a full stop behind them.
_WORDS = frozenset("no co mar sat sun min sec mon dec ch st fig vol fr hr std im г им ca str".split())  # noqa: SIM905

_NAME = re.compile(r"\s[A-Z]")


def in_full(text: str, language: str) -> str:
    """The same text with its short forms written in full. language: a base code, such as "de"."""
    if word := _AND.get(language):
        text = re.sub(r"\s*&\s*", f" {word} ", text)
    if language == "de":
        text = re.sub(r"(?<=\w)str\.", "straße", text)
    forms = _FULL.get(language)
    if not forms:
        return text
    return _pattern(language).sub(lambda found: _said(found, forms), text)


def _said(found: re.Match[str], forms: Mapping[str, str]) -> str:
    short = found["short"].lower()
    is_name = short == "st" and _NAME.match(found.string, found.end())  # a saint
    return found[0] if is_name or (short in _WORDS and not found["stop"]) else forms[short]


@lru_cache(8)
def _pattern(language: str) -> re.Pattern[str]:
    shorts = "|".join(sorted(map(re.escape, _FULL[language]), key=len, reverse=True))
    return re.compile(rf"(?<![\w.])(?P<short>{shorts})(?P<stop>\.?)(?![\w])", re.IGNORECASE)
