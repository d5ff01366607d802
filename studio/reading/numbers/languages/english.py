"""English numbers: American, as plain "en" is, and British."""

import re

from studio.reading.numbers.grammar import Grammar, Kind
from studio.reading.numbers.kinds import END, any_of
from studio.reading.numbers.languages.english_words import WORDS
from studio.reading.numbers.wording import Form, Noun, Numeral

__all__ = ["American", "British"]

_HEIGHT = r"(?P<feet>[3-8])['′’]\s?(?P<inches>1[01]|\d)(?:[\"″”]|''|(?!\w))"
_UNCOUNTED = {
    "was",
    "is",
    "has",
    "as",
    "this",
    "its",
    "us",
    "his",
    "hers",
    "ours",
    "theirs",
    "does",
    "thus",
    "plus",
    "unless",
    "across",
    "towards",
    "versus",
}
_COUNTED = {"people", "men", "women", "children", "feet", "and", "more", "different", "new", "other", "of", "or", "years", "square"}
_WEDDED = re.compile(r"\s?([a-z]+)")
_CODE_AHEAD = re.compile(
    r"(?:\b(?:ZIP|zip|code|PIN|pin|ID|password|account|extension|ext\.|serial|postcode)(?: code| number| no\.)?(?: is|:)?"
    r"|\b(?:[Cc]all|[Dd]ial)(?:ed|ing)?)\s$"
)
_ATTRIBUTIVE = re.compile(r"\b(?:an?|another|my|your|his|her|our|their)\s$", re.IGNORECASE)
_MANY = {"10": "tens", "100": "hundreds", "1000": "thousands", "10000": "tens of thousands"}
_BIBLE = (
    "Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|Samuel|Kings|Chronicles|Ezra|Job|Psalms?|Proverbs|Ecclesiastes|Isaiah|"
)
_BIBLE += (
    "Jeremiah|Ezekiel|Daniel|Hosea|Amos|Jonah|Micah|Matthew|Matt|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Philippians|"
)
_BIBLE += "Colossians|Thessalonians|Timothy|Titus|Hebrews|James|Peter|Jude|Revelation|Gen|Ps|Rom|Cor"
_DECADES = {2: "twenties", 3: "thirties", 4: "forties", 5: "fifties", 6: "sixties", 7: "seventies", 8: "eighties", 9: "nineties"}
_DENOMINATORS = {2: "half|halves", 4: "quarter|quarters"}
_SCORE = re.compile(
    r"(?<!\w)(?:won|win|wins|beat|beats|lost|lose|loses|lead|leads|led|score|scored|victory|defeat|draw|drew|tied|final)(?!\w)",
    re.IGNORECASE,
)


