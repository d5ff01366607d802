"""Grammar: how a language says numbers and what is counted. A language is one of these; languages/ and romance/ hold them."""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import cached_property, lru_cache, partial
from typing import NamedTuple, Self

from studio.reading.numbers.units import UNITS
from studio.reading.numbers.wording import MOST_DIGITS, Form, Money, Noun, NumberWords, Numeral

__all__ = ["STAYS", "Grammar", "Kind", "SpellingMissing", "spelled"]

STAYS = "\0"  # a kind's answer: it is this, and stays as it is written
_REMEMBERED = 2_048


class Kind(NamedTuple):
    """One way in which numbers are written. pattern: matched where a number may begin.

    said: from a match to words, to STAYS, or to None where it is something else.
    """

    pattern: re.Pattern[str]
    said: Callable[[re.Match[str]], str | None]


# Names of CLDR's rules for numbers in words; a locale has one of each.
CARDINALS = ("spellout-numbering-verbose", "spellout-numbering")
ORDINALS = ("spellout-ordinal-verbose", "spellout-ordinal-masculine", "spellout-ordinal")


class Grammar:
    """One language. What most share is here; a language overrides what it says otherwise.

    locale: CLDR's. categories: of Noun.forms. decimal, groups: signs in numbers.
    """

    locale = ""
    categories: tuple[str, ...] = ("one", "other")
    decimal = "."
    groups = ",\u00a0\u202f\u2009"
    other_groups: tuple[str, ...] = ()  # patterns of grouped digits of its own
    least_blank_groups = 1  # of three digits behind a blank, for the blank to be a group sign
    is_month_first = False  # 3/4/2025 is in March
    has_dotted_ordinals = False  # "3." is third
    has_capital_months = True
    has_month_first = False  # March 4
    day_words = ""  # regular expression of what stands between a day and its month, blanks ahead included
    year_words = ""  # and between a month and its year
    year_endings = ""  # and behind that year
    durations = "(?!)"  # regular expression of what follows 15:30 where that is no time of day
    clock_words = ""  # and behind a time
    phones: tuple[str, ...] = ()  # patterns of telephone numbers of the country
    roman_endings = "(?!)"  # regular expression of what is written to a Roman ordinal
    words = NumberWords()

    def form(self, before: str, after: str) -> Form | None:
        """What a number between the two agrees with. None: nobody can say, and the number stays as written."""
        return Form()

    def in_words(self, n: int, rules: tuple[str, ...]) -> str:
        """In words, by the first of CLDR's rules that the locale has."""
        return spelled(n, self.locale, rules)

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """n: of at most MOST_DIGITS digits."""
        return self.in_words(n, CARDINALS)

    def ordinal(self, n: int, form: Form = Form()) -> str:
        """First, second."""
        return self.in_words(n, ORDINALS)

    def year(self, n: int) -> str:
        """A year, from 1 to 2999."""
        return self.cardinal(n)

    def digits(self, written: str) -> str:
        """Each digit by itself."""
        return " ".join(self.cardinal(int(digit)) for digit in written)

    def decimals(self, written: str) -> str:
        """What stands behind the decimal sign."""
        return self.digits(written)

    def number(self, numeral: Numeral, form: Form = Form()) -> str:
        """A number without its sign."""
        if numeral.is_spelled:
            return self.digits(numeral.whole) + (f" {self.words.point} {self.digits(numeral.decimals)}" if numeral.decimals else "")
        if numeral.decimals:
            return f"{self.cardinal(int(numeral.whole))} {self.words.point} {self.decimals(numeral.decimals)}"
        return self.cardinal(int(numeral.whole), form)

    def plain(self, numeral: Numeral, before: str, after: str) -> str | None:
        """A number that is nothing else. None: it stays as it is written."""
        form = self.form(before, after)
        return None if form is None else self.number(numeral, form)

    def category(self, numeral: Numeral) -> str:
        """CLDR's plural category."""
        return _plural_of(self.locale)(
            Decimal(f"{numeral.whole[-MOST_DIGITS:]}.{numeral.decimals}") if numeral.decimals else int(numeral.whole)
        )

    def noun(self, noun: Noun, numeral: Numeral, form: Form = Form()) -> str:
        """The noun as it stands behind the number."""
        category = self.category(numeral)
        index = self.categories.index(category) if category in self.categories else len(noun.forms) - 1
        return noun.forms[min(index, len(noun.forms) - 1)]

    def counted(self, numeral: Numeral, noun: Noun, form: Form = Form()) -> str:
        """A number of things."""
        return f"{self.number(numeral, form._replace(gender=noun.gender))} {self.noun(noun, numeral, form)}"

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun, form: Form = Form()) -> str:
        """A number of millions of things."""
        return f"{self.counted(numeral, scale, form)} {self.of_scale(noun)}"

    def of_scale(self, noun: Noun) -> str:
        """The noun behind millions."""
        return noun.forms[-1]

    def range(self, first: str, last: str) -> str:
        """From one number to another."""
        return f"{first} {self.words.to} {last}"

    def is_unit(self, written: str, number: str, after: str) -> bool:
        """Whether a sign close behind a number is a unit, and no mark of millions or of a plural."""
        return True

    def amount(self, numeral: Numeral, money: Money, form: Form = Form()) -> str:
        """An amount of money."""
        if len(numeral.decimals) != 2 or money.cents is None:
            return self.counted(numeral, money.whole, form)
        whole, cents = Numeral(numeral.whole), Numeral(str(int(numeral.decimals)))
        if not int(cents.whole):
            return self.counted(whole, money.whole, form)
        said = self.counted(cents, money.cents, form)
        return said if not int(whole.whole) else f"{self.counted(whole, money.whole, form)}{self.words.money_joint}{said}"

    def unit(self, name: str) -> Noun:
        """A unit by CLDR's name, or by words with | between them."""
        gender = self.words.unit_genders.get(name, "")
        if "|" in name:
            return Noun.of(name, gender)
        return Noun(tuple(_unit_said(self.locale, name, self._sample(category)) for category in self.categories), gender)

    def fraction(self, above: int, below: int) -> str | None:
        """above < below. None: nobody says it."""
        return None

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """A whole number and a fraction."""
        fraction = self.fraction(above, below)
        return fraction and f"{self.cardinal(whole)}{self.words.and_fraction}{fraction}"

    def noun_of_fraction(self, noun: Noun, is_mixed: bool) -> str:
        """The noun behind a half, or behind two and a half."""
        return noun.forms[-1] if is_mixed else noun.forms[0]

    def is_no_fraction(self, before: str, after: str) -> bool:
        """Whether 3/4 between the two is something else: a date, a score."""
        return False

    def ratio(self, first: Numeral, last: Numeral, before: str) -> str:
        """16:9."""
        return f"{self.number(first)} {self.words.ratio} {self.number(last)}"

    def raised(self, exponent: int, is_negative: bool) -> str:
        """To the power of."""
        return f"{self.words.power['n']} {self.words.minus + ' ' if is_negative else ''}{self.cardinal(exponent)}"

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """A day of a year. before: what stands before it."""
        return None

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """From a day of a month to another."""
        return None

    def date_month_first(self, day: int, month: int, year: int | None) -> str | None:
        """March 4."""
        return None

    def days_month_first(self, first: int, last: int, month: int, year: int | None) -> str | None:
        """March 3-5."""
        return None

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """March 2024. name: as it is written."""
        return f"{name} {self.year(year)}"

    def years(self, first: int, last: int, before: str, after: str) -> str | None:
        """From a year to another, the last one of two digits or of four."""
        return self.range(self.year(first), self.cardinal(last) if last < 100 else self.year(last))

    def is_year(self, n: int, before: str, after: str) -> bool:
        """Whether a number of four digits between the two is a year."""
        return bool(self.words.years) and _year_before(self.words.years).search(before) is not None

    def year_said(self, n: int, before: str, after: str) -> str | None:
        """A year that stands alone."""
        return self.year(n)

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """A time of day. half: "a", "p" or "". before: what stands before it, where nothing else says that it is a time."""
        return None

    def phone_group(self, written: str) -> str:
        """Some digits of a telephone number that are written together."""
        return self.digits(written)

    def is_phone(self, before: str) -> bool:
        """Whether what stands before says that a number of any length is a telephone's."""
        return False

    def is_code(self, written: str, before: str) -> bool:
        """Whether what stands before says that some digits are said one by one."""
        return False

    def is_version(self, before: str) -> bool:
        """Whether what stands before says that 1.2.3.4 is a version."""
        return before.rstrip().casefold().endswith(self.words.version.casefold())

    def century(self, n: int, before: str, after: str) -> str | None:
        """A century that is written in Roman digits."""
        return self.ordinal(n)

    def of_roman_noun(self, n: int, before: str, after: str) -> str:
        """The number of a chapter."""
        return self.cardinal(n)

    def is_ruler(self, name: str) -> bool:
        """Whether kings and popes are called so, in any case."""
        return name in self.words.rulers

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """Whether one letter behind a ruler's name is a number: it may be a pronoun or the letter of a name."""
        return False

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """What follows the name of a ruler. before: what stands before the name."""
        return self.ordinal(n)

    def kind(self, pattern: re.Pattern[str], said: Callable[[Self, re.Match[str]], str | None]) -> Kind:
        """One of this language. said: given the language beside the match."""
        return Kind(pattern, partial(said, self))

    def first_kinds(self) -> list[Kind]:
        """What only this language writes, tried before all that others write too."""
        return []

    def kinds(self) -> list[Kind]:
        """What only this language writes, tried before quantities."""
        return []

    def decade_kinds(self) -> list[Kind]:
        """The nineties."""
        return []

    @cached_property
    def month_names(self) -> tuple[str, ...]:
        """As they stand in a date; the first is empty."""
        from babel import Locale

        names = Locale.parse(self.locale).months["format"]["wide"]
        return ("", *(names[number] for number in range(1, 13)))

    @cached_property
    def month_numbers(self) -> dict[str, int]:
        """In small letters: as they stand in a date, and how they are shortened."""
        return {name.casefold(): number for number, name in enumerate(self.month_names) if name} | self.words.months

    @cached_property
    def unit_names(self) -> dict[str, str]:
        """What is written -> CLDR's name, or words."""
        return UNITS | self.words.units

    def _sample(self, category: str) -> str:
        """A number of the category, for babel."""
        samples = ("1", "2", "5", "0", "1.5", "1000000")
        plural = _plural_of(self.locale)
        return next((sample for sample in samples if plural(Decimal(sample)) == category), "5")


