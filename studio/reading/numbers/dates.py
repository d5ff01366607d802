"""Dates, times of day, years and decades."""

import re

from studio.reading.numbers.grammar import STAYS, Grammar, Kind
from studio.reading.numbers.kinds import END, after, before, ends_sentence
from studio.reading.numbers.wording import Numeral

__all__ = ["kinds", "years"]

_MOST_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NO_MORE = r"(?![\w/]|[-–.:]\d)"


def kinds(grammar: Grammar) -> list[Kind]:
    """In the order in which they are tried."""
    month = r"(?P<name>[^\W\d_]{3,12})\b\.?"
    day, year = r"(?P<day>[0-3]?\d)", r"(?P<year>[12]\d{3}|(?<=[./])\d\d)"
    words = rf"(?:{grammar.day_words})?"
    behind = rf"(?:,?\s(?:{grammar.year_words})?(?P<year>[12]\d{{3}})(?:{grammar.year_endings})?(?!\w|[-–.,:/]\d))?"
    return [
        grammar.kind(re.compile(r"(?P<year>[12]\d{3})-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?!\w|-)"), _numeric),
        grammar.kind(re.compile(rf"(?P<year>[12]\d{{3}})/(?P<month>[01]?\d)/{day}{_NO_MORE}"), _numeric),
        grammar.kind(re.compile(rf"(?P<first>[0-3]?\d)/(?P<second>[0-3]?\d)/{year}{_NO_MORE}"), _slashed),
        grammar.kind(re.compile(rf"{day}\.\s?(?P<month>[01]?\d)\.\s?{year}(?:{grammar.year_endings})?{_NO_MORE}"), _dotted),
        grammar.kind(re.compile(rf"(?P<first>[0-3]?\d)-(?P<second>[0-3]?\d)-(?P<year>[12]\d{{3}}){_NO_MORE}"), _slashed),
        grammar.kind(re.compile(rf"{day}\.(?P<month>[01]?\d)\.(?P<year>(?!))?(?!\w|\s?\d)"), _dotted),
        grammar.kind(re.compile(rf"{day}(?:\s?[-–]\s?(?P<to>[0-3]?\d))?{words}\s{month}{behind}"), _named),
        grammar.kind(
            re.compile(rf"{month}\s{day}(?:st|nd|rd|th)?(?:\s?[-–]\s?(?P<to>[0-3]?\d)(?:st|nd|rd|th)?)?(?!\w|[.,:/]\d){behind}"),
            _named_first,
        ),
        grammar.kind(re.compile(rf"{month},?\s(?:{grammar.year_words})?(?P<year>[12]\d{{3}})(?!\w|[-–.,:/]\d)"), _month_of_year),
        *_clocks(grammar),
        grammar.kind(re.compile(r"(?P<from>1\d{3}|20\d\d)\s?[-–]\s?(?P<to>1\d{3}|20\d\d|\d\d)" + END), _years),
        grammar.kind(re.compile(r"(?P<from>1\d{3}|20\d\d)/(?P<to>\d\d)(?![\w/]|[.,]\d)"), _season),
        *grammar.decade_kinds(),
    ]


def years(grammar: Grammar) -> list[Kind]:
    """Years that stand alone, tried behind all that begins with a number of four digits."""
    return [grammar.kind(re.compile(rf"(?P<year>1\d{{3}}|20\d\d){END}"), _year)]


def _clocks(grammar: Grammar) -> list[Kind]:
    half = r"(?:\s?(?P<half>[aApP])\.?\s?[mM]\b\.?)"
    word = rf"(?:\s?(?P<word>{grammar.clock_words}))" if grammar.clock_words else "(?P<word>(?!))"
    hour, minute = r"(?P<hour>[01]?\d|2[0-4])", r"(?P<minute>[0-5]\d)"
    late = minute.replace("minute", "late")
    last = rf"{hour}(?P<sign>:){minute}".replace("<", "<last_")
    behind = rf"(?:{half}|{word}(?!\w))?"
    first_half = rf"(?:{half})?".replace("<half>", "<first_half>")
    last_short = rf"{hour}(?::{minute})?".replace("<", "<last_")
    return [
        grammar.kind(re.compile(rf"{hour}(?::{minute})?{first_half}(?P<word>(?!))?\s?[-–]\s?{last_short}{half}"), _clocks_between),
        grammar.kind(re.compile(rf"{hour}(?P<sign>:){minute}\s?[-–]\s?{last}{behind}{END}"), _clocks_between),
        grammar.kind(re.compile(rf"{hour}(?P<sign>[:.]){minute}(?:{half}|{word}(?!\w)){END}"), _clock),
        grammar.kind(re.compile(rf"{hour}(?P<sign>:){minute}(?P<half>(?!))?(?P<word>(?!))?{END}"), _clock),
        grammar.kind(
            re.compile(rf"{hour}(?P<minute>(?!))?(?P<sign>(?!))?(?:{half}|{word}(?:[ \u00a0]?{late})?(?!\w))(?!\d)"),
            _clock,
        ),
    ]