class American(Grammar):
    """English of the United States."""

    locale = "en"
    least_blank_groups = 2
    other_groups = (r"\d{1,2}(?:,\d{2})+,\d{3}(?!\d)",)  # lakhs and crores
    is_month_first = has_month_first = True
    day_words = r"(?:st|nd|rd|th)?(?:\sof)?"
    year_words = r"of\s"
    durations = r"min(?:ute)?s?\b|hours?\b"
    clock_words = r"o['’]clock"
    phones = (r"(?:1[-. ])?\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4}", r"\d{3}-\d{4}", r"0\d{2,4} \d{3,4} ?\d{3,4}")
    roman_endings = r"(?:st|nd|rd|th)"
    has_dotted_ordinals = False
    has_and = False
    words = WORDS

    def cardinal(self, n: int, form: Form = Form()) -> str:
        """One hundred one, or as the British say, one hundred and one."""
        said = super().cardinal(n)
        return said if self.has_and else said.replace(" and ", " ")

    def ordinal(self, n: int, form: Form = Form()) -> str:
        """One hundred first."""
        said = super().ordinal(n)
        return said if self.has_and else said.replace(" and ", " ")

    def year(self, n: int) -> str:
        """Nineteen oh five, two thousand five, twenty twenty-four."""
        hundreds, rest = divmod(n, 100)
        if not 1000 <= n < 3000 or n % 1000 < 10:
            return self.cardinal(n)
        if not rest:
            return f"{self.cardinal(hundreds)} hundred"
        return f"{self.cardinal(hundreds)} {'oh ' if rest < 10 else ''}{self.cardinal(rest)}"

    def is_year(self, n: int, before: str, after: str) -> bool:
        """Any number of four digits that counts nothing."""
        if super().is_year(n, before, after):
            return True
        word = _WEDDED.match(after)
        if word is None:
            return 1100 <= n < 2100 or (n < 1100 and after[:4] in (" AD", " CE", " BC"))
        counts = word[1] in _COUNTED or (word[1].endswith("s") and word[1] not in _UNCOUNTED)
        return 1100 <= n < 2100 and not counts

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """March fourth, twenty twenty-five."""
        if re.search(r"\b[Tt]he\s$", before):
            return f"{self.ordinal(day)} of {self.month_names[month]}" + (f" {self.year(year)}" if year else "")
        return self.date_month_first(day, month, year)

    def date_month_first(self, day: int, month: int, year: int | None) -> str | None:
        """March fourth, twenty twenty-five."""
        return f"{self.month_names[month]} {self.ordinal(day)}" + (f", {self.year(year)}" if year else "")

    def days(self, first: int, last: int, month: int, year: int | None, before: str) -> str | None:
        """The third to the fifth of May."""
        if first >= last:
            return None
        the = "" if re.search(r"\b[Tt]he\s$", before) else "the "
        return f"{the}{self.ordinal(first)} to the {self.ordinal(last)} of {self.month_names[month]}" + (
            f" {self.year(year)}" if year else ""
        )

    def days_month_first(self, first: int, last: int, month: int, year: int | None) -> str | None:
        """May third to fifth."""
        if first >= last:
            return None
        the = "the " if self.has_and else ""
        said = f"{self.month_names[month]} {the}{self.range(self.ordinal(first), the + self.ordinal(last))}"
        return said + (f", {self.year(year)}" if year else "")

    def month_of_year(self, name: str, month: int, year: int, before: str) -> str | None:
        """May 1984."""
        return f"{self.month_names[month]} {self.year(year)}"

    def clock(self, hour: str, minute: int | None, half: str, before: str | None) -> str | None:
        """Two oh five PM, fourteen thirty, ten o'clock."""
        said = (
            self.cardinal(int(hour))
            if len(hour) == 1 or hour[0] != "0" or half
            else f"oh {self.cardinal(int(hour))}".replace("oh zero", "zero")
        )
        if minute:
            said += f" {'oh ' if minute < 10 else ''}{self.cardinal(minute)}"
        elif not half and 1 <= int(hour) <= 12:
            said = f"{self.cardinal(int(hour))} o'clock"
        elif not half:
            said += " hundred"
        return f"{said} {half.upper()}M" if half else said

    def raised(self, exponent: int, is_negative: bool) -> str:
        """To the sixth, to the minus three."""
        return f"to the minus {self.cardinal(exponent)}" if is_negative else f"to the {self.ordinal(exponent)}"

    def fraction(self, above: int, below: int) -> str | None:
        """Three quarters."""
        one, more = _DENOMINATORS.get(below, "|").split("|")
        name = (one if above == 1 else more) or self.ordinal(below) + ("" if above == 1 else "s")
        return f"{self.cardinal(above)} {name}"

    def mixed(self, whole: int, above: int, below: int) -> str | None:
        """Two and a half."""
        fraction = self.fraction(above, below)
        return f"{self.cardinal(whole)} and {'a' + fraction[3:] if above == 1 and fraction else fraction}"

    def noun_of_fraction(self, noun: Noun, is_mixed: bool) -> str:
        """Half a mile is left to "one half mile"."""
        return noun.forms[-1] if is_mixed else noun.forms[0]

    def is_no_fraction(self, before: str, after: str) -> bool:
        """On 3/4, 4/5 stars."""
        return bool(
            re.search(r"\b(?:on|since|until|by|due|dated|from|rated?|scored?|track|signature)\s$", before, re.IGNORECASE)
        ) or after.lstrip().startswith(("stars", "time", "★"))

    def years(self, first: int, last: int, before: str, after: str) -> str | None:
        """Nineteen thirty-nine to forty-five."""
        last_said = self.cardinal(last) if last < 100 else self.year(last)
        return self.range(self.year(first), last_said)

    def is_unit(self, written: str, number: str, after: str) -> bool:
        """ "5m users" are millions, "737s" are many; 5m alone is a length."""
        if written in {"s", "K", "B", "T", "b", "M", "W", "V"} and (written == "s" or number.isdigit()):
            return written in {"W", "V"} or (written == "s" and "." in number)
        word = _WEDDED.match(after)
        return written != "m" or word is None or not word[1].endswith("s") or word[1] in _UNCOUNTED

    def is_code(self, written: str, before: str) -> bool:
        """ZIP 90210, call 911."""
        is_zip = len(written) == 5 and re.search(r", [A-Z]{2}\s$", before) is not None
        return is_zip or (len(written) > 2 and _CODE_AHEAD.search(before) is not None)

    def form(self, before: str, after: str) -> Form | None:
        """A $5 bill: a noun before a noun is singular."""
        return Form("attributive") if _ATTRIBUTIVE.search(before) and re.match(r"\s[a-z]{3}", after) else Form()

    def noun(self, noun: Noun, numeral: Numeral, form: Form = Form()) -> str:
        """A $5 bill."""
        return noun.forms[0] if form.case else super().noun(noun, numeral, form)

    def scaled(self, numeral: Numeral, scale: Noun, noun: Noun, form: Form = Form()) -> str:
        """A $20 million deal."""
        return f"{self.counted(numeral, scale, form)} {noun.forms[0] if form.case else self.of_scale(noun)}"

    def is_ruler_alone(self, roman: str, after: str) -> bool:
        """Elizabeth I, Charles V; but no "James I know", no "Malcolm X"."""
        return roman in "IV" and bool(
            re.match(r"$|[.,;:!?)]|['’]s\b|\s(?:of|was|and|died|ruled|reigned|became|had|in|to|from|on)\b|\s[(—–-]", after)
        )

    def ruler(self, n: int, name: str, match: re.Match[str], before: str) -> str | None:
        """The eighth."""
        return f"the {self.ordinal(n)}"

    def is_version(self, before: str) -> bool:
        """Version 1.2.3.4, build 1.2.3.4."""
        return bool(re.search(r"(?:version|release|build|v)\.?\s$", before, re.IGNORECASE))

    def decade_kinds(self) -> list[Kind]:
        """The nineties, with or without their century."""
        ahead = r"(?:(?<=the )|(?<=late )|(?<=early )|(?<=mid )|(?<=his )|(?<=her )|(?<=my )|(?<=their )|(?<=your )|(?<=our ))"
        return [
            self.kind(re.compile(r"(?P<century>1\d|20)(?P<decade>\d)0['’]?s(?!\w)"), _decade),
            self.kind(re.compile(r"(?P<century>)['’](?P<decade>[2-9])0['’]?s(?!\w)"), _decade),
            self.kind(re.compile(rf"(?P<century>){ahead}(?P<decade>[2-9])0['’]?s(?!\w)"), _decade),
        ]

    def first_kinds(self) -> list[Kind]:
        """Verses of the Bible, which look like times."""
        return [self.kind(re.compile(rf"(?P<a>\d{{1,3}}):(?P<b>\d{{1,3}})(?:[-–](?P<c>\d{{1,3}}))?{END}"), _verse)]

    def kinds(self) -> list[Kind]:
        """Ordinals; heights in feet and inches; scores; years with a sign."""
        return [
            self.kind(
                re.compile(r"(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})(?:st|nd|rd|th|ST|ND|RD|TH)(?:[-–](?P<to>\d{1,3})(?:st|nd|rd|th))?(?!\w)"),
                _ordinal,
            ),
            self.kind(re.compile(_HEIGHT), _height),
            self.kind(re.compile(r"(?P<feet>\d{1,2}) ?ft\.? ?(?P<inches>1[01]|\d) ?in(?!\w)\.?(?! [a-z]*ing)"), _height),
            self.kind(re.compile(r"(?P<a>\d{1,4})-(?P<word>to|for|on|by|in|of|and)-(?P<b>\d{1,4})(?![\w.])"), _joined),
            self.kind(re.compile(r"(?P<n>1000?0?)s(?= of\b)"), lambda grammar, match: _MANY[match["n"]]),
            self.kind(re.compile(r"(?P<n>\d{1,3})x(?!\w)(?=(?P<more> (?:\w+er|more|less|as|the)\b)?)"), _times),
            self.kind(re.compile(rf"(?P<a>\d{{1,3}})[-–](?P<b>\d{{1,3}}){END}"), _score),
            self.kind(re.compile(r"['’](?P<year>\d\d)(?!\w|['’])"), _short_year),
            self.kind(re.compile(r"(?P<n>\d{1,3})(?P<sign>k)(?!\w|/)"), lambda grammar, match: f"{grammar.cardinal(int(match['n']))} k"),
            self.kind(re.compile(rf"(?P<n>\d+(?:\.\d+)?)(?P<sign>{any_of(('M', 'B', 'bn', 'mn', 'tn'))})(?!\w|/)"), _marked),
        ]


