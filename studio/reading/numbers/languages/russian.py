"""Russian numbers."""

import re

from studio.reading.numbers.grammar import STAYS, Grammar, Kind, SpellingMissing, spelled
from studio.reading.numbers.kinds import after, before
from studio.reading.numbers.languages.russian_cases import case_before, case_of_year, form_of, ordinal_form, ruler_form
from studio.reading.numbers.languages.russian_words import WORDS
from studio.reading.numbers.wording import Form, Noun, Numeral

__all__ = ["Russian"]

_MOST_DECIMALS = 3  # that are said as a part of a thousand; more are said digit by digit
_GENDERS = {"": "masculine", "m": "masculine", "f": "feminine", "n": "neuter", "p": "plural"}
_CASES = {"": "", "n": "", "g": "-genitive", "d": "-dative", "a": "-accusative", "i": "-ablative", "p": "-locative"}
_FORTIETH = {("", "p"): "ом", ("m", "p"): "ом", ("n", "p"): "ом", ("p", "i"): "ыми"}
_ERRATA = {"восемьдесят": "восьмидесят", "третьому": "третьему"}  # of CLDR 46
_ERRORS = re.compile(r"восемьдесят(?=\w)|третьому")
_WITHOUT_DOTS = re.compile(r"(\bтр|четыр|четв)е(?=х|м(?!я)|рт)")
_TODAY = re.compile(r"(?:сегодня|завтра|вчера|было|будет|наступило|на|по|за|это)\s$", re.IGNORECASE)
_MADE = (
    r"(?:летн|этажн|комнатн|дневн|часов|минутн|процентн|метров|местн|томн|значн|кратн|рублёв|рублев|месячн"
    r"|недельн|лети|тысячн|градусн|миллионн)"
)
_MADE_AHEAD = {1: "одно", 2: "двух", 3: "трёх", 4: "четырёх", 40: "сорока", 90: "девяносто", 100: "сто", 1000: "тысяче"}


