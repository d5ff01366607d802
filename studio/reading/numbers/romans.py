"""Roman numbers, where they surely are: kings and popes, centuries, chapters."""

import re

from studio.reading.numbers.grammar import Grammar, Kind
from studio.reading.numbers.kinds import after, before

__all__ = ["kinds", "value"]

_WORTH = {"M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1}
_CANONICAL = re.compile(r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})")
_PART = re.compile("|".join(_WORTH))
_NAME = re.compile(r"(?<![\w-])([^\W\d_]+(?:-[^\W\d_]+)*)\s$")
_MOST_UNKNOWN = 40  # behind a name that nobody listed


def kinds(grammar: Grammar) -> list[Kind]:
    """In the order in which they are tried."""
    return [grammar.kind(re.compile(rf"(?P<roman>[IVXLCDM]+)(?:{grammar.roman_endings})?(?!\w|['’](?!s\b))(?!\.\w)(?!-[^\W\d])"), _said)]


def value(roman: str) -> int | None:
    """None: nobody writes a number so."""
    return sum(_WORTH[part] for part in _PART.findall(roman)) if _CANONICAL.fullmatch(roman) else None


def _said(grammar: Grammar, match: re.Match[str]) -> str | None:
    roman, ahead, words = match["roman"], before(match), grammar.words
    n = value(roman)
    if n is None:
        return None
    if words.centuries and re.match(rf"[\s\u00a0-]?(?:{words.centuries})(?!\w)", after(match)):
        return grammar.century(n, ahead, after(match))
    if match[0] != roman and not grammar.has_dotted_ordinals:
        return None
    if (
        words.roman_nouns
        and (roman in "IVX" or (len(roman) > 1 and set(roman) & set("IVX")))
        and re.search(rf"(?<!\w)(?:{words.roman_nouns})\s$", ahead)
    ):
        return grammar.of_roman_noun(n, ahead, after(match)) + match[0][len(roman) :]
    name = _NAME.search(ahead)
    return _behind_name(grammar, match, n, name) if name is not None and name[1][0].isupper() else None


def _behind_name(grammar: Grammar, match: re.Match[str], n: int, name: re.Match[str]) -> str | None:
    roman = match["roman"]
    if grammar.is_ruler(name[1]) and (len(roman) > 1 or grammar.is_ruler_alone(roman, after(match))):
        return grammar.ruler(n, name[1], match, name.string[: name.start()])
    if len(roman) > 1 and set(roman) <= set("IVX") and n < _MOST_UNKNOWN and not name[1].isupper() and len(name[1]) > 3:
        return grammar.cardinal(n) + match[0][len(roman) :]
    return None
