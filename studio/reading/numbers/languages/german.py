"""German numbers."""

import re

from studio.reading.numbers.grammar import STAYS, Grammar, Kind
from studio.reading.numbers.kinds import any_of
from studio.reading.numbers.languages.german_endings import GENDERS, case_before, gender_of, ordinal_ending
from studio.reading.numbers.languages.german_words import WORDS
from studio.reading.numbers.wording import Form, Money, Noun, Numeral

__all__ = ["German"]

_WOMEN = {"Elisabeth", "Katharina", "Margarete", "Maria", "Beatrix", "Königin", "Kleopatra", "Christina", "Margrethe"}
_ARTICLES = {"m": ("der", "des", "dem", "den"), "f": ("die", "der", "der", "die")}
_TENS = {1: "zehn", 2: "zwanzig", 3: "dreißig", 4: "vierzig", 5: "fünfzig", 6: "sechzig", 7: "siebzig", 8: "achtzig", 9: "neunzig"}
_ONE = {"": "eins", "n": {"m": "ein", "n": "ein", "f": "eine"}, "a": {"m": "einen", "n": "ein", "f": "eine"}}
_ONE |= {"d": {"m": "einem", "n": "einem", "f": "einer"}, "g": {"m": "eines", "n": "eines", "f": "einer"}}
_DENOMINATORS = {3: "Drittel", 4: "Viertel", 5: "Fünftel", 6: "Sechstel", 7: "Siebtel", 8: "Achtel", 9: "Neuntel", 10: "Zehntel"}
_MADE = r"(?:[Jj]ährig|tägig|wöchig|monatig|stündig|minütig|köpfig|teilig|stöckig|seitig|malig|stellig)\w*|mal|fach"
_NEUTERS = (
    "gramm",
    "pfund",
    "watt",
    "volt",
    "byte",
    "bit",
    "pixel",
    "prozent",
    "promille",
    "bar",
    "hertz",
    "Pfund",
    "Watt",
    "Volt",
    "Prozent",
    "Byte",
)
_HAVING = re.compile(r"\b(?:habe?|hast|hat|haben|hatten?|brauche?|brauchen|braucht|kaufte?n?|nehme?n?|nimmt?|gibt|bekam|isst|trinkt?e?)\s$")
_BEING = re.compile(r"(?:\b(?:ist|war|bleibt|fehlt|und|kommt)\s|[.:!?(]\s?|\n)$")
_CODE_AHEAD = re.compile(
    r"\b(?:PLZ|Postleitzahl|Code|PIN|ID|Kennwort|Passwort|Durchwahl|Konto|Kontonummer|Kundennummer)(?: lautet| ist|:)?\s$"
)
_NOUN_AHEAD = re.compile(
    r"\b(?:Platz|Rang|Kapitel|Seite|Zimmer|Raum|Gleis|Linie|Nummer|Nr\.|Position|Band|Teil|Tag|Stufe|Typ|Klasse|Artikel|Level)\s$"
)
_MEASURES = frozenset(
    ("Liter", "Meter", "Kilometer", "Zentimeter", "Millimeter", "Grad", "Euro", "Dollar", "Cent", "Esslöffel", "Teelöffel")
)
_TOWN_AHEAD = re.compile(r"(?:str(?:aße|\.)|weg|platz|allee|gasse|Postfach)\s\d+\s?[a-z]?,\s$")
_NOUN = re.compile(r"[ \u00a0]([A-ZÄÖÜ][\wäöüß]+)")
_CLOCK_AHEAD = re.compile(r"(?:um|ab|bis|gegen|von|zwischen|und|vor|nach|seit|Uhrzeit:?)\s$", re.IGNORECASE)


