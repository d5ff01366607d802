"""What French, Spanish, Italian and Portuguese share: commas, gender that is guessed from the noun, and "de" behind millions."""

import re
from functools import cached_property

from studio.reading.numbers.formulas import VULGAR
from studio.reading.numbers.grammar import CARDINALS, ORDINALS, STAYS, Grammar, Kind, spelled
from studio.reading.numbers.kinds import END, after, any_of, before, number_pattern, numeral
from studio.reading.numbers.quantities import MONEY_SIGNS
from studio.reading.numbers.romance.genders import FEMININE, MASCULINE, Genders
from studio.reading.numbers.units import UNITS
from studio.reading.numbers.wording import Form, Noun, Numeral

__all__ = ["Romance"]

_WORD = re.compile(r"[ \u00a0\u202f]([^\W\d_]+(?:['’-][^\W\d_]+)*['’]?)")
_MORE_NUMBERS = re.compile(r"^\s(?:o|u|y|e|a|ou|et|à|ni)\s\d[\d.]*(?=\s)")  # 200 or 300 of them
_MILLION = 1_000_000
_CARDINALS = {MASCULINE: ("spellout-cardinal-masculine",), FEMININE: ("spellout-cardinal-feminine",)}
_ORDINALS = {MASCULINE: ("spellout-ordinal-masculine-adjective",), FEMININE: ("spellout-ordinal-feminine",)}
_YEARS = range(1000, 2100)
_HOUR = r"(?:[01]?\d|2[0-4])(?::[0-5]\d|\s?h(?:\s?[0-5]\d)?)"
_WORDS_TOO = frozenset(("mi", "ha", "ft", "yd", "oz", "lb", "lbs", "sec", "kmh", "kph", "mph"))  # units that are words, or nobody's here


