"""What numbers are made of: nouns in their forms, amounts, and the words of a language by what they are for."""

from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple

__all__ = ["MOST_DIGITS", "Form", "Money", "Noun", "NumberWords", "Numeral", "months_of"]

MOST_DIGITS = 15  # of a number that is said as one; what is longer is said digit by digit


class Form(NamedTuple):
    """What a number agrees with. case: n, g, d, a, i or p; gender: m, f, n; "" where a language or a place does not say."""

    case: str = ""
    gender: str = ""


@dataclass(frozen=True)
class Noun:
    """forms: by the plural categories of its language, in their order; the last stands for all others."""

    forms: tuple[str, ...]
    gender: str = ""

    @classmethod
    def of(cls, forms: str, gender: str = "") -> "Noun":
        """forms: with | between them."""
        return cls(tuple(forms.split("|")), gender)


class Money(NamedTuple):
    """A currency: of 1 and, where there is one, of its hundredth part."""

    whole: Noun
    cents: Noun | None = None


@dataclass(frozen=True)
class Numeral:
    """A number as it was written. whole: its digits before the decimal sign, without group signs; decimals: those behind it."""

    whole: str
    decimals: str = ""

    @property
    def value(self) -> Decimal:
        return Decimal(f"{self.whole}.{self.decimals or 0}")

    @property
    def count(self) -> int | None:
        """None: not a whole number."""
        return None if self.decimals else int(self.whole)

    @property
    def is_spelled(self) -> bool:
        """Whether it is said digit by digit: a code with zeros ahead, or longer than a number of things."""
        return len(self.whole) > MOST_DIGITS or (len(self.whole) > 1 and self.whole[0] == "0")


@dataclass(frozen=True)
class NumberWords:
    """The words of a language, by what they are for. A mapping of written -> said is tried as it is written, capitals and all."""

    minus: str = ""
    plus: str = ""
    point: str = ""
    version: str = ""
    dot: str = ""  # of network addresses
    version_dot: str = ""  # of versions, where it is another word
    percent: str = ""
    permille: str = ""
    to: str = ""  # 3-5
    ratio: str = ""  # 16:9
    by: str = ""  # 3 x 4 of sizes
    per: str = ""  # $5/month
    about: str = ""
    signs: dict[str, str] = field(default_factory=dict)  # of mathematics, between blanks
    power: dict[str, str] = field(default_factory=dict)  # exponent -> said behind the base; "n": a template for all others
    fixed: dict[str, str] = field(default_factory=dict)  # what is said in a way of its own: "24/7"
    and_fraction: str = " "  # between 2 and 1/2
    with_number: dict[str, str] = field(default_factory=dict)  # "No." -> said, before a number
    months: dict[str, int] = field(default_factory=dict)  # how months are shortened, beside what CLDR names
    scales: dict[str, Noun] = field(default_factory=dict)  # behind a number and in front of a currency
    scale_signs: dict[str, str] = field(default_factory=dict)  # "bn" -> key of scales; behind an amount of money
    money: dict[str, Money] = field(default_factory=dict)  # by code of ISO 4217
    money_signs: dict[str, str] = field(default_factory=dict)  # what is written, beside the signs of all languages -> code
    money_joint: str = " "  # between dollars and cents
    units: dict[str, str] = field(default_factory=dict)  # what is written, beside units.UNITS -> CLDR's name or words with | between
    unit_genders: dict[str, str] = field(default_factory=dict)  # CLDR's name -> gender
    years: str = ""  # regular expression of what stands before a year
    rulers: frozenset[str] = frozenset()  # first names, in the nominative
    roman_nouns: str = ""  # regular expression of what a Roman number follows, said as a cardinal
    titles: dict[str, str] = field(default_factory=dict)  # how they are shortened in front of a name -> said
    shortened: dict[str, str] = field(default_factory=dict)  # abbreviation -> said, with a stop where it may end a sentence
    centuries: str = ""  # regular expression of what follows a Roman number that is said as an ordinal


def months_of(shortened: str) -> dict[str, int]:
    """Shortened name -> number of its month. shortened: January to December between blanks, "|" between several of one, "-" for none."""
    names = enumerate(shortened.split(), 1)
    return {name: number for number, months in names if months != "-" for name in months.split("|")}
