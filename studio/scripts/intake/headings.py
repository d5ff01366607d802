"""Headings of chapters as books write them: "CHAPTER I.", "Chapter 12: The Cave", "Erstes Kapitel", "第一章", "Глава первая", "IV".

What only looks like one is none: "Chapter 3 was the hardest to write." goes on in a small letter.
"""

import re
from functools import cache

__all__ = ["bare_number", "is_bare_heading", "is_chapter_heading", "is_contents_title", "is_title_line", "roman_value"]

_MOST_CHARACTERS, _MOST_TITLE_CHARACTERS = 120, 80
_SENTENCE_END = re.compile(r"[.!?…。！？,;:][\"'”’»」』)\]_*]*\Z")
# What is counted, in the languages of whose books people make audiobooks.
_COUNTED = """
    chapter chap book part volume vol act scene section canto letter stave episode
    kapitel kap teil buch band akt aufzug auftritt szene abschnitt brief folge
    chapitre partie livre tome acte scène scene lettre épisode
    capítulo capitulo cap parte libro acto escena carta episodio capitolo atto scena lettera ato cena livro
    hoofdstuk deel boek bedrijf kapittel del bok kapitola část rozdział rozdzial część tom
    глава часть книга том действие явление картина письмо розділ частина
    scena scaena scoena actus liber caput bölüm kısım kitap chương phần hồi quyển fejezet rész luku osa κεφάλαιο μέρος
""".split()  # noqa: SIM905 a list is longer
# Numbers as words, by how they begin; what follows is an ending of theirs.
_NUMBER_WORDS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen
    twenty thirty forty fifty sixty seventy eighty ninety hundred first second third fourth fifth sixth seventh eighth ninth tenth
    eleventh twelfth twentieth last
    eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig erst zweit dritt viert fünft sechst siebt siebent neunt
    zehnt elft zwölft dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn letzt
    un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize vingt premier première deuxième
    troisième quatrième cinquième sixième septième huitième neuvième dixième onzième douzième dernier dernière
    uno una dos tres cuatro cinco seis siete ocho nueve diez once doce primer segund tercer cuart quint sext séptim octav noven
    décim undécim duodécim prim terz quart sest settim ottav non decim due tre quattro cinque sei sette otto nove dieci
    um uma dois duas três quatro oito dez terceir sétim oitav
    een twee drie vijf zes zeven negen tien eerst tweed derd viert
    один два три четыр пят шест сем восем девят десят перв втор трет четв седьм восьм одиннадцат двенадцат тринадцат
    четырнадцат пятнадцат шестнадцат семнадцат восемнадцат девятнадцат двадцат тридцат последн
    secund terti quint sext septim octau nona nonus decima decimus ultim
    jeden dwa trzy pierwsz drug trzeci czwart piąt szóst siódm ósm dziewiąt dziesiąt
""".split()  # noqa: SIM905 a list is longer
_NAMED = """
    prologue epilogue preface foreword introduction afterword interlude appendix postscript dedication
    prolog epilog vorwort einleitung nachwort vorrede anhang zwischenspiel widmung vorspiel nachspiel
    épilogue préface avant-propos postface introduction préambule
    prólogo epílogo prefacio introducción introduccion epilogo prefazione introduzione prologo prefácio introdução
    voorwoord inleiding nawoord proloog epiloog förord
    пролог эпилог предисловие введение послесловие вступление заключение przedmowa wstęp
    序 序章 序言 序幕 前言 引子 楔子 尾声 尾聲 终章 終章 后记 後記 跋 番外 自序 あとがき まえがき プロローグ エピローグ 프롤로그 에필로그