class Romance(Grammar):
    """closers: words before which a number stands for itself. labels: patterns of nouns that are followed by the number they bear."""

    categories = ("one", "many", "other")
    decimal = ","
    groups = ".\u00a0\u202f\u2009"
    has_capital_months = False
    most_decimals_as_one = 2
    genders: Genders
    closers: frozenset[str]
    labels = ""
    years_before = ""  # regular expression of what stands before a year
    feminine_articles: frozenset[str] = frozenset()
    thousand = ""
    half = ("", "")  # masculine, feminine; in front of a noun
    de = "de"
    time_articles = "(?!)"  # regular expression of what stands before a time
    day_articles = ""  # regular expression of what stands before a day of a month
    books = "(?!)"  # regular expression of books that have chapters and verses
    scores = "(?!)"  # regular expression of words that stand near the result of a game
    days_joint = "a"  # from the third to the fifth

    def in_words(self, n: int, rules: tuple[str, ...]) -> str:
        """By the first of CLDR's rules that the locale has."""
        return spelled(n, self.locale, rules)

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """Of a gender; of none where it stands for itself."""
        return self.in_words(n, (*_CARDINALS.get(form.gender, ()), *CARDINALS))

    def ordinal(self, n: int, form: Form = Form()) -> str:
        """Of a gender; of none where it stands for itself, as what is masculine without a noun."""
        return self.in_words(n, (*_ORDINALS.get(form.gender, ()), *ORDINALS))

    def decimals(self, written: str) -> str:
        """Zeros by themselves, and few digits as one number."""
        digits = written.lstrip("0")
        if not digits or len(written) > self.most_decimals_as_one:
            return self.digits(written)
        return " ".join([self.cardinal(0)] * (len(written) - len(digits)) + [self.cardinal(int(digits))])

    def plain(self, numeral: Numeral, before: str, after: str) -> str | None:
        """A number of whatever noun follows. None where its gender is heard and nobody can tell it."""
        gender = self._gender_heard(numeral, before, after)
        if gender is None:
            return None
        return self.number(numeral, Form(gender=gender))

    def _gender_heard(self, numeral: Numeral, before: str, after: str) -> str | None:
        """With which gender a number is said: "" as one that stands for itself. None: nobody can say."""
        n = numeral.count
        if n is None or numeral.is_spelled or len({self.cardinal(n, Form(gender=gender)) for gender in ("", MASCULINE, FEMININE)}) == 1:
            return ""
        if re.search(rf"(?<!\w)(?:{self.labels})\s$", before) or (n in _YEARS and re.search(rf"(?<!\w)(?:{self.years_before})\s$", before)):
            return ""
        noun = self.noun_behind(_MORE_NUMBERS.sub("", after))
        if noun:
            return self.genders.of(noun) or None
        article = re.search(r"(?<!\w)(\w+)\s$", before)
        return FEMININE if article and article[1].casefold() in self.feminine_articles else ""

    def noun_behind(self, after: str) -> str:
        """The word behind a number, where the number may count it."""
        word = _WORD.match(after)
        if word is None or re.split(r"(?<=['’])|-", word[1].casefold())[0] in self.closers or word[1].casefold() in self.closers:
            return ""
        return word[1]

    def _is_of_millions(self, numeral: Numeral) -> bool:
        """Whether "de" stands between the number and its noun."""
        n = numeral.count
        return bool(n) and n % _MILLION == 0

    def linked(self, noun: str) -> str:
        """The noun behind "de"."""
        return f"{self.de} {noun}"

    def noun(self, noun: Noun, numeral: Numeral, form: Form = Form()) -> str:
        """With "de" behind millions."""
        one, last = noun.forms[0], noun.forms[-1]
        said = one if self.category(numeral) == "one" else last
        return self.linked(said) if self._is_of_millions(numeral) else said

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun, form: Form = Form()) -> str:
        """Three millions of euros, but three thousand euros."""
        if scale.forms[0] != self.thousand:
            return super().scaled(numeral, scale, noun, form)
        n = numeral.count
        return self.counted(Numeral(str(n * 1000)), noun, form) if n else f"{self.number(numeral)} {self.thousand} {noun.forms[-1]}"

    def of_scale(self, noun: Noun) -> str:
        """The noun behind millions."""
        return self.linked(noun.forms[-1])

    def unit(self, name: str) -> Noun:
        """With the gender of its first word."""
        noun = super().unit(name)
        return Noun(noun.forms, noun.gender or self.genders.of(noun.forms[0].split()[0]) or MASCULINE)

    @cached_property
    def unit_names(self) -> dict[str, str]:
        """Less those that are words of the languages."""
        return {written: name for written, name in UNITS.items() if written not in _WORDS_TOO} | self.words.units

    def is_unit(self, written: str, number: str, after: str) -> bool:
        """Whether what is written close to a number is a unit: 5G and 4K are none, nor 2B."""
        return len(written) > 1 or written in "mglLhs°VW"

    def century(self, n: int, before: str, after: str) -> str | None:
        """With the gender of what follows."""
        noun = re.match(r"[\s\u00a0-]?([^\W\d_]+)", after)
        return self.ordinal(n, Form(gender=self.genders.of(noun[1]) if noun else ""))

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """May of 2025."""
        return f"{self.month_names[month]}{' ' + self.de if self.year_words else ''} {self.year(year)}"

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """From a day of a month to another."""
        last_said = self.date(last, month, year, before)
        return f"{self.cardinal(first)} {self.days_joint} {last_said}" if first < last <= 31 and last_said else None

    def is_no_fraction(self, before: str, after: str) -> bool:
        """A day of a month; in front of a noun the gender would be heard."""
        return bool(self.noun_behind(after)) or re.search(rf"(?<!\w)(?:{self.day_articles})\s$", before) is not None

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """Two and a half, without the one of a half."""
        if (above, below) == (1, 2) and (half := self.fraction(1, 2)):
            return f"{self.cardinal(whole)}{self.words.and_fraction}{half.split()[-1]}"
        return super().mixed(whole, above, below)

    def noun_of_fraction(self, noun: Noun, is_mixed: bool) -> str:
        """Two kilos and a half, but three quarters of a kilo."""
        return noun.forms[-1] if is_mixed else self.linked(noun.forms[0])

    def is_ruler(self, name: str) -> bool:
        """In capitals too."""
        return name in self.words.rulers or name.capitalize() in self.words.rulers

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """No word is one of these letters behind a name, but the first letter of another name is."""
        return roman in "IVX" and not re.match(r"\.\s?[A-ZÁÉÍÓÚ]", after)

    def is_verse(self, before: str, hour: str) -> bool:
        """Whether 3:16 is a place in a book, by the name ahead of it."""
        if re.search(rf"(?<!\w)(?:{self.books})\.?\s$", before):
            return True
        return len(hour) == 1 and re.search(r"(?<![.!?:]\s)(?<!^)\b[A-ZÉ][a-zéèíãú]+\.?\s$", before) is not None

    def first_kinds(self) -> list[Kind]:
        """Halves of a noun, hours with minutes, hectares; numbers with a point as the English write them."""
        number = number_pattern(self)
        signs = {sign: code for sign, code in (MONEY_SIGNS | self.words.money_signs).items() if code in self.words.money}

        def dollars(grammar: "Romance", match: re.Match[str]) -> str | None:
            money = grammar.words.money[signs[match["money"]]]
            return grammar.amount(Numeral(match["a"].replace(",", ""), match["d"]), money)

        return [
            self.kind(
                re.compile(
                    rf"(?P<hour>[01]?\d|2[0-3])\.(?P<minute>[0-5]\d)(?P<word>\s?(?:{self.clock_words or '(?!)'})(?!\w))?(?!\w|[.,]\d)"
                ),
                _stopped_time,
            ),
            self.kind(
                re.compile(rf"(?P<money>{any_of(signs)})\s?(?P<a>\d{{1,3}}(?:,\d{{3}})+|\d+)\.(?P<d>\d\d)(?!\d|[.,]\d)(?!\s?[^\W\d_]*ill)"),
                dollars,
            ),
            self.kind(re.compile(rf"(?P<a>\d{{1,6}})\.(?P<d>\d{{1,2}})(?P<percent>\s?%)?{END}"), _pointed),
            self.kind(re.compile(r"\d{4}(?: \d{4}){2,}(?: \d{1,3})?(?![\w ]\d|\w)"), _card),
            self.kind(re.compile(r"\d{1,3}:\d{1,3}(?:-\d{1,3})?(?!\d)"), _verse),
            self.kind(re.compile(rf"(?P<hour>{_HOUR})\s?[-–]\s?(?P<last>{_HOUR})(?![\w:])"), _hour_range),
            self.kind(
                re.compile(
                    r"(?P<n>\d{1,3}(?:[. \u00a0\u202f]\d{3}){0,12}(?:[. \u00a0\u202f]?000){2})[ \u00a0\u202f](?P<noun>[^\W\d_]{3,})"
                ),
                _of_millions,
            ),
            self.kind(re.compile(rf"(?:1/2|½)(?:\s?(?P<unit>{any_of(self.unit_names)})(?!\w)|(?=[ \u00a0][^\W\d_]))"), _half),
            self.kind(
                re.compile(rf"(?P<above>[1-9])/(?P<below>[3-9]|10)\s?(?P<unit>{any_of(self.unit_names)})(?![\w²³'’/])"), _part_of_unit
            ),
            self.kind(re.compile(rf"[{''.join(VULGAR)}](?=[ \u00a0][^\W\d_])"), _part),
            self.kind(re.compile(r"\d{1,2}°(?=\))"), lambda grammar, match: STAYS),
            self.kind(re.compile(r"(?P<minutes>\d{1,3})['′’](?P<seconds>[0-5]\d)(?:''|[\"″”])"), _lasting),
            self.kind(re.compile(r"(?P<hours>\d{1,3})\s?h\s?(?P<minutes>\d{1,2})\s?min(?:\s?(?P<seconds>\d{1,2})\s?s)?(?!\w)"), _lasting),
            self.kind(re.compile(rf"(?P<a>{number})\s?ha(?=\s(?:de|di|en|in|y|e|près|au|à|para|sur)\b|[.,;:)](?!\d)|$)"), _hectares),
        ]

    def kinds(self) -> list[Kind]:
        """Names of models, and thousands that are half written."""
        number = number_pattern(self)
        return [
            self.kind(re.compile(rf"(?P<a>\d{{1,3}})[-–](?P<b>\d{{1,3}}){END}"), _score),
            self.kind(re.compile(r"\d+[-–]\d+(?:(?P<more>[-–]\w+)|(?![\w-]))"), _model),
            self.kind(re.compile(rf"(?P<a>{number})\s{self.thousand}(?!\w|\s(?:mill|milh|[€$£]))"), _thousands),
            self.kind(re.compile(r"['’](?P<year>\d\d)(?![\w'’])"), _short_year),
        ]