class British(American):
    """English of the United Kingdom."""

    locale = "en_GB"
    is_month_first = False
    has_and = True

    def date(self, day: int, month: int, year: int | None, before: str) -> str | None:
        """The fourth of March twenty twenty-five."""
        the = "" if re.search(r"\b[Tt]he\s$", before) else "the "
        return f"{the}{self.ordinal(day)} of {self.month_names[month]}" + (f" {self.year(year)}" if year else "")

    def date_month_first(self, day: int, month: int, year: int | None) -> str | None:
        """March the fourth."""
        return f"{self.month_names[month]} the {self.ordinal(day)}" + (f", {self.year(year)}" if year else "")


def _ordinal(grammar: Grammar, match: re.Match[str]) -> str | None:
    said = grammar.ordinal(int(match["n"].replace(",", "")))
    return grammar.range(said, grammar.ordinal(int(match["to"]))) if match["to"] else said


def _decade(grammar: Grammar, match: re.Match[str]) -> str | None:
    century, decade = match["century"], int(match["decade"])
    if not century:
        return _DECADES[decade]
    if decade == 0:
        return f"{grammar.cardinal(int(century))} hundreds" if century != "20" else "two thousands"
    return f"{grammar.cardinal(int(century))} {_DECADES[decade] if decade > 1 else 'tens'}"


