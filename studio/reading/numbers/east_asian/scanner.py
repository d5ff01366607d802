"""Scanner: where a text in Chinese, Japanese or Korean has a number, with its sign and its unit, and which kinds it may be."""

import re
import unicodedata

from studio.reading.numbers.east_asian.kinds import Front, Kinds
from studio.reading.numbers.east_asian.wording import Wording
from studio.reading.numbers.romans import value
from studio.reading.traced_text import Replacement

__all__ = ["Scanner"]

_WIDE = re.compile(r"[０-９％．／－＋＄￥￦￡]")
_NARROW = str.maketrans("０１２３４５６７８９％．／－＋＄￥￦￡＝＾", "0123456789%./-+$¥₩£=^")
_WIDE_BETWEEN = re.compile(r"(?<=[0-9])[，：](?=[0-9])")
_START = re.compile(r"[0-9½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒第제]")
_ROMAN = re.compile(r"[第제] ?(?P<roman>[IVXL]{1,7}|[Ⅰ-Ⅻ])(?![A-Za-z0-9])")
_NAME = re.compile(r"(?:[0-9A-Za-z_.:/+\-–—~～〜^@#%&=?×*²³⁰-⁹⁻]|(?<=[0-9]),(?=[0-9]))*")  # from its first digit on
_IN_A_NAME = re.compile(r"(?:[A-Za-z_$€£¥₩]|[A-Za-z0-9_²³⁰-⁹)./\\=&?#@~^:-][./\\=&?#@~^-]|[0-9./]:|[0-9][·'])\Z")
_GOES_ON = re.compile(
    r"(?<![%‰])[A-Za-z_]|[+]|(?<=[0-9A-Za-z])[0-9]|(?<=°)[0-9]|[′″²³⁰-⁹⁻^]|(?<=[0-9])[×÷]|[·'][0-9]|[-–—/:.^~～〜@][A-Za-z0-9]|,[0-9]{2}"
)
_RANGE = re.compile(r" ?[-–—~～〜∼] ?(?=[0-9])")
_LETTER = re.compile(r"[\u3041-\u9fff\uac00-\ud7a3]")
_NUMBER = re.compile(r"[0-9][0-9,.]*")
_NEAR, _MOST_IN_FRONT = 24, 8  # letters


class Scanner:
    """Reads by a Wording. Its patterns are made once."""

    def __init__(self, wording: Wording):
        self._wording = wording
        self._kinds = Kinds(wording)
        signs = "|".join(re.escape(sign) for sign in sorted(wording.currencies, key=len, reverse=True))
        self._front = re.compile(
            rf"(?:(?P<label>[№{wording.label}]) ?|(?P<sign>[-−+])?(?:(?<![A-Za-z])(?P<currency>{signs})[ \u00a0]?)?(?P<late>[-−])?)\Z"
        )

    def __call__(self, text: str) -> list[Replacement]:
        """In order, not overlapping."""
        text = _narrow(text)
        replacements: list[Replacement] = []
        at = 0
        while (found := _START.search(text, at)) is not None:
            is_order = not found[0].isnumeric()
            read = self._roman(text, found.start()) if is_order else self._read(text, found.start(), at)
            if read is None:
                name = _NAME.match(text, found.start())
                at = found.end() if is_order or name is None else max(name.end(), found.end())
                continue
            replacements.append(read)
            to = self._to(text, read.end)
            replacements += to
            at = to[0].end if to else read.end
        return replacements

    def _read(self, text: str, digits: int, at: int) -> Replacement | None:
        """The number whose digits begin there. Nothing in front of `at` belongs to it."""
        front = self._in_front(text, digits, at)
        if front is None:
            return None
        for match, said in self._kinds.read(text, front):
            if not _GOES_ON.match(text, match.end()):
                return Replacement(front.start, match.end(), said)
        return None

    def _roman(self, text: str, order: int) -> Replacement | None:
        """A Roman number behind the word for an order ("第II卷")."""
        match = _ROMAN.match(text, order)
        number = value(unicodedata.normalize("NFKC", match["roman"])) if match else None
        said = self._wording.cardinal(number) if number else None
        return Replacement(*match.span("roman"), said) if match and said else None

    def _in_front(self, text: str, digits: int, at: int) -> Front | None:
        """None where it is within a name."""
        if digits == at or _LETTER.match(text, digits - 1):
            return Front(digits, digits, text[max(0, digits - _NEAR) : digits])
        match = self._front.search(text, max(at, digits - _MOST_IN_FRONT), digits)
        assert match is not None  # all of its parts may lack
        start = match.start()
        if start and _IN_A_NAME.search(text, max(0, start - 2), start):
            return None
        sign = match["sign"] or match["late"] or ""
        return Front(start, digits, text[max(0, start - _NEAR) : start], sign, match["currency"] or "", match["label"] or "")

    def _to(self, text: str, end: int) -> list[Replacement]:
        """The sign of a range behind a number with its counter, in front of another with one of its kind ("3日～5日")."""
        counter = self._wording.counters.match(text, end)
        sign = counter and _RANGE.match(text, counter.end())
        number = sign and _NUMBER.match(text, sign.end())
        last = number and self._wording.counters.match(text, number.end())
        if not (counter and sign and last):
            return []
        one, other = counter[0].strip(), last[0].strip()
        is_range = one == other or {one, other} <= self._wording.dates
        return [Replacement(sign.start(), sign.end(), self._wording.to)] if is_range else []


def _narrow(text: str) -> str:
    """With digits and signs of half width, letter for letter."""
    if not _WIDE.search(text):
        return text
    return _WIDE_BETWEEN.sub(lambda sign: "," if sign[0] == "，" else ":", text.translate(_NARROW))