def _card(grammar: Romance, match: re.Match[str]) -> str | None:
    return ", ".join(grammar.digits(group) for group in match[0].split())


def _verse(grammar: Romance, match: re.Match[str]) -> str | None:
    return STAYS if re.search(rf"(?<!\w)(?:{grammar.books})\.?\s$", before(match)) else None


def _hour_range(grammar: Romance, match: re.Match[str]) -> str | None:
    said = []
    for written in (match["hour"], match["last"]):
        hour, minute = re.findall(r"\A(\d+)\D+(\d*)\Z", written)[0]
        said.append(grammar.clock(hour, int(minute or 0), "", ""))
    return f"{said[0]} {grammar.words.to} {said[1]}"


def _of_millions(grammar: Romance, match: re.Match[str]) -> str | None:
    if grammar.noun_behind(" " + match["noun"]) == "":
        return None
    return f"{grammar.number(numeral(grammar, match['n']))} {grammar.linked(match['noun'])}"


def _stopped_time(grammar: Romance, match: re.Match[str]) -> str | None:
    is_time = match["word"] or re.search(rf"(?<!\w)(?:{grammar.time_articles})\s$", before(match))
    return grammar.clock(match["hour"], int(match["minute"]), "", "las ") if is_time else None


def _part(grammar: Romance, match: re.Match[str]) -> str | None:
    noun = grammar.noun_behind(after(match))
    return STAYS if noun and noun not in grammar.unit_names else None


