"""Italian."""

import re

from studio.reading.numbers.grammar import STAYS, Kind
from studio.reading.numbers.kinds import after, before
from studio.reading.numbers.romance.genders import FEMININE, MASCULINE, words_of
from studio.reading.numbers.romance.italian_words import CLOSERS, GENDERS, LABELS, WORDS
from studio.reading.numbers.romance.romance import Romance
from studio.reading.numbers.wording import Form, Noun, Numeral

__all__ = ["Italian"]

_ORDERED = words_of("secolo capitolo tomo libro atto scena parte canto volume")
_QUEENS = words_of("Elisabetta Caterina Maria Margherita Beatrice Anna Giovanna Cristina")


class Italian(Romance):
    """Of Italy and of Switzerland."""

    locale = "it"
    clock_words = r"h"
    phones = (
        r"0\d{1,3}[ /.-]\d{3,4}[ .-]?\d{3,4}",
        r"3\d{2}[ /.-]\d{3}[ .-]?\d{4}",
        r"3\d{2} \d{2} \d{2} \d{3}",
        r"800[ .-]?\d{3}[ .-]?\d{3}",
    )
    genders, closers, labels, words = GENDERS, CLOSERS, LABELS, WORDS
    years_before = "[Nn]el|[Dd]al|[Dd]el|[Aa]nno"
    feminine_articles = words_of("la le una alle")
    thousand = "mila"
    half = ("mezzo", "mezza")
    de = "di"
    scores = "vinc|vinto|vitt|batt|perd|perso|sconfi|partita|pareggi|risultato|contro"
    days_joint = "al"
    time_articles = "[Aa]lle|[Dd]alle|[Oo]re|[Ll]e|[Oo]re:"
    day_articles = "[Ii]l|[Dd]el|[Aa]l|[Dd]al"
    books = "Genesi|Gen|Esodo|Salm[oi]|Sal|Proverbi|Isaia|Matteo|Mt|Marco|Mc|Luca|Lc|Giovanni|Gv|Atti|Romani|Corinzi|Ebrei|Apocalisse"

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """Un and una agree with a noun; of ventuno and all others nobody hears that they do."""
        return super().cardinal(n, form if n == 1 else Form())

    def counted(self, numeral: Numeral, noun: Noun, form: Form = Form()) -> str:
        """Una is shortened in front of a vowel."""
        return re.sub(r"^una (?=[aeiouh])", "un'", super().counted(numeral, noun, form))

    def fraction(self, above: int, below: int) -> str | None:
        """Mezzo has a name of its own; all others are ordinals."""
        said = "mezzo" if below == 2 else self.ordinal(below)
        return f"{self.cardinal(above, Form(gender=MASCULINE))} {said if above == 1 else said[:-1] + 'i'}"

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """The first is an ordinal."""
        is_first = day == 1 and not before.endswith(("l'", "l’"))
        said = f"{self.ordinal(1) if is_first else self.cardinal(day)} {self.month_names[month]}"
        return said if year is None else f"{said} {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Le quattordici e trenta."""
        if half or (before is not None and self.is_verse(before, hour)):
            return STAYS
        said = self.cardinal(int(hour), Form(gender=FEMININE))
        if minute:
            return f"{said} e {self.cardinal(minute)}"
        return said if before is not None else "un'ora" if said == "una" else f"{said} ore"

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """All are ordinals."""
        return self.ordinal(n, Form(gender=FEMININE if name in _QUEENS else ""))

    def of_roman_noun(self, n: int, before: str, after: str) -> str:
        """Capitolo quarto, but figura quattro."""
        words = [word.casefold() for word in re.findall(r"[^\W\d_]{2,}", before) if not set(word) <= set("IVXLC")]
        noun = words[-1].replace("secoli", "secolo")
        return self.ordinal(n, Form(gender=self.genders.of(noun))) if noun in _ORDERED else self.cardinal(n)

    def first_kinds(self) -> list[Kind]:
        """Ordinals, years before Christ."""
        return [
            self.kind(re.compile(r"(?P<n>\d{1,3})(?P<ending>[ºª°])(?!\w)(?!\s?[CF]\b)"), _ordinal),
            self.kind(re.compile(r"(?P<n>\d{1,4})\s(?P<side>a|d)\.\s?C(?P<stop>\.)"), _of_christ),
            self.kind(re.compile(r"1[ \u00a0](?=(?P<noun>[^\W\d_]+))"), _one),
            *super().first_kinds(),
        ]


def _ordinal(grammar: Italian, match: re.Match[str]) -> str | None:
    n, ending = int(match["n"]), match["ending"]
    if not 0 < n <= 100 or (ending == "°" and not grammar.noun_behind(after(match))):
        return None
    return grammar.ordinal(n, Form(gender=FEMININE if ending == "ª" else ""))


def _one(grammar: Italian, match: re.Match[str]) -> str | None:
    """In front of a noun: un, uno, una or un'."""
    noun = grammar.noun_behind(f" {match['noun']}").casefold()
    gender = grammar.genders.of(noun) if noun and noun not in {*grammar.unit_names, *grammar.month_numbers} else ""
    if not gender or re.search(rf"(?<!\w)(?:{grammar.labels})\s$", before(match)):
        return None
    if gender == FEMININE:
        return "un'" if noun[0] in "aeiou" else "una "
    return "uno " if re.match(r"s[^aeiou]|z|gn|ps|pn|x|y", noun) else "un "


def _of_christ(grammar: Italian, match: re.Match[str]) -> str | None:
    is_end = after(match).lstrip()[:1].isupper() or not after(match).strip()
    return f"{grammar.cardinal(int(match['n']))} {'avanti' if match['side'] == 'a' else 'dopo'} Cristo" + "." * is_end
