"""Numbers that are said piece by piece: telephones, versions, network addresses, ISBNs."""

import re

from studio.reading.numbers.grammar import STAYS, Grammar, Kind
from studio.reading.numbers.kinds import END, after, before, number_pattern
from studio.reading.numbers.wording import Numeral

__all__ = ["kinds", "versions"]

_LEAST_PHONE_DIGITS, _MOST_PHONE_DIGITS = 7, 15
_NAME = re.compile(r"(?:[A-ZÄÖÜА-Я][\w-]*|[vV]ersion\w*|версии?|versie)\s$")
_GROUPS = re.compile(r"\d+")


def kinds(grammar: Grammar) -> list[Kind]:
    """In the order in which they are tried."""
    sep = r"[ \u00a0\u202f./-]"
    return [
        grammar.kind(re.compile(r"(?:97[89][- ])?\d{1,5}[- ]\d{1,7}[- ]\d{1,7}[- ][\dX](?![\w-])"), _isbn),
        grammar.kind(re.compile(rf"\+\d{{1,3}}(?:{sep}?\(?\d+\)?)+{END}"), _phone),
        grammar.kind(re.compile(rf"\(\d{{2,5}}\){sep}?\d+(?:{sep}\d+)*{END}"), _phone),
        *(grammar.kind(re.compile(pattern + END), _phone) for pattern in grammar.phones),
        grammar.kind(re.compile(r"\d{1,3}(?:\.\d{1,3}){3}(?![\w.])"), _address),
    ]


def versions(grammar: Grammar) -> list[Kind]:
    """Where neither dates nor group signs are written so."""
    numbers = rf"(?!{number_pattern(grammar)}(?![\w.]))"
    one_dot = [grammar.kind(re.compile(r"(?P<v>(?!))?\d{1,3}\.\d{1,2}(?!\w|[.,]\d)"), _section)] if grammar.decimal == "," else []
    return [
        grammar.kind(re.compile(rf"(?P<v>[vV]\.?)?{numbers}\d{{1,4}}(?:\.\d{{1,4}}){{2,3}}(?![\w]|\.\d)"), _version),
        grammar.kind(re.compile(r"(?P<v>v(?=\d+(?!\w|\.\d))|[vV](?=\d+\.))\d{1,4}(?:\.\d{1,4})?(?![\w]|\.\d)"), _version),
        *one_dot,
    ]


def _phone(grammar: Grammar, match: re.Match[str]) -> str | None:
    groups = _GROUPS.findall(match[0])
    if not _LEAST_PHONE_DIGITS <= sum(map(len, groups)) <= _MOST_PHONE_DIGITS and not grammar.is_phone(before(match)):
        return None
    said = ", ".join(grammar.phone_group(group) for group in groups)
    return f"{grammar.words.plus} {said}" if match[0].startswith("+") else said


def _isbn(grammar: Grammar, match: re.Match[str]) -> str | None:
    digits = [letter for letter in match[0] if letter.isalnum()]
    if not before(match).rstrip(" :").upper().endswith(("ISBN", "ISBN-13", "ISBN-10")) or len(digits) not in (10, 13):
        return None
    groups = re.split(r"[- ]", match[0])
    return ", ".join(
        group if group == "X" else grammar.digits(group.rstrip("X")) + (" X" if group.endswith("X") else "") for group in groups
    )


def _address(grammar: Grammar, match: re.Match[str]) -> str | None:
    parts = match[0].split(".")
    if any(int(part) > 255 for part in parts) or after(match)[:1] in ("/", ":"):
        return STAYS
    if grammar.is_version(before(match)):
        return None
    return f" {grammar.words.dot} ".join(grammar.digits(part) for part in parts)


def _version(grammar: Grammar, match: re.Match[str]) -> str | None:
    numbers = match[0].lstrip("vV.").split(".")
    if any(len(number) > 1 and number[0] == "0" for number in numbers):
        return STAYS
    said = f" {grammar.words.version_dot or grammar.words.dot} ".join(grammar.number(Numeral(number)) for number in numbers)
    return f"{grammar.words.version} {said}" if match["v"] else said


def _section(grammar: Grammar, match: re.Match[str]) -> str | None:
    """3.11 behind a name, where a decimal sign is a comma."""
    return _version(grammar, match) if _NAME.search(before(match)) else STAYS