def _part_of_unit(grammar: Romance, match: re.Match[str]) -> str | None:
    above, below = int(match["above"]), int(match["below"])
    said = grammar.fraction(above, below) if above < below and not re.search(r"\d\s?$", before(match)) else None
    return f"{said} {grammar.noun_of_fraction(grammar.unit(grammar.unit_names[match['unit']]), False)}" if said else STAYS


def _half(grammar: Romance, match: re.Match[str]) -> str | None:
    if re.search(r"\d\s?$", before(match)):
        return STAYS
    if match["unit"]:
        unit = grammar.unit(grammar.unit_names[match["unit"]])
        return f"{grammar.half[unit.gender == FEMININE]} {unit.forms[0]}"
    noun = grammar.noun_behind(after(match))
    if not noun:
        return None
    gender = grammar.genders.of(noun)
    return grammar.half[gender == FEMININE] if gender else STAYS


def _lasting(grammar: Romance, match: re.Match[str]) -> str | None:
    parts = [(grammar.unit(f"duration-{name[:-1]}"), number) for name, number in match.groupdict().items() if number]
    return " ".join(grammar.counted(Numeral(str(int(number))), unit) for unit, number in parts)


def _hectares(grammar: Romance, match: re.Match[str]) -> str | None:
    return grammar.counted(numeral(grammar, match["a"]), grammar.unit("area-hectare"))


def _pointed(grammar: Romance, match: re.Match[str]) -> str | None:
    if len(match["a"]) > 1 and match["a"][0] == "0":
        return STAYS
    said = f"{grammar.cardinal(int(match['a']))} {grammar.words.dot} {grammar.decimals(match['d'])}"
    return f"{said} {grammar.words.percent}" if match["percent"] else said


def _model(grammar: Romance, match: re.Match[str]) -> str | None:
    is_named = re.search(r"\w[ \u00a0][A-ZÉ]\w+[ \u00a0]$", before(match))
    return STAYS if is_named or match["more"] else None


def _score(grammar: Romance, match: re.Match[str]) -> str | None:
    around = f"{before(match)} {after(match)}"
    if "0" in (match["a"][0], match["b"][0]) and len(match["a"]) + len(match["b"]) > 3:
        return None
    is_score = re.search(rf"(?<!\w)(?:{grammar.scores})", around, re.IGNORECASE)
    return f"{grammar.cardinal(int(match['a']))} {grammar.words.to} {grammar.cardinal(int(match['b']))}" if is_score else None


def _thousands(grammar: Romance, match: re.Match[str]) -> str | None:
    written = numeral(grammar, match["a"])
    if written.decimals or written.is_spelled:
        return None
    return grammar.plain(Numeral(f"{written.whole}000"), before(match), after(match)) or STAYS


def _short_year(grammar: Romance, match: re.Match[str]) -> str | None:
    return grammar.number(Numeral(match["year"]))