class German(Grammar):
    """German."""

    locale = "de"
    decimal, groups = ",", ".'’\u00a0\u202f\u2009"
    has_dotted_ordinals = True
    day_words = r"\."
    clock_words = r"Uhr"
    durations = r"Minuten|Min\.|Stunden|Std\.|min\b|h\b"
    phones = (r"0\d{2,5}\s?[ /-]\s?\d{2,}(?:[ /-]\d+)*",)
    roman_endings = r"\."
    words = WORDS

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """Eins, but ein Euro and eine Stunde."""
        if n == 1 and form.gender:
            return _ONE[form.case or "n"][form.gender]
        return super().cardinal(n)

    def form(self, before: str, after: str) -> Form | None:
        """Only of a one it matters."""
        return Form(case_before(before))

    def plain(self, numeral: Numeral, before: str, after: str) -> str | None:
        """Of a one before a noun whose gender nobody knows: stays."""
        noun = _NOUN.match(after)
        if numeral.count != 1 or numeral.is_spelled or noun is None:
            return self.number(numeral)
        if noun[1] == "Uhr":
            return "ein"
        gender, case = gender_of(noun[1]), case_before(before)
        if gender == "m" and case == "n" and before.strip() and noun[1] not in _MEASURES:  # one dog, or as an object
            case = "a" if _HAVING.search(before) else "n" if _BEING.search(before) else ""
        return self.cardinal(1, Form(case, gender)) if gender and case else None

    def year(self, n: int) -> str:
        """Neunzehnhundertvierundachtzig."""
        hundreds, rest = divmod(n, 100)
        return f"{self.cardinal(hundreds)}hundert{self.cardinal(rest) if rest else ''}" if 1100 <= n < 2000 else self.cardinal(n)

    def unit(self, name: str) -> Noun:
        """Whether it is one of the few genders that matter, its ending tells."""
        unit = super().unit(name)
        first = unit.forms[0].split()[0]
        return unit if unit.gender else Noun(unit.forms, "f" if first.endswith("e") else "n" if first.endswith(_NEUTERS) else "m")

    def is_year(self, n: int, before: str, after: str) -> bool:
        """Of what does not count the noun behind it."""
        if not 1100 <= n < 2000:
            return False
        noun = _NOUN.match(after)
        return noun is None or (n % 100 > 0 and super().is_year(n, before, after) and gender_of(noun[1]) is None)

    def amount(self, numeral: Numeral, money: Money, form: Form = Form()) -> str:
        """Fünf Euro fünfzig."""
        if len(numeral.decimals) == 2 and money.cents and int(numeral.decimals) and int(numeral.whole):
            return f"{self.counted(Numeral(numeral.whole), money.whole, form)} {self.cardinal(int(numeral.decimals))}"
        return super().amount(numeral, money, form)

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """Am dritten Mai, der dritte Mai."""
        ending = ordinal_ending(before, "", "m")
        return f"{self.ordinal(day)[:-1]}{ending} {self.month_names[month]}" + (f" {self.year(year)}" if year else "")

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """Vom dritten bis fünften Mai."""
        if first >= last:
            return None
        ending = ordinal_ending(before, "", "m")
        rest = f"{self.month_names[month]}" + (f" {self.year(year)}" if year else "")
        return f"{self.ordinal(first)[:-1]}{ending} bis {self.ordinal(last)[:-1]}{ending} {rest}"

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """Mai neunzehnhundertachtzig."""
        return f"{self.month_names[month]} {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Vierzehn Uhr dreißig."""
        if half or (before is not None and len(hour) < 2 and not _CLOCK_AHEAD.search(before)):
            return None
        return f"{self.cardinal(int(hour), Form('', 'm'))} Uhr" + (f" {self.cardinal(minute)}" if minute else "")

    def fraction(self, above: int, below: int) -> str | None:
        """Drei Viertel."""
        if below == 2:
            return "ein halb"
        return f"{self.cardinal(above, Form('', 'n'))} {_DENOMINATORS[below]}"

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """Zweieinhalb."""
        ahead = self.cardinal(whole, Form("", "n"))
        return f"{ahead}einhalb" if below == 2 else f"{ahead} {self.fraction(above, below)}"

    def century(self, n: int, before: str, after: str) -> str | None:
        """Im zweiten (Weltkrieg)."""
        noun = _NOUN.match(after)
        return noun and f"{self.ordinal(n)[:-1]}{ordinal_ending(before, noun[1], gender_of(noun[1]) or 'm')}"

    def is_ruler(self, name: str) -> bool:
        """Also in the genitive."""
        return name in self.words.rulers or name.removesuffix("s") in self.words.rulers

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """With the dot of an ordinal."""
        return roman in "IVX"

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """Der Vierzehnte, des Vierzehnten."""
        if not match[0].endswith("."):
            return self.cardinal(n) if len(match[0]) > 1 else None
        case = "g" if name not in self.words.rulers else case_before(before)
        articles = _ARTICLES["f" if name.removesuffix("s") in _WOMEN or name in _WOMEN else "m"]
        article = articles["ngda".index(case)]
        said = f"{article} {self.ordinal(n).capitalize()}" + ("" if case == "n" or (case == "a" and article == "die") else "n")
        behind = match.string[match.end() : match.end() + 2]
        return said + ("." if not behind.strip() or re.match(r"\n|\s[A-ZÄÖÜ]", behind) else "")

    def is_code(self, written: str, before: str) -> bool:
        """PLZ 10115, die 112."""
        is_emergency = written in ("110", "112", "115") and re.search(r"\b(?:die|Notruf|unter|Nummer)(?: der)?\s$", before)
        is_town = len(written) == 5 and _TOWN_AHEAD.search(before) is not None
        return bool(is_emergency) or is_town or (len(written) > 2 and _CODE_AHEAD.search(before) is not None)

    def first_kinds(self) -> list[Kind]:
        """Prices without cents; half of something."""
        return [
            self.kind(re.compile(r"(?P<n>\d{1,6}),(?:--?|[–—])(?:\s?(?P<euro>€|Euro|EUR))?(?!\w)"), _whole_price),
            self.kind(re.compile(rf"(?:½|1[/⁄]2)(?:\s?(?P<unit>{any_of(self.unit_names)})(?!\w)|(?=\s(?P<noun>[A-ZÄÖÜ]\w+)))"), _half),
        ]

    def decade_kinds(self) -> list[Kind]:
        """Neunziger."""
        return [self.kind(re.compile(r"(?P<century>1\d|20)?(?P<decade>[1-9])0(?P<end>ern?)(?P<joint>-?)(?![a-zäöü])"), _decade)]

    def kinds(self) -> list[Kind]:
        """Ordinals; words made with a number."""
        return [
            self.kind(re.compile(r"(?P<n>\d{1,3})\.[ \u00a0](?=(?P<word>[^\W\d_]+))"), _ordinal),
            self.kind(re.compile(rf"(?P<n>\d{{1,3}})[-‑ ]?(?P<end>{_MADE})\b"), _made),
            self.kind(
                re.compile(r"(?P<n>\d{1,2})er(?P<end>n?)(?![a-zäöü])"),
                lambda grammar, match: f"{grammar.cardinal(int(match['n']))}er{match['end']}",
            ),
            self.kind(
                re.compile(r"(?P<n>\d{1,3})x(?!\w)(?=\s[a-zäöü])"),
                lambda grammar, match: f"{grammar.cardinal(int(match['n']), Form('', 'n'))}mal",
            ),
            self.kind(
                re.compile(r"(?P<n>\d{1,3})\s?%-?(?P<end>ig\w*)"),
                lambda grammar, match: f"{grammar.cardinal(int(match['n']))}prozent{match['end']}",
            ),
        ]


