"""Kinds: how numbers are written in Chinese, Japanese and Korean texts, the longest that is sure first."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from studio.reading.numbers.east_asian.wording import Amount, Context, Wording

__all__ = ["Front", "Kinds"]

_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5), "⅗": (3, 5), "⅘": (4, 5)}
_VULGAR |= {"⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8), "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10)}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_BLANK = r"[ \u00a0]?"
_TO = rf"{_BLANK}[-–—~～〜∼]{_BLANK}"
_NUMBER = r"(?:\d{1,3}(?:,\d{3}){1,5}(?!,?\d)|\d{1,16}(?!\d))(?:\.\d+)?"
_YEAR, _MONTH, _DAY = r"(?P<year>1\d{3}|20\d\d)", r"(?P<month>0?[1-9]|1[0-2])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
_CLOCK = r"(?P<h{0}>2[0-4]|[01]?\d):(?P<m{0}>[0-5]\d)(?::(?P<s{0}>[0-5]\d))?"
_OPERAND = rf"(?:{_NUMBER})(?:\^-?\d{{1,3}}|[⁰¹²³⁴-⁹⁻]{{1,4}})?"
_OPERANDS = re.compile(rf"(?P<base>{_NUMBER})(?:\^(?P<exponent>-?\d+)|(?P<raised>[⁰¹²³⁴-⁹⁻]+))?|(?P<operator>[-+×÷=−*])", re.ASCII)
# Behind the first digits: what tells which kinds it may be.
_SIGN = re.compile(rf"[0-9]*{_BLANK}(.?)", re.DOTALL)
_TO_SIGNS, _VULGARS = "-–—~～〜∼", "".join(_VULGAR)
_RAISED = "^⁰¹²³⁴⁵⁶⁷⁸⁹⁻"
_BEHIND_A_DATE = re.compile(r"[0-9日일号號]\s?\Z")
_MAY_BE_NEGATIVE = re.compile(r"(?:[\s\u3000(（「『“\"'，。、；：,;:为為是到达達至于於在はがのもにを는은이가]|\A)\Z")
_YEAR_AND_MONTH = re.compile(r"(?:19|20)\d\d\.(?:0?[1-9]|1[0-2])", re.ASCII)
_DEGREES = frozenset(("°C", "℃", "°F", "℉", "°"))
_PIECES = re.compile(r"\d+|\D+", re.ASCII)
_NEAR = 16  # letters
_LEADING_ZERO = re.compile("0[0-9]")
_LEAST_CODE_DIGITS = 3
_NUMERO = "№"
_LETTERS = re.compile(r"[^\W\d_]")


class Front(NamedTuple):
    """What stands in front of a number's digits.

    start: where the number begins; digits: where its digits do; between them, as written: sign, currency, label. before: what is not of it.
    """

    start: int
    digits: int
    before: str
    sign: str = ""
    currency: str = ""
    label: str = ""

    @property
    def is_amount(self) -> bool:
        """Whether something belongs to it in front of its digits."""
        return self.start < self.digits


class _Kind(NamedTuple):
    """A way to write numbers. signs: behind the first digits stands one of them, or, where there are none, anything."""

    pattern: re.Pattern[str]
    said: Callable[[re.Match[str], Front], str | None]
    signs: str = ""


class Kinds:
    """Of one language."""

    def __init__(self, wording: Wording):
        self._wording = wording
        self._units = _any_of(wording.units)
        self._currencies = _any_of(wording.currencies)
        idioms = [_Kind(pattern, self._idiom(said)) for pattern, said in wording.idioms]
        kinds = [*idioms, *self._calendar(), *self._formulas(), *self._ranges(), _kind(self._side(""), self._one)]
        signs = {"", *(sign for kind in kinds for sign in kind.signs)}
        self._by_sign = {sign: [kind for kind in kinds if not kind.signs or (sign and sign in kind.signs)] for sign in signs}

    def _calendar(self) -> list[_Kind]:
        clock, other = _CLOCK.format(1), _CLOCK.format(2)
        return [
            _kind(rf"{_YEAR}(?P<sep>[-/.]){_MONTH}(?P=sep){_DAY}(?![\d./-])", self._date, "-/."),
            _kind(rf"{_YEAR}\. {_MONTH}\. {_DAY}\.?(?!\d)", self._date, "."),
            _kind(rf"(?P<year>){_MONTH}/{_DAY}{_BLANK}(?=[(（](?:{self._wording.weekdays})[)）])", self._date, "/"),
            _kind(rf"(?:{'|'.join(self._wording.phones)})(?!-?\d)", self._phone),
            _kind(r"\d{2,4}(?:[- ]\d{2,4}){1,4}(?!-?\d)", self._code, "- 0123456789"),
            _kind(r"\d{1,3}(?:\.\d{1,3}){3}(?![\d.])", self._address, "."),
            _kind(rf"{clock}{_TO}{other}(?![\d:])", self._times, ":"),
            _kind(rf"{clock}(?![\d:])", self._time, ":"),
            _kind(rf"{_YEAR}{_TO}(?P<last>1\d{{3}}|20\d\d)(?![\d-])", self._years, _TO_SIGNS),
            _kind(r"\d{1,4}(?:\.\d{1,4}){2,4}", self._version, "."),
        ]

    def _formulas(self) -> list[_Kind]:
        tail = rf"(?P<tail>{_BLANK}(?:{self._units})(?![A-Za-z]))?"
        formula = rf"{_OPERAND}(?:{_BLANK}[-+×÷=−*]{_BLANK}{_OPERAND})*{tail}"
        return [
            _kind(r"(?P<one>\d{1,3})(?P<sign>[:-])(?P<other>\d{1,3})(?![\d:-])", self._score, ":-"),
            _kind(formula, self._formula, "-+×÷=−*.," + _RAISED),
            _kind(r"(?P<above>\d{1,3})(?P<sign>[/⁄])(?P<below>\d{1,3})(?![\d/])", self._fraction, "/⁄"),
            _kind(rf"(?P<whole>\d{{0,3}})(?P<vulgar>[{_VULGARS}])", self._vulgar, _VULGARS),
        ]

    def _ranges(self) -> list[_Kind]:
        behind = "".join(
            {written[0] for written in (*self._wording.units, *self._wording.currencies)} | set(_LETTERS.findall(self._wording.scales))
        )
        last = rf"(?P<currency>{self._currencies})?(?P<sign>[-−])?{self._side('2')}"
        return [_kind(f"{self._side('1')}{_TO}{last}", self._range, _TO_SIGNS + "%‰.," + behind)]

    def _side(self, end: str) -> str:
        """An amount: n a number; scale; tail, a unit in Latin letters, a currency or a percent sign."""
        tail = rf"{_BLANK}(?P<tail{end}>[%‰]|(?:{self._units}|{self._currencies})(?![A-Za-z]))"
        return rf"(?P<n{end}>{_NUMBER})(?P<scale{end}>{_BLANK}(?:{self._wording.scales}))?(?:{tail})?"

    def read(self, text: str, front: Front) -> Iterator[tuple[re.Match[str], str]]:
        """Kinds that begin there, and what is said, the longest first."""
        sign = _SIGN.match(text, front.digits)
        for kind in self._by_sign.get(sign[1] if sign else "", self._by_sign[""]):
            match = kind.pattern.match(text, front.digits)
            said = kind.said(match, front) if match else None
            if match is not None and said is not None:
                yield match, said

    # Alone

    def _idiom(self, said: str) -> Callable[[re.Match[str], Front], str | None]:
        return lambda _match, front: None if front.sign or front.currency or front.label else said

    def _date(self, match: re.Match[str], front: Front) -> str | None:
        return None if front.is_amount else self._wording.date(match["year"], int(match["month"]), int(match["day"]))

    def _years(self, match: re.Match[str], front: Front) -> str | None:
        first, last = match["year"], match["last"]
        if front.is_amount or first >= last or self._wording.code_words.search(front.before):
            return None
        return f"{self._wording.year(first)}{self._wording.to}{self._wording.year(last)}"

    def _phone(self, match: re.Match[str], front: Front) -> str | None:
        if front.currency or front.sign in ("-", "−") or front.label == _NUMERO:
            return None
        groups = _PIECES.sub(lambda piece: self._spelled(piece[0], is_open=front.before.endswith("(")), match[0])
        ahead = self._wording.label_words if front.label else self._wording.plus if front.sign else ""
        return f"{ahead}{self._wording.blank if ahead else ''}{groups}"

    def _code(self, match: re.Match[str], front: Front) -> str | None:
        return self._phone(match, front) if self._wording.code_words.search(front.before) else None

    def _spelled(self, piece: str, *, is_open: bool) -> str:
        """A group of digits, or what stands between two. is_open: a bracket in front of all of them."""
        if piece.isdecimal():
            return self._wording.spelled(piece)
        return ")" if is_open and piece.startswith(")") else self._wording.pause

    def _address(self, match: re.Match[str], front: Front) -> str | None:
        parts = match[0].split(".")
        if front.is_amount or any(int(part) > 255 for part in parts):
            return None
        return self._pointed([self._wording.spelled(part) for part in parts])

    def _version(self, match: re.Match[str], front: Front) -> str | None:
        if front.is_amount or not self._wording.version_words.search(front.before):
            return None
        return self._pointed([self._wording.cardinal(int(part)) or part for part in match[0].split(".")])

    def _pointed(self, parts: list[str]) -> str:
        blank = self._wording.blank
        return f"{blank}{self._wording.point}{blank}".join(parts)

    # Of two sides

    def _times(self, match: re.Match[str], front: Front) -> str | None:
        first, last = self._clock(match, front, "1"), self._clock(match, front, "2")
        return f"{first}{self._wording.to}{last}" if first and last else None

    def _time(self, match: re.Match[str], front: Front) -> str | None:
        return None if self._is_score(match, front) else self._clock(match, front, "1")

    def _clock(self, match: re.Match[str], front: Front, end: str) -> str | None:
        """Hours, minutes and seconds may be how long something takes, but for those behind a date."""
        before, second = front.before, match[f"s{end}"]
        if front.is_amount or self._wording.verse_words.search(before) or (second and not _BEHIND_A_DATE.search(before)):
            return None
        return self._wording.time(int(match[f"h{end}"]), int(match[f"m{end}"]), int(second or 0))

    def _score(self, match: re.Match[str], front: Front) -> str | None:
        is_sure = match["sign"] == ":" and not self._wording.verse_words.search(front.before)
        if front.is_amount or not (is_sure or self._is_score(match, front)):
            return None
        one, other = (self._wording.cardinal(int(match[side])) for side in ("one", "other"))
        return f"{one}{self._wording.versus}{other}"

    def _is_score(self, match: re.Match[str], front: Front) -> bool:
        after = match.string[match.end() : match.end() + _NEAR]
        return bool(self._wording.score_words.search(front.before) or self._wording.score_verbs.match(after))

    def _fraction(self, match: re.Match[str], front: Front) -> str | None:
        above, below = int(match["above"]), int(match["below"])
        if front.is_amount or not below:
            return None
        wording = self._wording
        is_sure = match["sign"] == "⁄" or (
            0 < above < below and (wording.part_words.match(match.string, match.end()) or wording.whole_words.search(front.before))
        )
        return wording.fraction(above, below) if is_sure else None

    def _vulgar(self, match: re.Match[str], front: Front) -> str | None:
        said = self._wording.fraction(*_VULGAR[match["vulgar"]])
        if front.is_amount:
            return None
        return f"{self._wording.cardinal(int(match['whole']))}{self._wording.whole_and}{said}" if match["whole"] else said

    def _formula(self, match: re.Match[str], front: Front) -> str | None:
        parts = list(_OPERANDS.finditer(match[0]))
        operators = {part["operator"] for part in parts} - {None}
        is_raised = any(part["exponent"] or part["raised"] for part in parts)
        is_code = any(_LEADING_ZERO.match(part[0]) for part in parts)
        is_sure = is_raised or "=" in operators or operators & {"+", "×", "÷"}
        if (
            front.currency
            or front.label
            or front.sign == "+"
            or not is_sure
            or is_code
            or (operators & {"-", "*", "−"} and "=" not in operators)
        ):
            return None
        said = [self._wording.operators[part["operator"]] if part["operator"] else self._operand(part) for part in parts]
        sign = [self._wording.minus] if front.sign else []
        whole = self._wording.blank.join([*sign, *said])
        return self._wording.measured(whole, match["tail"].strip(), "") if match["tail"] else whole

    def _operand(self, part: re.Match[str]) -> str:
        base = self._wording.number(_amount(part["base"])) or part["base"]
        exponent = part["exponent"] or (part["raised"] or "").translate(_SUPERSCRIPTS)
        return self._wording.power(base, exponent) if exponent.strip("-") else base

    # Amounts

    def _range(self, match: re.Match[str], front: Front) -> str | None:
        first = _amount(match["n1"], match["scale1"], front.sign)
        last = _amount(match["n2"], match["scale2"], match["sign"])
        if front.label or not (last.sign or _is_increasing(first, last)):
            return None
        if match["tail1"] or match["currency"]:
            one, other = (match["tail1"], match["tail2"]) if match["tail1"] else (front.currency, match["currency"])
            said = (self._unit(first, one, front), self._unit(last, other, front)) if one and other else (None, None)
            return f"{said[0]}{self._wording.to}{said[1]}" if said[0] and said[1] else None
        if first.sign and not (match["tail2"] or front.currency):
            return None
        return self._range_of(first, last, match, front)

    def _range_of(self, first: Amount, last: Amount, match: re.Match[str], front: Front) -> str | None:
        """Both of one unit, which is said once."""
        unit = front.currency or match["tail2"]
        counter = self._wording.counters.match(match.string, match.end())
        is_scaled_once = last.scale and not first.scale
        if counter and not (match["tail2"] or front.currency or is_scaled_once):
            context = self._context(match, front)
            one, other = (self._wording.counted(end, counter[0].strip(), context) for end in (first, last))
            return self._with_blank(self._wording.from_to(one, other, counter[0]), match) if one and other else None
        one, other = self._wording.number(first), self._wording.number(last)
        if not (unit or last.scale) or not (one and other):
            return None
        said = f"{one}{self._wording.to}{other}"
        if not unit or match["tail2"] in ("%", "‰"):
            return self._wording.percent(said, unit) if unit else self._with_blank(said, match)
        return self._said_once(said, unit, match) or self._wording.measured(said, unit, front.before)

    def _one(self, match: re.Match[str], front: Front) -> str | None:
        amount = _amount(match["n"], match["scale"], front.sign)
        if front.label:
            said = self._wording.cardinal(amount.value) if front.label == _NUMERO and match[0].isdecimal() else None
            return said and self._wording.numero + said
        if front.currency or match["tail"]:
            return self._with_unit(amount, match, front)
        if front.sign == "+" or (front.sign == "-" and not _MAY_BE_NEGATIVE.search(front.before)):
            return None
        return self._without_unit(amount, match, self._context(match, front))

    def _without_unit(self, amount: Amount, match: re.Match[str], context: Context) -> str | None:
        if len(amount.whole) >= _LEAST_CODE_DIGITS and amount.is_plain and self._wording.code_words.search(context.before):
            return self._wording.spelled(amount.whole)
        counter = self._wording.counters.match(match.string, match.end())
        if counter:
            said = self._wording.counted(amount, counter[0].strip(), context)
            return said and self._with_blank(said, match)
        if amount.decimals and self._wording.version_words.search(context.before):
            return self._wording.number(amount)
        return None if _YEAR_AND_MONTH.fullmatch(match[0]) else self._wording.bare(amount, context)

    def _with_unit(self, amount: Amount, match: re.Match[str], front: Front) -> str | None:
        if not front.currency:
            return self._unit(amount, match["tail"], front)
        if match["tail"] and self._wording.currencies.get(match["tail"]) != self._wording.currencies[front.currency]:
            return None
        said = self._wording.number(_money(amount))
        return said and (self._said_once(said, front.currency, match) or self._unit(amount, front.currency, front))

    def _said_once(self, said: str, unit: str, match: re.Match[str]) -> str | None:
        """Where a sign is in front, and its word behind."""
        has_both = match.string[match.end() : match.end() + _NEAR].lstrip().startswith(self._word(unit))
        return self._with_blank(said, match) if has_both else None

    def _unit(self, amount: Amount, unit: str, front: Front) -> str | None:
        if unit in _DEGREES:
            return self._wording.degrees(amount, unit, front.before)
        said = self._wording.number(_money(amount) if unit in self._wording.currencies else amount)
        if said is None or unit in ("%", "‰"):
            return said and self._wording.percent(said, unit)
        if amount.is_plain and unit not in self._wording.currencies:
            said = self._wording.counted(amount, self._word(unit), Context("", "")) or said
        return self._wording.measured(said, unit, front.before)

    def _word(self, unit: str) -> str:
        return self._wording.unit(unit).replace("{}", "").strip()

    def _context(self, match: re.Match[str], front: Front) -> Context:
        return Context(front.before, match.string[match.end() : match.end() + _NEAR])

    def _with_blank(self, said: str, match: re.Match[str]) -> str:
        """In front of what is counted."""
        return said if match.string[match.end() : match.end() + 1].isspace() else said + self._wording.blank


def _kind(pattern: str, said: Callable[[re.Match[str], Front], str | None], signs: str = "") -> _Kind:
    return _Kind(re.compile(pattern, re.ASCII), said, signs)


def _amount(number: str, scale: str | None = "", sign: str | None = "") -> Amount:
    whole, _, decimals = number.replace(",", "").partition(".")
    return Amount(whole, decimals, (scale or "").strip(), (sign or "").replace("−", "-"), "," in number)


def _money(amount: Amount) -> Amount:
    """$10.50 is ten and a half."""
    return amount._replace(decimals=amount.decimals.rstrip("0"))


def _is_increasing(first: Amount, last: Amount) -> bool:
    if bool(first.scale) != bool(last.scale) or first.sign:
        return True
    return (first.value, first.decimals) < (last.value, last.decimals)


def _any_of(written: dict[str, str]) -> str:
    return "|".join(re.escape(one) for one in sorted(written, key=len, reverse=True))
