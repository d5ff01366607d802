"""French, of France, of Belgium and of Switzerland."""

import re

from studio.reading.numbers.grammar import STAYS, Kind
from studio.reading.numbers.kinds import END, after
from studio.reading.numbers.romance.french_words import CLOSERS, GENDERS, LABELS, WORDS
from studio.reading.numbers.romance.genders import FEMININE, words_of
from studio.reading.numbers.romance.romance import Romance
from studio.reading.numbers.romans import value
from studio.reading.numbers.wording import Form, Money, Numeral

__all__ = ["BelgianFrench", "French", "SwissFrench"]

_QUEENS = words_of("Élisabeth Elisabeth Elizabeth Catherine Marie Anne Isabelle Marguerite Béatrice")
_MUTE_H = re.compile(r"(?:ha|he)(?:bit|ctar|ctol|ure|rtz)|hom|hect|hist|hôt|hôp|hiv|hor|hum|hyp")
_ENDINGS = "ers?|res?|ères?|ᵉʳ|ᵉ|[ei]?[eè]mes?|es?|è|nde?s?"  # of 1er, 2e, 3ème, 2nd


class French(Romance):
    """Of France, and of all who say soixante-dix."""

    locale = "fr"
    most_decimals_as_one = 3
    day_words = r"er|ᵉʳ"
    clock_words = r"heures?|hrs?|h"
    phones = (r"0[1-9](?:(?P<sep>[ .\u00a0\u202f-])\d\d)(?:(?P=sep)\d\d){3}", r"0 ?8\d\d \d{3} \d{3}")
    genders, closers, labels, words = GENDERS, CLOSERS, LABELS, WORDS
    years_before = "[Ee]n|[Dd]epuis|[Vv]ers|[Aa]nnées?|[Aa]vant|[Aa]près|[Dd]ès"
    feminine_articles = words_of("la une")
    thousand = "mille"
    half = ("un demi", "une demi")
    scores = "gagn|victoire|bat\\b|batt|perd|défait|match|score|s'impos|menait|mène|nul\\b|contre"
    days_joint = "au"
    day_articles = "[Ll]e|[Dd]u|[Aa]u"
    books = (
        "Genèse|Gn|Exode|Ex|Psaumes?|Ps|Proverbes|Isaïe|Matthieu|Mt|Marc|Mc|Luc|Lc|Jean|Jn|Actes|Romains|Rm|Corinthiens|"
        "Hébreux|Apocalypse|Ap"
    )

    def in_words(self, n: int, rules: tuple[str, ...]) -> str:
        """With blanks around "et": a hyphen there is read aloud by some engines."""
        return super().in_words(n, rules).replace("-et-", " et ")

    def digits(self, written: str) -> str:
        """Two digits of a telephone number are one number."""
        return self.cardinal(int(written)) if len(written) == 2 and written[0] != "0" else super().digits(written)

    def fraction(self, above: int, below: int) -> str | None:
        """Demi, tiers and quart have names of their own."""
        names = {2: "demi", 3: "tiers", 4: "quart" if above == 1 else "quarts"}
        return f"{self.cardinal(above)} {names.get(below) or self.ordinal(below) + ('s' if above > 1 else '')}"

    def linked(self, noun: str) -> str:
        """d' in front of a vowel."""
        return f"d'{noun}" if noun[:1].casefold() in "aeiouéèêîïôœ" or _MUTE_H.match(noun.casefold()) else f"de {noun}"

    def amount(self, numeral: Numeral, money: Money, form: Form = Form()) -> str:
        """Ten euros fifty: tens of cents have no name behind euros."""
        whole, cents = Numeral(numeral.whole), numeral.decimals
        if money.cents and len(cents) == 2 and cents[0] != "0" and int(numeral.whole):
            return f"{self.counted(whole, money.whole, form)} {self.cardinal(int(cents))}"
        return super().amount(numeral, money, form)

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """The first is an ordinal."""
        said = f"{self.ordinal(1) if day == 1 else self.cardinal(day)} {self.month_names[month]}"
        return said if year is None else f"{said} {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Quatorze heures trente."""
        if half or (before is not None and self.is_verse(before, hour)):
            return STAYS
        said = f"{self.cardinal(int(hour), Form(gender=FEMININE))} {'heures' if int(hour) > 1 else 'heure'}"
        return f"{said} {self.cardinal(minute, Form(gender=FEMININE if minute % 10 == 1 else ''))}" if minute else said

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """The first is an ordinal, all others are cardinals."""
        return self.ordinal(1, Form(gender=FEMININE if name in _QUEENS else "")) if n == 1 else self.cardinal(n)

    def first_kinds(self) -> list[Kind]:
        """Centuries and kings with endings, marks of schools, years before Christ."""
        return [
            self.kind(re.compile(rf"(?P<roman>[IVXLC]+)(?P<ending>{_ENDINGS})(?!\w)(?P<century>\ss\.)?"), _roman_ordinal),
            self.kind(
                re.compile(
                    r"(?P<n>\d{1,4})(?P<ending>"
                    + _ENDINGS
                    + r")(?:[-–](?P<last>\d{1,4})(?:e|ème))?(?!\w)(?!\s(?:janv|févr|mars|avr|mai|juin|juil|août|sept|oct|nov|déc))"
                ),
                _ordinal,
            ),
            self.kind(re.compile(rf"(?P<n>\d{{1,2}}(?:,\d{{1,2}})?)/(?P<of>20|100){END}"), _mark),
            self.kind(re.compile(r"(?P<n>24)\s?h\s?/\s?24(?!\w)|(?P<days>7)\s?j\s?/\s?7(?!\w)"), _all_day),
            self.kind(re.compile(r"(?P<meters>[1-9])\s?m\s?(?P<centimeters>[1-9]\d)(?!\w)"), _height),
            self.kind(re.compile(r"(?P<n>\d{1,4})\s(?P<side>av|apr?)\.\s?J\.-C(?P<stop>\.)"), _of_christ),
            self.kind(re.compile(r"(?P<a>\d{1,4})\s?€(?P<d>\d\d)(?!\w|[.,]\d)"), _split_by_sign),
            *super().first_kinds(),
        ]