def _whole_price(grammar: Grammar, match: re.Match[str]) -> str | None:
    n = Numeral(match["n"])
    return grammar.counted(n, grammar.words.money["EUR"].whole) if match["euro"] else grammar.number(n)


def _half(grammar: Grammar, match: re.Match[str]) -> str | None:
    """Ein halber Liter, eine halbe Stunde."""
    noun = grammar.unit(grammar.unit_names[match["unit"]]) if match["unit"] else None
    gender = noun.gender if noun else gender_of(match["noun"])
    half = {"m": "ein halber", "f": "eine halbe", "n": "ein halbes"}.get(gender or "")
    if half is None:
        return STAYS
    return f"{half} {noun.forms[0]}" if noun else half


def _decade(grammar: Grammar, match: re.Match[str]) -> str | None:
    decade = f"{_TENS[int(match['decade'])]}{match['end']}{match['joint']}"
    if match["century"]:
        century = int(match["century"])
        return f"{'zweitausend' if century == 20 else grammar.cardinal(century) + 'hundert'}{decade}"
    return decade


def _made(grammar: Grammar, match: re.Match[str]) -> str | None:
    n, end = int(match["n"]), match["end"]
    said = grammar.cardinal(n, Form("", "n")) + end.lower()
    return said.capitalize() if end[0].isupper() else said


def _ordinal(grammar: Grammar, match: re.Match[str]) -> str | None:
    """The third, where an article, a preposition or the noun behind says that it is no end of a sentence."""
    ahead = match.string[max(0, match.start() - 48) : match.start()]
    if _NOUN_AHEAD.search(ahead):
        return None
    word, n = match["word"], int(match["n"])
    gender = gender_of(word) if word[0].isupper() else None
    ending = ordinal_ending(ahead, word, gender, needs_article=word not in GENDERS)
    if ending is None:
        return STAYS if word[0].islower() else None
    return f"{grammar.ordinal(n)[:-1]}{ending} "
