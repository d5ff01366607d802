"""Signs of mathematics, powers, fractions, ratios and sizes; numbers with a word or a sign of their own."""

import re

from studio.reading.numbers.grammar import STAYS, Grammar, Kind
from studio.reading.numbers.kinds import END, after, any_of, before, number_pattern, numeral, signed
from studio.reading.numbers.quantities import range_said
from studio.reading.numbers.wording import Noun, Numeral

__all__ = ["SUPERSCRIPTS", "VULGAR", "kinds", "signs"]

VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5)}
VULGAR |= {"⅙": (1, 6), "⅚": (5, 6), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8)}
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_RAISED = "[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]"
_ONE_SIGN = {"<=": "≤", ">=": "≥", "!=": "≠", "==": "="}
_TIGHT = "+=×÷*·<>≤≥≠≈±"  # operators that need no blanks
_LONGEST_NUMBER = 6  # digits; what is longer is a code
_COMMON = (2, 3, 4, 5, 6, 7, 8, 9, 10)  # below the line of a fraction that is said as one


def kinds(grammar: Grammar) -> list[Kind]:
    """In the order in which they are tried."""
    number, words = number_pattern(grammar), grammar.words
    exponent = rf"(?:\^[-−]?\d{{1,3}}|{_RAISED}{{1,4}})"
    operand = rf"(?:[-−]?(?:{number})(?:{exponent})?[a-zA-Z]?|[a-zA-Z]{{1,2}}{exponent}|[a-zA-Z])(?![\w^])"
    operator = rf"(?:\s(?:[<>!=]=|[-−+×÷*·/<>=≤≥≠≈±x])\s|[{re.escape(_TIGHT)}−])"
    formula = rf"(?P<formula>{operand}(?:{operator}{operand}){{1,12}})(?![\w²³]|[.,:/]\w|\s?[=<>+*×÷^])"
    unit = rf"(?:[\s-]?(?P<unit>{any_of(grammar.unit_names)})(?!\w))?"
    sizes = rf"(?P<sizes>{number}(?:\s?[x×]\s?(?:{number})){{1,2}})"
    numbered = rf"(?P<word>{any_of(words.with_number) or '(?!)'})\s?(?P<a>\d+)(?:\s?[-–]\s?(?P<b>\d+))?{END}"
    return [
        grammar.kind(re.compile(rf"(?:{any_of(words.fixed) or '(?!)'})(?![\w/])"), lambda grammar, match: grammar.words.fixed[match[0]]),
        grammar.kind(re.compile(rf"{sizes}{unit}(?![\w^²³]|\s?[=<>]|[.,]\d)"), _size),
        grammar.kind(re.compile(rf"{formula}{unit}"), _Formula(number, exponent).said),
        grammar.kind(re.compile(rf"(?P<base>{number}|(?<!\w)[a-zA-Z]){exponent}(?!\w)"), _power),
        grammar.kind(re.compile(rf"(?:(?P<whole>\d{{1,6}})\s?)?(?P<vulgar>[{''.join(VULGAR)}]){unit}"), _vulgar),
        grammar.kind(re.compile(rf"(?:(?P<whole>\d{{1,3}})[ -])?(?P<above>\d{{1,2}})[/⁄](?P<below>\d{{1,2}}){END}(?!/){unit}"), _fraction),
        grammar.kind(re.compile(rf"(?P<a>\d{{1,3}}):(?P<b>\d{{1,3}}){END}"), _ratio),
        grammar.kind(re.compile(numbered), _numbered),
    ]


def signs(grammar: Grammar) -> list[Kind]:
    """Signs before a number that stand alone, tried last."""
    return [
        grammar.kind(re.compile(r"(?<![^\s(])[<>≤≥≠≈=×÷±√](?=\s?[-−]?[$€£¥]?\d)"), _sign),
    ]


def _sign(grammar: Grammar, match: re.Match[str]) -> str | None:
    said = grammar.words.signs.get(match[0])
    return said and (said if after(match)[:1].isspace() else f"{said} ")