class Russian(Grammar):
    """Russian."""

    locale = "ru"
    categories = ("one", "few", "many", "other")
    decimal, groups = ",", "\u00a0\u202f\u2009"
    has_capital_months = False
    year_endings = r"[\s\u00a0](?:года|г\.)"
    clock_words = "ч\\.?"
    phones = (r"8[ -]?\(?\d{3}\)?[ -]\d{3}[ -]?\d{2}[ -]?\d{2}", r"\d{3}-\d{2}-\d{2}")
    roman_endings = "(?!)"
    words = WORDS

    def form(self, before: str, after: str) -> Form | None:
        """For what is written as a sign or a unit, whose gender is known: the case alone."""
        case = case_before(before)
        if case == "d" or re.search(r"\b[Сс]о?\s$", before):
            return None
        return Form(case)

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """In the case and gender of what is counted; тысяча is no "одна тысяча"."""
        said = _spelled(n, "cardinal", form.case, form.gender)
        for one in ("одна ", "одной ", "одну "):
            if 1000 <= n < 2000 and said.startswith(one):
                return said[len(one) :]
        return said

    def ordinal(self, n: int, form: Form = Form()) -> str:
        """In its case and gender; gender p is the plural."""
        thousands, hundreds = n - n % 1000, n % 1000
        if hundreds >= 200 and hundreds % 100 == 0:  # CLDR 46 has no ordinals of them
            ahead = f"{self.cardinal(thousands)} " if thousands else ""
            return f"{ahead}{_spelled(hundreds, 'cardinal', 'g', 'm').removesuffix('сот')}{self.ordinal(100, form)}"
        said = _ERRORS.sub(lambda match: _ERRATA[match[0]], _spelled(n, "ordinal", form.case, form.gender))
        if said.endswith("сороковой") and (form.gender, form.case) in _FORTIETH:  # CLDR 46 has the feminine for all
            said = said.removesuffix("ой") + _FORTIETH[form.gender, form.case]
        if said == _spelled(n, "cardinal", form.case, form.gender.replace("p", "m")):
            raise SpellingMissing(f"no ordinal of {n}")
        return said.removeprefix("одна ") if 1000 <= n < 2000 else said

    def number(self, numeral: Numeral, form: Form = Form()) -> str:
        """Три целых четырнадцать сотых."""
        if not numeral.decimals or numeral.is_spelled or len(numeral.decimals) > _MOST_DECIMALS:
            return super().number(numeral, form)
        part, below = int(numeral.decimals), 10 ** len(numeral.decimals)
        if form.case == "g":
            whole = int(numeral.whole)
            ahead = f"{self.cardinal(whole, Form('g', 'f'))} {'целой' if _is_one(whole) else 'целых'}"
            return f"{ahead} {self.cardinal(part, Form('g', 'f'))} {self.ordinal(below, Form('g', 'f' if _is_one(part) else 'p'))}"
        return f"{self._of(int(numeral.whole), 'целая', 'целых')} {self.fraction(part, below)}"

    def _of(self, n: int, one: str, many: str) -> str:
        return f"{self.cardinal(n, Form('n', 'f'))} {one if _is_one(n) else many}"

    def fraction(self, above: int, below: int) -> str | None:
        """Три четвёртых, одна вторая."""
        return self._of(above, self.ordinal(below, Form("n", "f")), self.ordinal(below, Form("g", "p")))

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """Два с половиной."""
        if below == 2:
            return f"{self.cardinal(whole)} с половиной"
        return f"{self._of(whole, 'целая', 'целых')} {self.fraction(above, below)}"

    def noun_of_fraction(self, noun: Noun, is_mixed: bool) -> str:
        """Of both, the genitive."""
        return noun.forms[-1]

    def plain(self, numeral: Numeral, before: str, after: str) -> str | None:
        """In the case and the gender that the words around tell."""
        if numeral.decimals or numeral.is_spelled:
            return self.number(numeral)
        form = form_of(int(numeral.whole), before, after)
        return None if form is None else self.number(numeral, form)

    def noun(self, noun: Noun, numeral: Numeral, form: Form = Form()) -> str:
        """In the genitive as after a preposition; рубль and рублю are left to those who wrote them."""
        if form.case == "g" and not numeral.decimals:
            return noun.forms[1 if self.category(numeral) == "one" else 2]
        said = super().noun(noun, numeral, form)
        if form.case == "a" and noun.gender == "f" and self.category(numeral) == "one" and not numeral.decimals:
            return said[:-1] + {"а": "у", "я": "ю"}.get(said[-1], said[-1])
        return said

    def counted(self, numeral: Numeral, noun: Noun, form: Form = Form()) -> str:
        """Accusative is nominative but for the feminine."""
        return super().counted(numeral, noun, form._replace(case="n") if form.case == "a" and noun.gender != "f" else form)

    def of_scale(self, noun: Noun) -> str:
        """Миллион рублей."""
        return noun.forms[2]

    def unit(self, name: str) -> Noun:
        """Of feminine gender are those in -а and -я."""
        unit = super().unit(name)
        return unit if unit.gender else Noun(unit.forms, "f" if unit.forms[0].split()[0].endswith(("а", "я")) else "m")

    def range(self, first: str, last: str) -> str:
        """Две-три недели."""
        return f"{first} – {last}"

    def raised(self, exponent: int, is_negative: bool) -> str:
        """В шестой степени."""
        return (
            f"в минус {self.ordinal(exponent, Form('p', 'f'))} степени"
            if is_negative
            else f"в {self.ordinal(exponent, Form('p', 'f'))} степени"
        )

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """Третьего мая, к третьему мая, сегодня третье мая."""
        case = "d" if case_before(before) == "d" else "n" if _TODAY.search(before) else "g"
        said = f"{self.ordinal(day, Form(case, 'n'))} {self.month_names[month]}"
        return f"{said} {self.ordinal(year, Form('g', 'm'))} года" if year else said

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """Третьего – пятого мая."""
        return None if first >= last else f"{self.ordinal(first, Form('g', 'n'))} – {self.date(last, month, year, '')}"

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """Left to what follows: май 1984 года."""
        return None

    def is_year(self, n: int, before: str, after: str) -> bool:
        """With its noun it is a kind of its own."""
        return False

    def years(self, first: int, last: int, before: str, after: str) -> str | None:
        """Numbers in the nominative, where no noun asks for a case."""
        return STAYS if re.match(r"\s?г", after) or last < 100 else self.range(self.cardinal(first), self.cardinal(last))

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Девять ноль пять, десять часов."""
        if half or (before is not None and re.search(r"\bк\s$", before, re.IGNORECASE)):
            return None
        form = Form("g" if before is not None and re.search(r"\b(?:с|со|до|от|после|около)\s$", before, re.IGNORECASE) else "n")
        said = self.cardinal(int(hour), form)
        if minute is None or not minute:
            return f"{said} {self.noun(self.unit(self.words.units['ч']), Numeral(str(int(hour))), form)}"
        return f"{said} {'ноль ' if minute < 10 else ''}{self.cardinal(minute, form)}"

    def ratio(self, first: Numeral, last: Numeral, before: str) -> str:
        """Шестнадцать к девяти; of games три один."""
        if re.search(r"(?:сч[её]т|выигра|проигра|побед|матч|ничь)", before, re.IGNORECASE):
            return f"{self.number(first)} {self.number(last)}"
        return f"{self.number(first)} к {self.number(last, Form('d'))}"

    def first_kinds(self) -> list[Kind]:
        """The first of two days or years."""
        months = "|".join(self.month_names[1:])
        return [
            self.kind(re.compile(rf"(?P<n>\d{{1,2}})(?=\s(?:по|до|и)\s\d{{1,2}}\s(?:{months})(?!\w))"), _first_day),
            self.kind(re.compile(r"(?P<n>[12]\d{3})(?=\s(?:по|до)\s[12]\d{3}(?:\sг(?:\.|од[а]?)?)?(?!\w))"), _first_year),
        ]

    def phone_group(self, written: str) -> str:
        """Сто двадцать три; ноль пять."""
        zeros = len(written) - len(written.lstrip("0"))
        rest = written[zeros:]
        if len(written) > 3:
            return self.digits(written)
        return " ".join([*(["ноль"] * zeros), *([self.cardinal(int(rest))] if rest else [])])

    def century(self, n: int, before: str, after: str) -> str | None:
        """В девятнадцатом веке."""
        noun = re.match(r"[\s\u00a0](\w+)(\.?)", after)
        if noun is None or noun[2]:
            return STAYS
        word, gender = noun[1], "m" if noun[1].startswith(("век", "съезд")) else "n"
        cases = {"век": "n", "века": "g", "веку": "d", "веке": "p", "веком": "i", "съезд": "n", "съезда": "g", "съезде": "p"}
        cases |= {
            "столетие": "n",
            "столетия": "g",
            "столетию": "d",
            "столетии": "p",
            "тысячелетие": "n",
            "тысячелетия": "g",
            "тысячелетии": "p",
        }
        return self.ordinal(n, Form(cases[word], gender)) if word in cases else STAYS

    def is_ruler(self, name: str) -> bool:
        """In any case."""
        return ruler_form(name, self.words.rulers) is not None

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """No letter of these is a Russian word."""
        return roman in "IVX"

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """Первый, Второй."""
        form = ruler_form(name, self.words.rulers)
        assert form is not None  # `is_ruler` said so
        return self.ordinal(n, form if form.case != "a" or form.gender == "f" else form._replace(case="g")).capitalize()

    def decade_kinds(self) -> list[Kind]:
        """Years with their noun."""
        return [
            self.kind(re.compile(r"(?P<n>[12]\d{3})(?P<blank>[\s\u00a0])(?P<noun>год(?:а|у|ом|е)?|г\.|г)(?![\w])"), _year),
            self.kind(re.compile(r"(?P<n>\d{1,3})(?P<joint>-)(?P<end>" + _MADE + r"\w*)"), _made),
        ]

    def kinds(self) -> list[Kind]:
        """Ordinals with their endings."""
        return [
            self.kind(
                re.compile(
                    r"(?P<n>\d{1,4})-?(?P<end>(?<=-)(?:[йяюехм]|го|му|ми|[оыи][йм]|ого|его|ому|ему|ая|ья|ую|ое|ье|ые|ых|ыми|ей))(?!\w)"
                ),
                _ordinal,
            )
        ]


def _is_one(n: int) -> bool:
    return n % 10 == 1 and n % 100 != 11


def _spelled(n: int, kind: str, case: str, gender: str) -> str:
    """CLDR's, with the dots over ё."""
    if kind == "cardinal":
        gender = "n" if case == "p" and gender != "f" else "m" if gender == "p" else gender  # CLDR 46 errs at "двадцать одном"
    said = spelled(n, "ru", (f"spellout-{kind}-{_GENDERS[gender]}{_CASES[case]}",))
    return _WITHOUT_DOTS.sub(r"\1ё", said)


