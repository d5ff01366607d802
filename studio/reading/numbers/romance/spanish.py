"""Spanish, of Spain and of America."""

import re

from studio.reading.numbers.grammar import STAYS, Kind
from studio.reading.numbers.kinds import END, after, any_of
from studio.reading.numbers.quantities import MONEY_SIGNS
from studio.reading.numbers.romance.genders import FEMININE, MASCULINE, words_of
from studio.reading.numbers.romance.romance import Romance
from studio.reading.numbers.romance.spanish_words import CLOSERS, GENDERS, LABELS, WORDS
from studio.reading.numbers.wording import Form, Numeral

__all__ = ["AmericanSpanish", "Spanish"]

_QUEENS = words_of("Isabel Juana Catalina María Ana Margarita Beatriz Elizabeth Cristina Urraca")
_ENDINGS = r"\.[oa]s?|os|as|\.?[ºª°]|er|r[oa]|d[oa]|t[oa]|m[oa]|v[oa]|n[oa]"  # of 1.º, 2ª, 3er, 1ra, 4to


class Spanish(Romance):
    """Of Spain."""

    locale = "es"
    day_words = r"\sde"
    year_words = r"(?:de|del)\s"
    clock_words = r"horas?|hrs?|h"
    genders, closers, labels, words = GENDERS, CLOSERS, LABELS, WORDS
    years_before = "[Ee]n|[Dd]esde|[Hh]acia|[Hh]asta|[Aa]ño|[Dd]el|[Dd]e"
    feminine_articles = words_of("la las una unas")
    thousand = "mil"
    half = ("medio", "media")
    scores = "gan[aóoe]|victoria|venc|perd|derrot|partido|marcador|empat|resultado|golea|contra"
    days_joint = "al"
    time_articles = "[Ll]as?"
    day_articles = "[Ee]l|[Dd]el|[Aa]l"
    books = "Génesis|Éxodo|Salmos?|Sal|Proverbios|Isaías|Mateo|Mt|Marcos|Mc|Lucas|Lc|Juan|Jn|Hechos|Romanos|Corintios|Hebreos|Apocalipsis"

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """Doscientas mil, too, of what is feminine."""
        said = super().cardinal(n, form)
        if form.gender != FEMININE:
            return said
        millions, sign, thousands = said.rpartition("llones ")
        return millions + sign + re.sub(r"(cient|quinient)os\b", r"\1as", thousands)

    def fraction(self, above: int, below: int) -> str | None:
        """Medio and tercio have names of their own."""
        name = {2: "medio", 3: "tercio"}.get(below) or self.ordinal(below)
        return f"{self.cardinal(above, Form(gender=MASCULINE))} {name}{'s' if above > 1 else ''}"

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """With de between."""
        said = f"{self.cardinal(day)} de {self.month_names[month]}"
        return said if year is None else f"{said} de {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """La una y cinco, las catorce treinta; of the morning or of the afternoon."""
        if before is not None and self.is_verse(before, hour):
            return STAYS
        n = int(hour)
        said = self.cardinal(n, Form(gender=FEMININE))
        if minute:
            said += f"{' y' if n < 13 or minute < 10 else ''} {self.cardinal(minute)}"
        elif not half and (before is None or not re.search(r"\blas?\s$", before)):
            said += " hora" if n == 1 else " horas"
        if half == "p":
            return f"{said} {'de la noche' if 8 <= n < 12 else 'de la tarde'}"
        return f"{said} de la mañana" if half else said

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """Up to ten an ordinal, above it a cardinal."""
        return self.ordinal(n, Form(gender=FEMININE if name in _QUEENS else "")) if n <= 10 else self.cardinal(n)

    def first_kinds(self) -> list[Kind]:
        """Ordinals, telephones, years before Christ, thousands with a comma."""
        signs = {sign: code for sign, code in (MONEY_SIGNS | self.words.money_signs).items() if sign.endswith("$")}

        def dollars(grammar: "Spanish", match: re.Match[str]) -> str | None:
            return grammar.counted(Numeral(match["a"].replace(",", "")), grammar.words.money[signs[match["money"]]].whole)

        return [
            self.kind(re.compile(rf"(?P<n>\d{{1,3}})(?P<ending>{_ENDINGS})(?!\w)(?!\s?[CF]\b)"), _ordinal),
            self.kind(re.compile(rf"[6789]\d{{2}}(?P<sep>[ -])\d{{3}}(?P=sep)\d{{3}}{END}"), _phone),
            self.kind(re.compile(rf"(?:[679]\d{{2}} \d\d \d\d \d\d|9\d \d{{3}} \d\d \d\d)(?P<sep>){END}"), _phone),
            self.kind(re.compile(r"(?P<n>\d{1,4})\s(?P<side>a|d)\.\s?(?:de\s)?C(?P<stop>\.)"), _of_christ),
            self.kind(re.compile(rf"(?P<money>{any_of(signs)})\s?(?P<a>[1-9]\d{{0,2}}(?:,\d{{3}})+){END}"), dollars),
            self.kind(
                re.compile(rf"[1-9]\d{{0,2}}(?:,\d{{3}})+{END}"), lambda grammar, match: STAYS
            ),  # 3,500 is 3 500 in Mexico, and 3.5 in Spain
            self.kind(re.compile(r"(?P<a>\d{1,4})['’´](?P<d>\d\d)\s?(?:€|euros?|EUR)(?!\w)"), _with_apostrophe),
            *super().first_kinds(),
        ]


class AmericanSpanish(Spanish):
    """Of America: the first of a month is an ordinal."""

    locale = "es_419"

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """Primero de enero."""
        said = super().date(day, month, year, before)
        return f"primero{said[3:]}" if said and day == 1 else said


def _ordinal(grammar: Spanish, match: re.Match[str]) -> str | None:
    n, ending, noun = int(match["n"]), match["ending"].lstrip("."), grammar.noun_behind(after(match))
    if not 0 < n <= 40 or (ending == "°" and not noun):
        return None
    if ending in ("ª", "as") or ending.endswith("a"):
        gender = FEMININE
    else:
        gender = MASCULINE if ending == "er" or (noun and grammar.genders.of(noun) == MASCULINE) else ""
    return grammar.ordinal(n, Form(gender="" if ending == "os" else gender)) + "s" * ending.endswith("s")


def _phone(grammar: Spanish, match: re.Match[str]) -> str | None:
    """Three times three digits in front of a noun are a number."""
    if match["sep"] == " " and grammar.noun_behind(after(match)):
        return None
    return ", ".join(grammar.digits(group) for group in re.findall(r"\d+", match[0]))


def _with_apostrophe(grammar: Spanish, match: re.Match[str]) -> str | None:
    return grammar.amount(Numeral(match["a"], match["d"]), grammar.words.money["EUR"])


def _of_christ(grammar: Spanish, match: re.Match[str]) -> str | None:
    is_end = after(match).lstrip()[:1].isupper() or not after(match).strip()
    return f"{grammar.cardinal(int(match['n']))} {'antes' if match['side'] == 'a' else 'después'} de Cristo" + "." * is_end