""".split()  # noqa: SIM905 a list is longer
_CONTENTS = frozenset(
    """contents inhalt inhaltsverzeichnis sommaire índice indice sommario sumário inhoud innehåll содержание оглавление 目录 目錄 目次
    차례 목차 icindekiler içindekiler table_of_contents table_des_matières tabla_de_contenido spis_treści the_contents
    contents_of_this_volume""".split()  # noqa: SIM905 a list is longer
)
_DIGITS = "0-9０-９零〇一二三四五六七八九十百千两兩壹贰叁肆伍陆柒捌玖拾"
_ASIAN = re.compile(
    rf"(?:[^\s。，、！？]{{1,8}}[\s:：·]\s*)?第\s?[{_DIGITS}]{{1,8}}\s?[章回节節卷部篇集幕话話編编場场](?P<tail>(?:[\s:：、.．·—「『《【-].{{0,60}}|[^。！？]{{0,24}})?)"
    rf"|[卷][{_DIGITS}]{{1,4}}(?P<tail2>(?:[\s:：].{{0,60}})?)|제?\s?\d{{1,3}}\s?[장화부권](?P<tail3>(?:[\s:.].{{0,60}})?)"
)
_ASIAN_SENTENCE = re.compile("[。！？]|，.*，")
_ROMAN = r"M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,4})"
_ROMAN_VALUES = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_COUNTED_WORD = "|".join(sorted(set(_COUNTED), key=len, reverse=True))
_NUMBER_WORD = "|".join(sorted(set(_NUMBER_WORDS), key=len, reverse=True))
_NUMBER = (
    rf"(?:\d{{1,4}}(?:\.\d{{1,3}})?|(?=[ivxlcdm]){_ROMAN}"
    rf"|(?:the\s+)?(?:{_NUMBER_WORD})\w{{0,5}}(?:[\s-](?:{_NUMBER_WORD})\w{{0,5}}){{0,2}})"
)
_SEPARATOR = r"\s*[.:;,)\]—–―-]+\s*"
_MARKS = r"[\[(_*=~#\s]*"
_BEHIND = r"(?P<end>[)\]_*=~]*)(?P<tail>(?!\w).{0,100})"
_LEADING = re.compile(
    rf"{_MARKS}(?:{_COUNTED_WORD})\b\.?\s+(?:no?\.?\s*|nr\.?\s*|n°\s*|№\s*)?(?P<number>{_NUMBER}){_BEHIND}", re.IGNORECASE
)
_TRAILING = re.compile(  # "Erstes Kapitel", "2. Teil", "First Part", "XII. KAPITEL"
    rf"{_MARKS}(?:the\s+|das\s+|der\s+|la\s+|le\s+|el\s+)?(?P<number>{_NUMBER})\.?\s+(?:{_COUNTED_WORD}){_BEHIND}", re.IGNORECASE
)
_BARE = re.compile(
    rf"[\[(_*=~—–\s-]*(?:(?P<digits>\d{{1,3}})|(?=[IVXLCDM])(?P<roman>{_ROMAN}))(?P<end>[)\]_*=~—–\s-]*)(?P<tail>(?!\w).{{0,80}})"
)
_TAIL_STARTS = re.compile(rf"{_SEPARATOR}")
_NUMBER_ENDS = re.compile(r"\s*[.:)\]—–-]+\s*")


def is_chapter_heading(text: str) -> bool:
    """Whether it counts or names a chapter. text: one line, or a heading of several."""
    return _tail(_one_line(text)) is not None


def is_bare_heading(text: str) -> bool:
    """Whether it only counts a chapter and gives it no title: "CHAPTER I.", "12"."""
    text = _one_line(text)
    tail = _tail(text)
    if tail is None and (found := _BARE.fullmatch(text)):
        tail = found["tail"]
    return tail is not None and not any(map(str.isalnum, tail)) and text.casefold().strip(" .:*_=") not in _names()


def is_contents_title(text: str) -> bool:
    """Whether a table of contents stands behind it."""
    return "_".join(re.sub(r"[^\w\s]|_", "", text).casefold().split()) in _CONTENTS


def is_title_line(text: str) -> bool:
    """Whether a first line that stands alone may be the title of what follows."""
    text = text.strip()
    return (
        0 < len(text) <= _MOST_TITLE_CHARACTERS
        and not _SENTENCE_END.search(text)
        and any(map(str.isalpha, text))
        and not (text[0].islower() or text[0] in "-*+•>|" or bare_number(text))
    )


def bare_number(text: str) -> tuple[int, str] | None:
    """The number that a line begins with and what stands behind it: "IV", "12.", "I. A Scandal in Bohemia". None where it is no number."""
    found = _BARE.fullmatch(_one_line(text))
    if found is None:
        return None
    tail = found["tail"].strip()
    separator = _NUMBER_ENDS.match(tail)
    title = tail[separator.end() :] if separator else tail
    if (title and not separator) or title[:1].isdigit() or (title and title[0].islower()) or title.endswith((",", ";")):
        return None
    number = int(found["digits"]) if found["digits"] else roman_value(found["roman"])
    return (number, title) if number else None


def roman_value(numeral: str) -> int:
    """Of a numeral in capitals; 0 for ""."""
    values = [_ROMAN_VALUES[letter] for letter in numeral]
    return sum(-value if value < following else value for value, following in zip(values, [*values[1:], 0], strict=True))


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _tail(text: str) -> str | None:
    """What stands behind the number of a heading; None where it is no heading."""
    if not text or len(text) > _MOST_CHARACTERS:
        return None
    if text.casefold().strip(" .:*_=[]") in _names():
        return ""
    found = _LEADING.fullmatch(text) or _TRAILING.fullmatch(text)
    if found:
        return found["tail"] if _may_follow(found["tail"]) else None
    asian = _ASIAN.fullmatch(text)
    if asian is None or _ASIAN_SENTENCE.search(text):
        return None
    return asian["tail"] or asian["tail2"] or asian["tail3"] or ""


def _may_follow(tail: str) -> bool:
    """Whether a title may go on like this behind the number."""
    separator = _TAIL_STARTS.match(tail)
    title = (tail[separator.end() :] if separator else tail).lstrip("\"'“‘«„(¿¡_* ")
    if not title:
        return True
    if title[0].islower():
        return bool(separator) and not title.rstrip().endswith((".", "!", "?", ",", ";"))
    return not title.endswith((",", ";"))


@cache
def _names() -> frozenset[str]:
    return frozenset(_NAMED)