def _height(grammar: Grammar, match: re.Match[str]) -> str | None:
    return f"{grammar.cardinal(int(match['feet']))} foot {grammar.cardinal(int(match['inches']))}"


def _score(grammar: Grammar, match: re.Match[str]) -> str | None:
    if int(match["a"]) < int(match["b"]) and re.match(r"\s[a-z]+s\b", match.string[match.end() :][:24]):
        return None
    around = match.string[max(0, match.start() - 40) : match.end() + 20]
    if not _SCORE.search(around) or len(match["a"]) + len(match["b"]) > 5:
        return None
    return f"{grammar.cardinal(int(match['a']))} to {grammar.cardinal(int(match['b']))}"


def _joined(grammar: Grammar, match: re.Match[str]) -> str | None:
    return f"{grammar.cardinal(int(match['a']))}-{match['word']}-{grammar.cardinal(int(match['b']))}"


def _times(grammar: Grammar, match: re.Match[str]) -> str | None:
    return f"{grammar.cardinal(int(match['n']))} {'times' if match['more'] else 'x'}"


def _verse(grammar: Grammar, match: re.Match[str]) -> str | None:
    """Of a book of the Bible."""
    if not re.search(rf"\b(?:{_BIBLE})\.?\s$", match.string[: match.start()][-24:]):
        return None
    said = f"{grammar.cardinal(int(match['a']))} {grammar.cardinal(int(match['b']))}"
    return grammar.range(said, grammar.cardinal(int(match["c"]))) if match["c"] else said


def _short_year(grammar: Grammar, match: re.Match[str]) -> str | None:
    n = int(match["year"])
    return f"oh {grammar.cardinal(n)}" if 0 < n < 10 else grammar.cardinal(n) if n else None


def _marked(grammar: Grammar, match: re.Match[str]) -> str | None:
    if "." not in match["n"] and not re.match(r"\s[a-z]", match.string[match.end() :][:2]):
        return None  # a company's name
    whole, _, decimals = match["n"].partition(".")
    scale = grammar.words.scales[grammar.words.scale_signs[match["sign"]]]
    return grammar.counted(Numeral(whole, decimals), scale)
