"""Amounts of money, measures, percent and plain numbers."""

import re
from functools import partial

from studio.reading.numbers.grammar import STAYS, Grammar, Kind
from studio.reading.numbers.kinds import END, after, any_of, before, ends_sentence, number_pattern, numeral, signed
from studio.reading.numbers.wording import Form, Noun

__all__ = ["kinds", "range_said"]

MONEY_SIGNS = {
    "$": "USD",
    "US$": "USD",
    "€": "EUR",
    "£": "GBP",
    "¥": "JPY",
    "￥": "JPY",
    "₹": "INR",
    "₽": "RUB",
    "₩": "KRW",
    "₿": "BTC",
}
_DOT = r"(?:\.(?=\s+[a-zß-öø-ÿа-я]))?"  # of an abbreviation, since the sentence goes on
_SIGN = r"(?P<sign>(?:(?<![\w)\]])[-−+]|[±~≈])\s?)?"
_BETWEEN = r"(?:\s[-–—]\s|[-–—])"
_LONGEST_PLAIN = 6  # digits without a group sign; a longer run is a code, unless it ends in zeros
_DASHES = "-–—"


def kinds(grammar: Grammar) -> list[Kind]:
    """In the order in which they are tried."""
    number, words = number_pattern(grammar), grammar.words
    signs = MONEY_SIGNS | {code: code for code in words.money} | words.money_signs
    signs = {sign: code for sign, code in signs.items() if code in words.money}
    pair = rf"(?P<a>{number})(?:{_BETWEEN}(?P<b>{number}))?"
    scale = rf"(?:[\s-]?(?P<scale>{any_of(words.scales)})(?!\w)|\s?(?P<mark>{any_of(words.scale_signs) or '(?!)'})(?!\w))?"
    per = rf"(?P<per>/(?:(?P<each>{any_of(grammar.unit_names)})(?!\w)|(?=[^\W\d]{{3}})))"
    money, close = any_of(signs), rf"(?:{per}|{END})"
    pairs = rf"(?P<a>{number})(?:(?:\s?(?:{money}))?{_BETWEEN}(?:(?:{money})\s?)?(?P<b>{number}))?"
    degrees = [unit for unit in grammar.unit_names if unit[0] in "°℃℉"]  # before which a dash is a minus
    of_signs = {"signs": signs}
    return [
        grammar.kind(re.compile(rf"{_SIGN}(?P<money>{money})\s?(?P<minus>[-−])?{pairs}{scale}{close}"), partial(_money, **of_signs)),
        grammar.kind(
            re.compile(rf"{_SIGN}(?P<minus>(?!))?{pairs}{scale}[\s-]?(?P<money>{money})(?!\w){close}"), partial(_money, **of_signs)
        ),
        grammar.kind(re.compile(rf"{_SIGN}{pair}\s?(?P<percent>[%‰])"), _percent),
        grammar.kind(
            re.compile(rf"{_SIGN}{pair}(?P<blank>[\s-]?)(?P<unit>{any_of(grammar.unit_names)}){_DOT}(?:{per}|(?![\w²³/]|[’']\w))"), _measure
        ),
        grammar.kind(
            re.compile(rf"(?<!\S)(?P<sign>–){pair}(?P<blank>\s?)(?P<unit>{any_of(degrees)})(?!\w)(?P<per>(?!))?(?P<each>(?!))?"), _measure
        ),
        grammar.kind(re.compile(rf"{_SIGN}{pair}[\s-]?(?P<scale>{any_of(words.scales)})(?!\w)"), _scaled),
        grammar.kind(re.compile(rf"(?P<a>{number}){_BETWEEN}(?P<b>{number}){END}"), _range),
        grammar.kind(re.compile(rf"{_SIGN}(?P<a>{number}){END}(?P<more>\+(?![\w+=]|\s?\d))?"), _plain),
    ]


def range_said(grammar: Grammar, match: re.Match[str], form: Form = Form()) -> str | None:
    """The number, or both of a range. None: they are not from less to more."""
    first = numeral(grammar, match["a"])
    if match.groupdict().get("b") is None:
        return grammar.number(first, form)
    last = numeral(grammar, match["b"])
    if first.value >= last.value or first.is_spelled or last.is_spelled:
        return None
    return grammar.range(grammar.number(first, form), grammar.number(last, form))


