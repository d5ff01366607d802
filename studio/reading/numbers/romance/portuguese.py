"""Portuguese, of Brazil and of Portugal."""

import re

from studio.reading.numbers.grammar import STAYS, Kind
from studio.reading.numbers.kinds import after
from studio.reading.numbers.romance.genders import FEMININE, words_of
from studio.reading.numbers.romance.portuguese_words import BRAZILIAN, CLOSERS, EUROPEAN, GENDERS, LABELS
from studio.reading.numbers.romance.romance import Romance
from studio.reading.numbers.wording import Form

__all__ = ["BrazilianPortuguese", "EuropeanPortuguese"]

_QUEENS = words_of("Maria Isabel Catarina Elizabeth Margarida Beatriz Ana Joana Leonor")
_FRACTIONS = ("", "", "meio", "terço", "quarto", "quinto", "sexto", "sétimo", "oitavo", "nono", "décimo")


class EuropeanPortuguese(Romance):
    """Of Portugal."""

    locale = "pt_PT"
    day_words = r"\sde"
    year_words = r"de\s"
    clock_words = r"horas?|hrs?|h"
    phones = (r"0[38]00[ -]\d{3}[ -]\d{4}", r"9\d{4}-\d{4}", r"9\d{2} \d{3} \d{3}")
    genders, closers, labels, words = GENDERS, CLOSERS, LABELS, EUROPEAN
    years_before = "[Ee]m|[Dd]esde|[Aa]té|[Aa]no|[Dd]e"
    feminine_articles = words_of("as às uma umas das nas")
    thousand = "mil"
    scores = "venc|vitória|ganh|perd|derrot|jogo|placar|empat|resultado|golea|contra"
    half = ("meio", "meia")
    time_articles = "[ÀàAa]s"
    day_articles = "[Oo]|[Dd]o|[Aa]o|[Ee]m|[Dd]ia"
    books = (
        "Gênesis|Génesis|Êxodo|Salmos?|Sl|Provérbios|Isaías|Mateus|Mt|Marcos|Mc|Lucas|Lc|João|Jo|Atos|Romanos|Coríntios|Hebreus|Apocalipse"
    )

    def in_words(self, n: int, rules: tuple[str, ...]) -> str:
        """A thousand millions without the one that CLDR puts ahead."""
        return re.sub(r"^um (?=mil milh)", "", super().in_words(n, rules))

    def fraction(self, above: int, below: int) -> str | None:
        """Meio, terço and so on."""
        return f"{self.cardinal(above)} {_FRACTIONS[below]}{'s' if above > 1 else ''}" if below < len(_FRACTIONS) else None

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """With de between."""
        said = f"{self.cardinal(day)} de {self.month_names[month]}"
        return said if year is None else f"{said} de {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Catorze e trinta."""
        if half or (before is not None and self.is_verse(before, hour)):
            return STAYS
        said = self.cardinal(int(hour), Form(gender=FEMININE))
        return f"{said} e {self.cardinal(minute)}" if minute else f"{said} {'hora' if int(hour) < 2 else 'horas'}"

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """Up to ten an ordinal, above it a cardinal."""
        return self.ordinal(n, Form(gender=FEMININE if name in _QUEENS else "")) if n <= 10 else self.cardinal(n)

    def first_kinds(self) -> list[Kind]:
        """Ordinals, years before Christ."""
        return [
            self.kind(re.compile(r"(?P<n>\d{1,3})\.?(?P<ending>[ºª°])(?!\w)(?!\s?[CF]\b)"), _ordinal),
            self.kind(re.compile(r"(?P<n>\d{1,4})\s(?P<side>a|d)\.\s?C(?P<stop>\.)"), _of_christ),
            *super().first_kinds(),
        ]


class BrazilianPortuguese(EuropeanPortuguese):
    """Of Brazil: the first of a month is an ordinal."""

    locale = "pt"
    words = BRAZILIAN

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """Primeiro de janeiro."""
        said = super().date(day, month, year, before)
        return f"primeiro{said[2:]}" if said and day == 1 else said


def _ordinal(grammar: EuropeanPortuguese, match: re.Match[str]) -> str | None:
    n, ending = int(match["n"]), match["ending"]
    if not 0 < n <= 100 or (ending == "°" and not grammar.noun_behind(after(match))):
        return None
    return grammar.ordinal(n, Form(gender=FEMININE if ending == "ª" else ""))


def _of_christ(grammar: EuropeanPortuguese, match: re.Match[str]) -> str | None:
    is_end = after(match).lstrip()[:1].isupper() or not after(match).strip()
    return f"{grammar.cardinal(int(match['n']))} {'antes' if match['side'] == 'a' else 'depois'} de Cristo" + "." * is_end