def _ordinal(grammar: Grammar, match: re.Match[str]) -> str | None:
    form = ordinal_form(int(match["n"]), match["end"], before(match), after(match))
    return form and grammar.ordinal(int(match["n"]), form)


def _year(grammar: Grammar, match: re.Match[str]) -> str | None:
    case = case_of_year(match["noun"], before(match))
    if case is None:
        return STAYS
    short = {"n": "год", "a": "год", "g": "года", "d": "году", "p": "году", "i": "годом"}
    said = grammar.ordinal(int(match["n"]), Form(case, "m"))
    is_short = match["noun"].startswith("г") and len(match["noun"]) < 3
    behind = match.string[match.end() : match.end() + 12]
    stop = "." if match["noun"] == "г." and (not behind.strip() or behind.startswith("\n")) else ""
    return f"{said} {short[case] if is_short else match['noun']}{stop}"


def _first_day(grammar: Grammar, match: re.Match[str]) -> str | None:
    return grammar.ordinal(int(match["n"]), Form("g", "n"))


def _first_year(grammar: Grammar, match: re.Match[str]) -> str | None:
    return grammar.ordinal(int(match["n"]), Form("g", "m")) if re.search(r"\b[Сс]\s$", before(match)) else None


def _made(grammar: Grammar, match: re.Match[str]) -> str | None:
    n = int(match["n"])
    if n in _MADE_AHEAD:
        return _MADE_AHEAD[n] + match["end"]
    return "".join(_MADE_AHEAD.get(int(part), "") or _spelled(int(part), "cardinal", "g", "m") for part in _parts(n)) + match["end"]


def _parts(n: int) -> list[str]:
    """25: 20 and 5."""
    if n < 21 or n % 10 == 0 or n > 99:
        return [str(n)]
    return [str(n // 10 * 10), str(n % 10)]
