"""Numbers as words: which places of a text are numbers, and what is said there.

A language is a Grammar of languages/, or a function of its own with the signature of `number_replacements` less its language.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from importlib import import_module

from studio.reading.numbers import codes, dates, formulas, quantities, romans
from studio.reading.numbers.abbreviations import abbreviation_replacements
from studio.reading.numbers.formulas import VULGAR
from studio.reading.numbers.grammar import STAYS, Grammar, Kind, SpellingMissing
from studio.reading.numbers.signs import sign_replacements
from studio.reading.traced_text import Replacement

__all__ = ["LANGUAGES", "number_replacements"]

_HERE, _ROMANCE = "studio.reading.numbers.languages", "studio.reading.numbers.romance"
_EAST_ASIAN = "studio.reading.numbers.east_asian"
# Code -> module and the class of a Grammar in it, or the function. A code that is not here is read as its language ("en-us": "en").
LANGUAGES = {
    "de": f"{_HERE}.german:German",
    "en": f"{_HERE}.english:American",
    "en-gb": f"{_HERE}.english:British",
    "es": f"{_ROMANCE}.spanish:Spanish",
    "es-419": f"{_ROMANCE}.spanish:AmericanSpanish",
    "es-mx": f"{_ROMANCE}.spanish:AmericanSpanish",
    "fr": f"{_ROMANCE}.french:French",
    "fr-be": f"{_ROMANCE}.french:BelgianFrench",
    "fr-ch": f"{_ROMANCE}.french:SwissFrench",
    "it": f"{_ROMANCE}.italian:Italian",
    "ja": f"{_EAST_ASIAN}.japanese:japanese_replacements",
    "ko": f"{_EAST_ASIAN}.korean:korean_replacements",
    "nl": f"{_HERE}.dutch:Dutch",
    "pt": f"{_ROMANCE}.portuguese:BrazilianPortuguese",
    "pt-pt": f"{_ROMANCE}.portuguese:EuropeanPortuguese",
    "ru": f"{_HERE}.russian:Russian",
    "yue": f"{_EAST_ASIAN}.chinese:cantonese_replacements",
    "zh": f"{_EAST_ASIAN}.chinese:mandarin_replacements",
}
_ENDINGS = (
    "com|org|net|edu|gov|io|de|fr|es|it|nl|ru|uk|eu|info|dev|app|ai|tv|html?|php|js|ts|css|py|txt|md|csv|tsv|json|xml|ya?ml|toml|ini|log"
)
_ENDINGS += (
    "|pdf|docx?|xlsx?|pptx?|odt|jpe?g|png|gif|svg|webp|mp3|mp4|wav|flac|ogg|opus|m4a|mkv|avi|mov|zip|tar|gz|7z|exe|dll|so|sh|bat|srt|vtt"
)
# What stays whole: addresses, paths, names of files, tags; words with digits in them (H2O, A320, COVID-19) but for versions.
_KEPT = rf"""
    [a-zA-Z][a-zA-Z0-9+.-]*://\S+ | www\.\S+ | (?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+
    | (?<![\w./\\-])[\w-]+(?:[./\\][\w-]+)*\.(?:{_ENDINGS})(?![\w])(?:[/:?\#][^\s,;)]*)?
    | (?<![\w/])(?:~|\.{{1,2}})?/(?:[\w.@-]+/)+[\w.@-]* | (?<!\w)[A-Za-z]:\\\S+
    | [@\#](?=\w*[^\W\d])\w+ | (?<!\w)0x[0-9a-fA-F]+
    | (?<![\w–-])(?!(?:mid|pre|post)-\d)(?!v\d+(?!\w)|[vV]\d+\.\d)(?!(?:US|[A-Z])?\$)(?![nN]º\d)
        [^\W\d_]+(?:[-–][^\W\d_]+)*[-–]?\d[\w-]*(?:[.:]\d[\w-]*)*
"""
_SIGNS = r"-−–+±~≈(#'’$€£¥₹₽₩₿§№<>≤≥=×÷≠√"
_START = re.compile(
    rf"""(?P<kept>{_KEPT})
    | (?P<word>(?<![\w.@/])(?:
        [IVXLCDM]+(?:th|st|nd|rd|es?|er|re|ère|èmes?|ᵉʳ?)?(?!\w)
        | (?=[^\W_]*[^\W\d_])[^\W\d_]{{1,12}}(?:\.(?:os|[ºª°])?|°s?)?[\s\u00a0]?(?:[$#]\s?)?(?=\d)
        | [a-zA-Z]{{1,2}}(?=[\^²³⁰-⁹⁻]|\s?(?:[<>!=]=|[<>=≤≥≠≈+×÷*−])\s?[\w−-]) ))
    | (?P<number>(?:(?<![\w.,:/\\@])(?<!\w[-–−+*=^~&])(?<!\d['’])(?<!\*)|(?<=\bmid-)|(?<=\bpre-)|(?<=\bpost-))\.?\d | [{"".join(VULGAR)}])
    | (?P<sign>(?<!\w)[{_SIGNS}](?=\s?[{_SIGNS}]?\s?(?:[A-Z]{{0,3}}[$€£¥₹]\s?)?[-−]?\.?\d))
    """,
    re.VERBOSE,
)
# One of them is in or behind all that begins there. A capital before a small letter is no Roman number, but for a French ordinal ("Ier").
_MARK = re.compile(
    rf"[\d{''.join(VULGAR)}⁰¹²³⁴-⁹<>≤≥=×÷≠≈IVXLCDM]"
    r"(?:(?<![A-Z](?=[^\WA-Z\d_]))|(?<=[IVX](?=(?:er|re|e|ère|ème)(?!\w))))(?<![<>≤≥=×÷≠≈]{2})(?<![IVXLCDM]{2})"
)
_AHEAD, _BEHIND = 256, 16  # letters before and behind a mark in which a number is looked for that begins before the mark or at it
_TOKEN = re.compile(r"[\w°]+(?:[.,:/\\–'+*=^<>|&%~-]+\w+)*")
_WORD = re.compile(r"[^\W\d_]+\.?")
_LIST_NUMBER = Kind(re.compile(r"(?m:^)[ \t]*\d{1,3}[.)](?=\s)"), lambda match: STAYS)
_DIGITS = re.compile(r"\d{16,}(?!\w|[.,:/-]\d)")
_Said = Callable[[re.Match[str]], str | None]
_Reader = Callable[[str], list[Replacement]]


def number_replacements(text: str, language: str) -> list[Replacement]:
    """In order, not overlapping. language: a code of the studio ("en", "en-gb", "pt-br"); of one without a grammar the signs are read."""
    code = language.lower().replace("_", "-")
    place = LANGUAGES.get(code) or LANGUAGES.get(code.split("-")[0])
    numbers = _reader(place)(text) if place else sign_replacements(text, code)
    abbreviations = abbreviation_replacements(text, code.split("-")[0])
    if not abbreviations:
        return numbers
    taken = {at for start, end, _ in numbers for at in range(start, end)}
    return sorted([*numbers, *(one for one in abbreviations if taken.isdisjoint(range(one.start, one.end)))])


@lru_cache(len(LANGUAGES))
def _reader(place: str) -> _Reader:
    module, _, name = place.partition(":")
    found = getattr(import_module(module), name)
    return _GrammarReader(found()) if isinstance(found, type) else found


class _GrammarReader:
    """A language by its Grammar. Its patterns are made when the first number is met."""

    def __init__(self, grammar: Grammar):
        self._grammar = grammar
        self._kinds: list[tuple[Callable[[str, int], re.Match[str] | None], _Said]] = []

    def __call__(self, text: str) -> list[Replacement]:
        replacements: list[Replacement] = []
        at = 0
        while (start := _next_start(text, at)) is not None:
            if start["kept"]:
                at = start.end()
                continue
            end, said = self._read(text, start.start())
            if said is None or said == STAYS:
                at = max(end, _behind(start))
                continue
            replacements.append(Replacement(start.start(), end, said))
            at = end
        return replacements

    def _read(self, text: str, at: int) -> tuple[int, str | None]:
        self._kinds = self._kinds or [(kind.pattern.match, kind.said) for kind in _kinds(self._grammar)]
        for match_at, said in self._kinds:
            if (match := match_at(text, at)) is None:
                continue
            try:
                answer = said(match)
            except SpellingMissing:
                answer = STAYS
            if answer is not None:
                return match.end(), answer
        return at, None


def _kinds(grammar: Grammar) -> list[Kind]:
    return [
        grammar.kind(_DIGITS, lambda grammar, match: grammar.digits(match[0])),
        *grammar.first_kinds(),
        *dates.kinds(grammar),
        *codes.kinds(grammar),
        _LIST_NUMBER,
        *codes.versions(grammar),
        *formulas.kinds(grammar),
        *dates.years(grammar),
        *grammar.kinds(),
        *quantities.kinds(grammar),
        *formulas.signs(grammar),
        *romans.kinds(grammar),
    ]


def _next_start(text: str, at: int) -> re.Match[str] | None:
    """Where a number may begin, at a letter that tells of numbers or in the two words ahead of it."""
    searched = at
    while (mark := _MARK.search(text, searched)) is not None:
        place = mark.start()
        ahead = text[max(at, place - _AHEAD) : place].rsplit(None, 2)
        begin = max(at, place - _AHEAD) if len(ahead) < 3 else place - len(ahead[2]) - len(ahead[1]) - 2
        begin = max(at, min(begin, place))
        start = _START.search(text, begin, place + _BEHIND)
        start = _START.match(text, start.start()) if start is not None and start.start() <= place else None
        if start is not None:
            return start
        searched = _token_end(text, place) if text[place].isdecimal() else place + 1
    return None


def _token_end(text: str, at: int) -> int:
    """Behind all that is written together there."""
    token = _TOKEN.match(text, at)
    return token.end() if token else at + 1


def _behind(start: re.Match[str]) -> int:
    """Where to look on, behind a place where nothing is read: behind all that is written together, or behind a word before a number."""
    if start["number"]:
        return _token_end(start.string, start.start()) if start[0].isdigit() else start.end()
    word = _WORD.match(start.string, start.start()) if start["word"] else None
    return word.end() if word else start.start() + 1
