"""The parts of which the patterns of all kinds are made, and what stands around a match."""

import re
from collections.abc import Iterable

from studio.reading.numbers.grammar import Grammar
from studio.reading.numbers.wording import Numeral

__all__ = ["END", "after", "any_of", "before", "ends_sentence", "number_pattern", "numeral", "signed"]

# Behind a number: it does not go on.
END = r"(?![\w°²³]|[.,:/]\d|[-–]\d|\.\w)"
_MOST_GROUPS = 12  # of three digits, of a number; bounded, so that rows of digits take no time
_CONTEXT = 48  # letters


def any_of(written: Iterable[str]) -> str:
    """A pattern of any of them, the longest first."""
    return "|".join(re.escape(one) for one in sorted(written, key=lambda one: (-len(one), one)))


def number_pattern(grammar: Grammar) -> str:
    """Of a number without its sign, with the group signs and the decimal sign of the language."""
    signs = [*(re.escape(sign) for sign in grammar.groups)]
    grouped = [rf"\d{{1,3}}(?:{sign}\d{{3}}){{1,{_MOST_GROUPS}}}(?!\d|{sign}\d)" for sign in signs]
    grouped.append(rf"\d{{1,3}}(?: \d{{3}}){{{grammar.least_blank_groups},{_MOST_GROUPS}}}(?! ?\d)")
    if grammar.least_blank_groups > 1:
        grouped.append(r"\d{1,3} 000(?! ?\d)")
    point = re.escape(grammar.decimal)
    bare = rf"|(?<![\w.]){point}\d+" if grammar.decimal == "." else ""  # .5
    return rf"(?:(?:{'|'.join((*grammar.other_groups, *grouped))}|\d+)(?:{point}\d+)?{bare})"


def numeral(grammar: Grammar, written: str) -> Numeral:
    """What `number_pattern` has matched."""
    whole, _, decimals = written.partition(grammar.decimal)
    return Numeral("".join(letter for letter in whole if letter.isdigit()) or "0", decimals)


def signed(grammar: Grammar, sign: str | None, said: str) -> str:
    """With the word of its sign in front."""
    sign = (sign or "").strip()
    words = {"-": grammar.words.minus, "−": grammar.words.minus, "–": grammar.words.minus, "+": grammar.words.plus}
    words |= {"~": grammar.words.about, "≈": grammar.words.about, "±": grammar.words.signs.get("±", "")}
    return f"{words[sign]} {said}" if words.get(sign) else said


def before(match: re.Match[str]) -> str:
    """What stands before it, close by."""
    return match.string[max(0, match.start() - _CONTEXT) : match.start()]


def ends_sentence(match: re.Match[str]) -> bool:
    """Whether a stop at its end is a sentence's too: another begins behind it, or nothing follows."""
    behind = after(match)
    return match[0].endswith(".") and (not behind.strip() or behind[0] == "\n" or (behind[0].isspace() and behind[1].isupper()))


def after(match: re.Match[str]) -> str:
    """What stands behind it, close by."""
    return match.string[match.end() : match.end() + _CONTEXT]