class SpellingMissing(ValueError):
    """CLDR has no words for a number: it stays as it is written."""


@lru_cache(_REMEMBERED)
def spelled(n: int, locale: str, kinds: tuple[str, ...]) -> str:
    """In words, by the first of CLDR's rules for numbers in words that the locale has."""
    from unicode_rbnf.engine import RbnfError

    speller = _speller(locale)
    kind = next(kind for kind in kinds if kind in speller.rulesets)
    try:
        said = speller.format_number(n, ruleset_names=[kind]).text
    except RbnfError as missing:
        raise SpellingMissing(f"no words for {n} in {locale}") from missing
    return said.replace(",", "").replace("\u00ad", "")


@lru_cache(32)
def _speller(locale: str):
    from unicode_rbnf import RbnfEngine

    known = RbnfEngine.get_supported_languages()
    return RbnfEngine.for_language(locale if locale in known else locale.partition("_")[0])


@lru_cache(64)
def _plural_of(locale: str):
    from babel import Locale

    return Locale.parse(locale).plural_form


@lru_cache(_REMEMBERED)
def _unit_said(locale: str, name: str, sample: str) -> str:
    from babel.units import format_unit

    said = format_unit(Decimal(sample), name, length="long", locale=locale)
    return " ".join("".join(letter for letter in said if not letter.isdigit()).strip(" .,\u00a0\u202f").split())


@lru_cache(32)
def _year_before(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{pattern})\s*$", re.IGNORECASE)