def _with_noun(grammar: Grammar, match: re.Match[str], noun: Noun, scale: Noun | None) -> str | None:
    form, last = grammar.form(before(match), after(match)), numeral(grammar, match["b"] or match["a"])
    if form is None:
        return None
    if match["b"] is None:
        return grammar.scaled(last, scale, noun, form) if scale else grammar.counted(last, noun, form)
    numbers = range_said(grammar, match, form._replace(gender=(scale or noun).gender))
    if numbers is None:
        return None
    return (
        f"{numbers} {grammar.noun(scale, last, form)} {grammar.of_scale(noun)}" if scale else f"{numbers} {grammar.noun(noun, last, form)}"
    )


def _money(grammar: Grammar, match: re.Match[str], signs: dict[str, str]) -> str | None:
    money = grammar.words.money[signs[match["money"]]]
    written = match["scale"] or grammar.words.scale_signs.get(match["mark"] or "")
    scale = grammar.words.scales[written] if written else None
    first = numeral(grammar, match["a"])
    if first.is_spelled:
        return None
    if scale or match["b"]:
        said = _with_noun(grammar, match, money.whole, scale)
    else:
        form = grammar.form(before(match), after(match))
        said = None if form is None else grammar.amount(first, money, form)
    return said and signed(grammar, match["sign"] or match["minus"], said) + _per(grammar, match) + _stop(match)


def _stop(match: re.Match[str]) -> str:
    return "." if ends_sentence(match) else ""


def _per(grammar: Grammar, match: re.Match[str]) -> str:
    if not match["per"]:
        return ""
    each = grammar.unit(grammar.unit_names[match["each"]]).forms[0] if match["each"] else ""
    return f" {grammar.words.per} {each}"


def _percent(grammar: Grammar, match: re.Match[str]) -> str | None:
    word = grammar.words.percent if match["percent"] == "%" else grammar.words.permille
    said = _with_noun(grammar, match, Noun.of(word, grammar.words.unit_genders.get(word, "")), None)
    return said and signed(grammar, match["sign"], said)


def _measure(grammar: Grammar, match: re.Match[str]) -> str | None:
    written = match["unit"]
    if not match["blank"] and not grammar.is_unit(written, match["a"], after(match)):
        return STAYS
    if match["blank"] == "-" and len(written) < 2:
        return STAYS
    noun = grammar.unit(grammar.unit_names[written])
    if match["blank"] == "-":
        noun = Noun(noun.forms[:1], noun.gender)
    said = _with_noun(grammar, match, noun, None)
    return said and signed(grammar, match["sign"], said) + _per(grammar, match) + _stop(match)


def _scaled(grammar: Grammar, match: re.Match[str]) -> str | None:
    said = _with_noun(grammar, match, grammar.words.scales[match["scale"]], None)
    return said and signed(grammar, match["sign"], said) + _stop(match)


def _range(grammar: Grammar, match: re.Match[str]) -> str | None:
    if match["b"][0] == "0" and len(match["b"]) > 1:
        return STAYS
    form = grammar.form(before(match), after(match))
    said = None if form is None else range_said(grammar, match, form)
    return said or STAYS


def _plain(grammar: Grammar, match: re.Match[str]) -> str | None:
    written = numeral(grammar, match["a"])
    sign = (match["sign"] or "").strip()
    if sign and sign in "-−+" and (match["sign"] != sign or before(match)[-1:] in tuple(_DASHES)):
        return STAYS
    if not int(written.whole) and written.is_spelled:
        return STAYS
    is_long = len(written.whole) > _LONGEST_PLAIN and not written.whole.endswith("000")
    if match["a"].isdigit() and (is_long or grammar.is_code(written.whole, before(match))):
        said = grammar.digits(written.whole)
    else:
        said = grammar.plain(written, before(match), after(match))
    return said and signed(grammar, sign, said) + (f" {grammar.words.plus}" if match["more"] else "")