def _with_ending(grammar: French, n: int, ending: str) -> str | None:
    """None: an ending that nobody writes to this number."""
    bare = ending.rstrip("s")
    if bare in ("er", "ᵉʳ", "re", "ère"):
        said = grammar.ordinal(1, Form(gender=FEMININE if bare.endswith("re") else "")) if n == 1 else None
    elif bare in ("nd", "nde"):
        said = f"second{bare[2:]}" if n == 2 else None
    else:
        said = grammar.ordinal(n) if n > 1 else None
    return said and said + "s" * ending.endswith("s")


def _ordinal(grammar: French, match: re.Match[str]) -> str | None:
    said = _with_ending(grammar, int(match["n"]), match["ending"])
    return f"{said} {grammar.ordinal(int(match['last']))}" if said and match["last"] else said


def _roman_ordinal(grammar: French, match: re.Match[str]) -> str | None:
    roman, n = match["roman"], value(match["roman"])
    if n is None or n > 100 or (len(roman) == 1 and roman in "LC"):
        return None
    said = _with_ending(grammar, n, match["ending"])
    if not said or not match["century"]:
        return said
    is_end = after(match).lstrip()[:1].isupper() or not after(match).strip()
    return f"{said} siècle{'s' * match['ending'].endswith('s')}{'.' * is_end}"


def _all_day(grammar: French, match: re.Match[str]) -> str | None:
    return "sept jours sur sept" if match["days"] else "vingt-quatre heures sur vingt-quatre"


def _height(grammar: French, match: re.Match[str]) -> str | None:
    return f"{grammar.counted(Numeral(match['meters']), grammar.unit('length-meter'))} {grammar.cardinal(int(match['centimeters']))}"


def _split_by_sign(grammar: French, match: re.Match[str]) -> str | None:
    return grammar.amount(Numeral(match["a"], match["d"]), grammar.words.money["EUR"])


def _mark(grammar: French, match: re.Match[str]) -> str | None:
    whole, _, decimals = match["n"].partition(",")
    return f"{grammar.number(Numeral(whole, decimals))} sur {grammar.cardinal(int(match['of']))}"


def _of_christ(grammar: French, match: re.Match[str]) -> str | None:
    is_end = after(match).lstrip()[:1].isupper() or not after(match).strip()
    return f"{grammar.cardinal(int(match['n']))} {'avant' if match['side'] == 'av' else 'après'} Jésus-Christ" + "." * is_end


class BelgianFrench(French):
    """Septante and nonante."""

    locale = "fr_BE"


class SwissFrench(French):
    """Huitante, too."""

    locale = "fr_CH"