class _Formula:
    """Operands with operators between them."""

    def __init__(self, number: str, exponent: str):
        self._parts = re.compile(
            rf"(?P<blank>\s+)|(?P<minus>(?<![\w)])[-−](?=\d))?(?P<number>{number})(?P<power>{exponent})?|(?P<name>[a-zA-Z]+)(?P<raised>{exponent})?|(?P<sign>[<>!=]=|.)"
        )

    def said(self, grammar: Grammar, match: re.Match[str]) -> str | None:
        """None: nothing that is surely mathematics."""
        parts, pieces, n_numbers, operators = list(self._parts.finditer(match["formula"])), [], 0, ""
        for part in parts:
            if part["blank"]:
                continue
            if part["number"]:
                n_numbers += 1
                pieces.append(_number(grammar, part))
            elif part["name"] and not (part["name"] == "x" and pieces and pieces[-1][:1] and _is_times(match["formula"], part)):
                pieces.append(part["name"] + _raised(grammar, part["raised"]))
            else:
                sign = "×" if part["name"] else _ONE_SIGN.get(part["sign"], part["sign"])
                operators += sign
                pieces.append(grammar.words.signs.get(sign, ""))
        if not all(pieces) or not _is_sure(operators, n_numbers):
            return None
        return " ".join(pieces) + (f" {grammar.unit(grammar.unit_names[match['unit']]).forms[-1]}" if match["unit"] else "")


def _is_times(written: str, part: re.Match[str]) -> bool:
    return written[part.start() - 1 : part.start()] == " " and written[part.end() : part.end() + 1] == " "


def _is_sure(operators: str, n_numbers: int) -> bool:
    """Whether nobody writes this but in mathematics."""
    if set(operators) & set("=<>≤≥≠≈±÷×·"):
        return True
    return n_numbers >= 2 and bool(set(operators) & set("+*−"))


def _number(grammar: Grammar, part: re.Match[str]) -> str:
    said = grammar.number(numeral(grammar, part["number"])) + _raised(grammar, part["power"])
    return signed(grammar, part["minus"], said)


def _raised(grammar: Grammar, written: str | None) -> str:
    if not written:
        return ""
    exponent = written.lstrip("^").translate(SUPERSCRIPTS).replace("−", "-")
    if exponent in grammar.words.power:
        return f" {grammar.words.power[exponent]}"
    digits = exponent.lstrip("-")
    if not digits.isdigit():
        return f" {written}"
    return " " + grammar.raised(int(digits), is_negative=exponent.startswith("-"))


def _power(grammar: Grammar, match: re.Match[str]) -> str | None:
    base, exponent = match["base"], match[0][len(match["base"]) :]
    return (base if base.isalpha() else grammar.number(numeral(grammar, base))) + _raised(grammar, exponent)


def _vulgar(grammar: Grammar, match: re.Match[str]) -> str | None:
    return _mixed(grammar, match["whole"], *VULGAR[match["vulgar"]], match["unit"])


def _fraction(grammar: Grammar, match: re.Match[str]) -> str | None:
    above, below = int(match["above"]), int(match["below"])
    is_common = above < below and below in _COMMON and "0" not in (match["above"][0], match["below"][0])
    if not is_common or (below in (6, 7, 9) and above > 1) or grammar.is_no_fraction(before(match), after(match)):
        return STAYS
    if match["whole"] and "-" in match[0] and int(match["whole"]) > 20:
        return STAYS
    return _mixed(grammar, match["whole"], above, below, match["unit"])


def _mixed(grammar: Grammar, whole: str | None, above: int, below: int, unit: str | None) -> str | None:
    said = grammar.mixed(int(whole or 0), above, below) if whole else grammar.fraction(above, below)
    if said is None:
        return STAYS
    if unit:
        noun = grammar.unit(grammar.unit_names[unit])
        return f"{said} {grammar.noun_of_fraction(noun, bool(whole))}"
    return said


def _size(grammar: Grammar, match: re.Match[str]) -> str | None:
    if " × " in match["sizes"] and not match["unit"]:
        return None
    numerals = [numeral(grammar, part.strip()) for part in re.split("[x×]", match["sizes"])]
    if any(one.is_spelled for one in numerals):
        return STAYS
    said = f" {grammar.words.by} ".join(grammar.number(one) for one in numerals)
    if match["unit"]:
        noun: Noun = grammar.unit(grammar.unit_names[match["unit"]])
        return f"{said} {grammar.noun(noun, numerals[-1])}"
    return said


def _ratio(grammar: Grammar, match: re.Match[str]) -> str | None:
    first, last = Numeral(match["a"]), Numeral(match["b"])
    if first.is_spelled or last.is_spelled:
        return STAYS
    return grammar.ratio(first, last, before(match))


def _numbered(grammar: Grammar, match: re.Match[str]) -> str | None:
    is_code = len(match["a"]) > _LONGEST_NUMBER and not match["b"]
    said = grammar.digits(match["a"]) if is_code else range_said(grammar, match)
    return said and f"{grammar.words.with_number[match['word']]} {said}"