def _date(grammar: Grammar, match: re.Match[str], day: int, month: int) -> str | None:
    year = match.groupdict().get("year")
    if not (1 <= month <= 12 and 1 <= day <= _MOST_DAYS[month - 1]):
        return None
    number = int(year) if year else None
    if number is not None and year and len(year) == 2:
        number += 2000 if number < 40 else 1900
    return grammar.date(day, month, number, before(match))


def _numeric(grammar: Grammar, match: re.Match[str]) -> str | None:
    return _date(grammar, match, int(match["day"]), int(match["month"])) or STAYS


def _slashed(grammar: Grammar, match: re.Match[str]) -> str | None:
    first, second = int(match["first"]), int(match["second"])
    month, day = (first, second) if grammar.is_month_first else (second, first)
    if month > 12 >= day:
        month, day = day, month
    return _date(grammar, match, day, month) or STAYS


def _dotted(grammar: Grammar, match: re.Match[str]) -> str | None:
    if match["year"] is None and not grammar.has_dotted_ordinals:
        return None
    said = _date(grammar, match, int(match["day"]), int(match["month"]))
    if said is None:
        return STAYS if match["year"] else None
    return said + ("." if ends_sentence(match) else "")


def _month(grammar: Grammar, match: re.Match[str]) -> int | None:
    name = match["name"]
    return grammar.month_numbers.get(name.casefold()) if name[0].isupper() or not grammar.has_capital_months else None


def _named(grammar: Grammar, match: re.Match[str]) -> str | None:
    month = _month(grammar, match)
    if month is None:
        return None
    if match["to"]:
        return grammar.days(int(match["day"]), int(match["to"]), month, int(match["year"] or 0) or None, before(match))
    said = _date(grammar, match, int(match["day"]), month)
    return said and said + _stop(grammar, match)


def _named_first(grammar: Grammar, match: re.Match[str]) -> str | None:
    month = _month(grammar, match) if grammar.is_month_first or grammar.has_month_first else None
    if month is None:
        return None
    if match["to"]:
        return grammar.days_month_first(int(match["day"]), int(match["to"]), month, int(match["year"] or 0) or None) or STAYS
    said = grammar.date_month_first(int(match["day"]), month, int(match["year"] or 0) or None)
    return said if 1 <= int(match["day"]) <= _MOST_DAYS[month - 1] else STAYS


def _stop(grammar: Grammar, match: re.Match[str]) -> str:
    """The stop of a sentence that ends with a month in full."""
    return "." if match[0].endswith(".") and match["name"].casefold() in map(str.casefold, grammar.month_names) else ""


def _month_of_year(grammar: Grammar, match: re.Match[str]) -> str | None:
    month = _month(grammar, match)
    return None if month is None else grammar.month_of_year(match["name"], month, int(match["year"]), before(match))


def _clock(grammar: Grammar, match: re.Match[str]) -> str | None:
    groups = match.groupdict()
    minute = groups["minute"] or groups.get("late")
    if match["sign"] == "." and not (match["half"] or match["word"]):
        return None
    half = (match["half"] or "").lower()
    if not half and re.match(rf"\s(?:{grammar.durations})", after(match)):
        return STAYS
    if half and not 1 <= int(match["hour"]) <= 12:
        return STAYS
    is_sure = bool(match["word"] or half)
    said = grammar.clock(match["hour"], None if minute is None else int(minute), half, before(match) if not is_sure else None)
    return said and said + ("." if half and ends_sentence(match) else "")


def _clocks_between(grammar: Grammar, match: re.Match[str]) -> str | None:
    half, is_sure = (match["half"] or "").lower(), bool(match["word"] or match["half"])
    context = None if is_sure else before(match)
    first_half = (match.groupdict().get("first_half") or "").lower()
    is_bare = half and not first_half
    minute, last_minute = (int(match[name]) if match[name] else None for name in ("minute", "last_minute"))
    first = grammar.number(Numeral(match["hour"])) if is_bare and not minute else grammar.clock(match["hour"], minute, first_half, context)
    last = grammar.clock(match["last_hour"], last_minute, half, context)
    return first and last and grammar.range(first, last) + ("." if ends_sentence(match) else "")


def _years(grammar: Grammar, match: re.Match[str]) -> str | None:
    first, last = int(match["from"]), match["to"]
    if len(last) == 2 and (int(last) <= first % 100 or last[0] == "0"):
        return STAYS
    if len(last) == 4 and int(last) <= first:
        return None
    return grammar.years(first, int(last), before(match), after(match))


def _season(grammar: Grammar, match: re.Match[str]) -> str | None:
    """2023/24."""
    first, last = int(match["from"]), int(match["to"])
    return f"{grammar.year(first)} {grammar.cardinal(last)}" if (first + 1) % 100 == last and last > 9 else STAYS


def _year(grammar: Grammar, match: re.Match[str]) -> str | None:
    n = int(match["year"])
    if grammar.is_code(match["year"], before(match)):
        return None
    return grammar.year_said(n, before(match), after(match)) if grammar.is_year(n, before(match), after(match)) else None
