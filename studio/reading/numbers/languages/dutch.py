"""Dutch numbers."""

import re

from studio.reading.numbers.grammar import Grammar, Kind
from studio.reading.numbers.kinds import END
from studio.reading.numbers.languages.dutch_words import WORDS
from studio.reading.numbers.wording import Form, Money, Numeral

__all__ = ["Dutch"]

_BELOW = {3: "derde", 4: "kwart", 5: "vijfde", 6: "zesde", 7: "zevende", 8: "achtste", 9: "negende", 10: "tiende"}
_CLOCK_AHEAD = re.compile(r"(?:om|vanaf|tot|tegen|van|tussen|en|voor|na|sinds)\s$", re.IGNORECASE)
_SCORE = re.compile(
    r"\b(?:won|wonnen|gewonnen|wint|winst|verloor|verloren|verlies|verliest|gelijk|gelijkspel|stand|uitslag|werd|versloeg)\b", re.IGNORECASE
)


class Dutch(Grammar):
    """Dutch."""

    locale = "nl"
    decimal, groups = ",", ".\u00a0\u202f\u2009"
    has_capital_months = False
    durations = r"min(?:uten|\.)|uren\b"
    clock_words = "uur|u"
    phones = (r"0\d{1,3}[ -]\d{2,}(?:[ -]\d+)*",)
    roman_endings = "(?:ste|de|e)"
    words = WORDS

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """Één, which is no article."""
        return "één" if n == 1 else super().cardinal(n)

    def year(self, n: int) -> str:
        """Negentienhonderdvierentachtig."""
        hundreds, rest = divmod(n, 100)
        return f"{self.cardinal(hundreds)}honderd{self.cardinal(rest) if rest else ''}" if 1100 <= n < 2000 else self.cardinal(n)

    def is_year(self, n: int, before: str, after: str) -> bool:
        """As years are said, so are all numbers from eleven hundred on."""
        return 1100 <= n < 2000

    def amount(self, numeral: Numeral, money: Money, form: Form = Form()) -> str:
        """Vijf euro vijftig."""
        if len(numeral.decimals) == 2 and money.cents and int(numeral.decimals) and int(numeral.whole):
            return f"{self.counted(Numeral(numeral.whole), money.whole, form)} {self.cardinal(int(numeral.decimals))}"
        if len(numeral.decimals) == 2 and not int(numeral.decimals):
            numeral = Numeral(numeral.whole)
        if numeral.count and 1100 <= numeral.count < 2000:
            return f"{self.year(numeral.count)} {self.noun(money.whole, numeral)}"
        return super().amount(numeral, money, form)

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """Drie mei."""
        return f"{self.cardinal(day)} {self.month_names[month]}" + (f" {self.year(year)}" if year else "")

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """Drie tot vijf mei."""
        return self.range(self.cardinal(first), self.date(last, month, year, before) or "") if first < last else None

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """Mei negentienhonderdtachtig."""
        return f"{self.month_names[month]} {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Veertien uur dertig."""
        if half or (before is not None and len(hour) < 2 and not _CLOCK_AHEAD.search(before)):
            return None
        return f"{self.cardinal(int(hour))} uur" + (f" {self.cardinal(minute)}" if minute else "")

    def raised(self, exponent: int, is_negative: bool) -> str:
        """Tot de zesde."""
        return f"tot de macht min {self.cardinal(exponent)}" if is_negative else f"tot de {self.ordinal(exponent)}"

    def fraction(self, above: int, below: int) -> str | None:
        """Drie kwart."""
        return "een half" if below == 2 else f"{'een' if above == 1 else self.cardinal(above)} {_BELOW[below]}"

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """Tweeënhalf."""
        if below != 2:
            return super().mixed(whole, above, below)
        if whole == 1:
            return "anderhalf"
        said = self.cardinal(whole)
        return f"{said}{'ën' if said.endswith('e') else 'en'}half"

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """Willem I, Karel V."""
        return roman in "IV" and bool(re.match(r"$|[.,;:!?)]|\s(?:van|was|en|stierf|regeerde|werd|had|in|de|der)\b", after))

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """De veertiende."""
        return f"de {self.ordinal(n)}"

    def is_unit(self, written: str, number: str, after: str) -> bool:
        """Some letters close behind a number are no unit."""
        return written not in {"s", "t", "u", "el", "tl"} or (written == "u" and number.isdigit())

    def is_code(self, written: str, before: str) -> bool:
        """Bel 112."""
        return len(written) > 2 and re.search(r"\b(?:[Bb]el|[Bb]elt|[Bb]ellen|[Cc]ode|pincode|PIN)(?: naar)?\s$", before) is not None

    def first_kinds(self) -> list[Kind]:
        """Prices without cents."""
        return [
            self.kind(re.compile(r"€\s?(?P<n>\d{1,6}),(?:-|–|=)(?!\w)"), lambda grammar, match: f"{grammar.cardinal(int(match['n']))} euro")
        ]

    def decade_kinds(self) -> list[Kind]:
        """Jaren tachtig."""
        return [self.kind(re.compile(r"(?:(?<=jaren )|(?<=jaren ')|(?<=jaren ’))['’]?(?P<decade>[1-9]0)(?!\w|[.,]\d)"), _decade)]

    def kinds(self) -> list[Kind]:
        """Ordinals and scores."""
        return [
            self.kind(re.compile(r"(?P<n>\d{1,4})(?:e|ste|de)(?!\w)"), lambda grammar, match: grammar.ordinal(int(match["n"]))),
            self.kind(re.compile(rf"(?P<a>\d{{1,2}})[-–](?P<b>\d{{1,2}}){END}"), _score),
        ]


def _decade(grammar: Grammar, match: re.Match[str]) -> str | None:
    return grammar.cardinal(int(match["decade"]))


def _score(grammar: Grammar, match: re.Match[str]) -> str | None:
    if int(match["a"]) < int(match["b"]) and re.match(r"\s[a-z]+(?:en|s)\b", match.string[match.end() :][:24]):
        return None
    around = match.string[max(0, match.start() - 40) : match.end() + 20]
    return f"{grammar.cardinal(int(match['a']))} {grammar.cardinal(int(match['b']))}" if _SCORE.search(around) else None
