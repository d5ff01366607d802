"""Wording: what a language of East Asia says for each kind of number, and how it counts in groups of four digits."""

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from functools import cached_property, lru_cache
from typing import NamedTuple

from babel.units import format_unit

from studio.reading.numbers.units import UNITS

__all__ = ["ITEM", "Amount", "Context", "Wording"]

# Behind the number of an item.
ITEM = re.compile(r"[.)）、](?![0-9A-Za-z])")
_MOST_DIGITS = 16
_SQUARED = "㎚㎛㎜㎝㎞㎠㎡㎢㎤㎥㎎㎏㎖㎐㎑㎒㎓ℓ"
_CAPITAL = ("KM", "Km", "CM", "MM", "KG", "Kg", "ML", "KM/H", "Km/h")
_SIGNS = {
    "$": "USD",
    "US$": "USD",
    "€": "EUR",
    "£": "GBP",
    "₩": "KRW",
    "HK$": "HKD",
    "NT$": "TWD",
    "₽": "RUB",
    "฿": "THB",
    "₹": "INR",
    "A$": "AUD",
}
_SIGNS |= {"RMB": "CNY", "￡": "GBP", "￦": "KRW"}


class Context(NamedTuple):
    """What stands around a number, close by."""

    before: str
    after: str


class Amount(NamedTuple):
    """A number as it is written: 1,280.50 is "1280" and "50", grouped; scale: "万" of 3.5万; sign: "-" or "+"; "" where there is none."""

    whole: str
    decimals: str = ""
    scale: str = ""
    sign: str = ""
    is_grouped: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it is digits alone."""
        return not (self.decimals or self.scale or self.sign or self.is_grouped)

    @property
    def value(self) -> int:
        """Of its whole part."""
        return int(self.whole)


class Wording(ABC):
    """A language. What it answers with None is unsure, and stays as it is written."""

    digits: str  # from 0 to 9
    zero: str  # among digits said one by one
    places = ("", "十", "百", "千")
    groups = ("", "万", "亿", "万亿")
    point: str
    minus: str
    plus: str  # between two numbers, and in front of digits
    positive: str  # in front of an amount
    to: str  # between the ends of a range
    versus: str  # between the sides of a score
    whole_and: str  # between a whole number and a fraction
    blank = ""  # between a number and what is counted
    pause: str  # between groups of digits
    scales: str  # a pattern
    locale: str  # babel's
    own_units: Mapping[str, str]  # CLDR's name, or what is written where it has none -> as said around its number
    left_units: Collection[str] = ("s", "in", "MP")  # as written, that may mean something else
    currency_names: Mapping[str, str]  # code -> as said behind the number
    yen: str  # the code of "¥"
    operators: Mapping[str, str]
    label, label_words = "", ""  # a letter that may stand in front of digits said one by one; as said
    numero: str  # "№", as said
    idioms: tuple[tuple[re.Pattern[str], str], ...] = ()  # numbers with what is counted that are said like no other
    counters: re.Pattern[str]  # what is counted, from behind the number on
    dates: frozenset[str]  # counters that may differ at the ends of a range
    weekdays: str  # a pattern: in parentheses behind a day
    phones: tuple[str, ...]  # patterns
    # At the end of what stands in front of: digits said one by one; a version; a score; chapter and verse; a fraction.
    code_words: re.Pattern[str]
    version_words: re.Pattern[str]
    score_words: re.Pattern[str]
    verse_words: re.Pattern[str]
    whole_words: re.Pattern[str]
    # Behind a score; behind a fraction.
    score_verbs: re.Pattern[str]
    part_words: re.Pattern[str]

    def cardinal(self, value: int) -> str | None:
        """A whole number, from 0 on."""
        if not value:
            return self.digits[0]
        if len(str(value)) > _MOST_DIGITS:
            return None
        said, lower = "", len(str(value)) // 4 * 4
        for index in range(lower // 4, -1, -1):
            group = value // 10_000**index % 10_000
            if group:
                said += self.group(group, index, said) + self.groups[index]
        return said

    @abstractmethod
    def group(self, value: int, index: int, higher: str) -> str:
        """Four digits, from 1 on. index: which of `groups` follows; higher: what is said in front."""

    def spelled(self, digits: str) -> str:
        """Digit by digit."""
        return "".join(self.zero if digit == "0" else self.digits[int(digit)] for digit in digits)

    def decimals(self, digits: str) -> str:
        """Behind the point."""
        return self.spelled(digits)

    def number(self, amount: Amount) -> str | None:
        """With its sign, its decimals and its scale."""
        said = self.cardinal(amount.value)
        if said is None:
            return None
        if amount.decimals:
            said = f"{said}{self.blank}{self.point}{self.blank}{self.decimals(amount.decimals)}"
        sign = {"-": self.minus, "+": self.positive}.get(amount.sign)
        return f"{sign}{self.blank}{said}{amount.scale}" if sign else said + amount.scale

    @cached_property
    def units(self) -> dict[str, str]:
        """As written in Latin letters -> CLDR's name."""
        squared = {letters: UNITS[unicodedata.normalize("NFKC", letters)] for letters in _SQUARED}
        capital = {letters: UNITS[letters.lower()] for letters in _CAPITAL}
        unknown = {written: written for written in self.own_units if "-" not in written}
        return {written: name for written, name in (UNITS | squared | capital | unknown).items() if written not in self.left_units}

    @cached_property
    def currencies(self) -> dict[str, str]:
        """Sign or code -> as said behind the number."""
        codes = _SIGNS | dict.fromkeys(("¥", "￥"), self.yen) | {code: code for code in self.currency_names}
        return {written: self.currency_names[code] for written, code in codes.items() if code in self.currency_names}

    def unit(self, written: str) -> str:
        """As said around its number, "{}"."""
        if written in self.currencies:
            return "{}" + self.currencies[written]
        name = self.units[written]
        return self.own_units.get(name) or _unit(name, self.locale)

    def measured(self, said: str, unit: str, before: str) -> str:
        """said: a number, or a range. unit: as written."""
        front, behind = (part.strip() for part in self.unit(unit).split("{}"))
        front = "" if front and before.rstrip().endswith(front) else front
        return self.blank.join(part for part in (front, said, behind) if part)

    def degrees(self, amount: Amount, unit: str, before: str) -> str | None:
        """A temperature."""
        said = self.number(amount)
        return said and self.measured(said, unit, before)

    def from_to(self, first: str, last: str, counter: str) -> str:
        """A range of what is counted by `counter`, which is said behind it."""
        return f"{first}{self.to}{last}"

    @abstractmethod
    def percent(self, said: str, sign: str) -> str:
        """said: a number, or a range of them. sign: "%" or "‰"."""

    @abstractmethod
    def date(self, year: str, month: int, day: int) -> str:
        """A day. year: "" where it is not written."""

    def year(self, year: str) -> str:
        """The number of a year alone."""
        return self.cardinal(int(year)) or year

    @abstractmethod
    def time(self, hour: int, minute: int, second: int) -> str:
        """A time of day."""

    @abstractmethod
    def fraction(self, numerator: int, denominator: int) -> str:
        """Numerator and denominator."""

    @abstractmethod
    def power(self, base: str, exponent: str) -> str:
        """base: as said. exponent: as written, with its minus."""

    @abstractmethod
    def counted(self, amount: Amount, counter: str, context: Context) -> str | None:
        """A number in front of `counter`, which is not said here."""

    @abstractmethod
    def bare(self, amount: Amount, context: Context) -> str | None:
        """A number with nothing that tells what is counted."""


@lru_cache(256)
def _unit(name: str, locale: str) -> str:
    return format_unit("{}", name, length="long", locale=locale)
