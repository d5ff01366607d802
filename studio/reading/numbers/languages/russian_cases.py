"""Russian inflection as far as numbers need it: which case and gender the words around a number ask for."""

import re

from studio.reading.numbers.wording import Form

__all__ = ["case_before", "case_of_year", "form_of", "ordinal_form", "ruler_form"]

_GENITIVE = """
    без до от ото около после из изо для более менее больше меньше свыше порядка среди возле вокруг против кроме ради старше младше моложе
"""
_GENITIVE_SET = frozenset(_GENITIVE.split())
_DATIVE_SET = frozenset(("к", "ко", "благодаря", "согласно"))
_ACCUSATIVE_SET = frozenset(("в", "во", "на", "за", "через", "про", "по", "под", "спустя"))
_LAST = re.compile(r"([^\W\d_]+)[\s\u00a0]$")
_WORDS = re.compile(r"[\s\u00a0]([^\W\d_-]+)(?:[\s\u00a0]([^\W\d_-]+))?")
_ADJECTIVE = re.compile(r"(?:ых|их|ые|ие|ый|ий|ой|ая|яя|ое|ее|ую|юю|ыми|ими|ым|им)$")
_MASCULINE_IN_A_WORDS = """
    мужчина мужчины юноша юноши дедушка дедушки дядя дяди судья судьи коллега коллеги папа папы пути
"""
_MASCULINE_IN_A = frozenset(_MASCULINE_IN_A_WORDS.split())
_NEUTER_IN_YA_WORDS = """
    время имя пламя знамя племя
"""
_NEUTER_IN_YA = frozenset(_NEUTER_IN_YA_WORDS.split())
_MASCULINE_SOFT_WORDS = """
    день рубль гость январь февраль апрель июнь июль сентябрь октябрь ноябрь декабрь корабль конь царь князь огонь камень уровень
"""
_MASCULINE_SOFT = frozenset(_MASCULINE_SOFT_WORDS.split())
_CASE_BY_ENDING = (("ами", "i"), ("ями", "i"), ("ьми", "i"), ("ах", "p"), ("ях", "p"), ("ам", "d"), ("ям", "d"))
_ORDINAL_ENDINGS = {
    "го": Form("g", "m"),
    "ого": Form("g", "m"),
    "его": Form("g", "m"),
    "му": Form("d", "m"),
    "ому": Form("d", "m"),
    "ему": Form("d", "m"),
    "ый": Form("n", "m"),
    "ий": Form("n", "m"),
    "я": Form("n", "f"),
    "ая": Form("n", "f"),
    "ья": Form("n", "f"),
    "ю": Form("a", "f"),
    "ую": Form("a", "f"),
    "ью": Form("a", "f"),
    "ое": Form("n", "n"),
    "ье": Form("n", "n"),
    "ой": Form("g", "f"),
    "ей": Form("g", "f"),
    "х": Form("g", "p"),
    "ых": Form("g", "p"),
    "ми": Form("i", "p"),
    "ыми": Form("i", "p"),
    "ые": Form("n", "p"),
}
_YEAR_CASES = {"год": "n", "года": "g", "году": "d", "годом": "i", "годе": "p"}


def case_before(before: str) -> str:
    """n, g, d or a, by the word right before."""
    found = _LAST.search(before)
    word = found[1].lower() if found else ""
    if word in _GENITIVE_SET or re.search(r"не (?:более|менее|больше|меньше|ранее|позднее)\s$", before):
        return "g"
    return "d" if word in _DATIVE_SET else "a" if word in _ACCUSATIVE_SET else "n"


def form_of(n: int, before: str, after: str) -> Form | None:
    """What a number of things agrees with. None: nobody can say."""
    found = _WORDS.match(after)
    words = [word.lower() for word in found.groups() if word] if found else []
    nouns = [word for word in words if not _ADJECTIVE.search(word)]
    noun = words[0] if words and words[0] in ("дней", "людей", "рублей", "детей") else (nouns or [""])[0]
    case = next((case for ending, case in _CASE_BY_ENDING if len(noun) > 3 and noun.endswith(ending)), case_before(before))
    if re.search(r"\bс(?:о)?\s$", before, re.IGNORECASE) and case == "n":
        case = "g"
    gender = ("f" if noun.endswith(("ы", "и")) else "m") if case == "g" else _gender(n, noun)
    if gender is None:
        return None
    return Form("n" if case == "a" and gender != "f" else case, gender)


def _gender(n: int, noun: str) -> str | None:
    last, is_teen = n % 10, n % 100 in range(11, 15)
    if is_teen or last not in (1, 2) or not noun:
        return "m"
    if noun in _MASCULINE_IN_A:
        return "m"
    if last == 2:
        return "f" if noun.endswith(("ы", "и")) else "m"
    if noun in _NEUTER_IN_YA or noun.endswith(("о", "е", "ё")):
        return "n"
    if noun.endswith("ь"):
        return "m" if noun in _MASCULINE_SOFT or noun.endswith(("тель", "арь")) else "f"
    return "f" if noun.endswith(("а", "я", "у", "ю")) else "m"


def ordinal_form(n: int, ending: str, before: str, after: str) -> Form | None:
    """Of "2-й": from the letters behind the hyphen and the words around."""
    found = _WORDS.match(after)
    noun = found[1].lower() if found else ""
    preposition = _LAST.search(before)
    is_place = bool(preposition) and preposition[1].lower() in ("в", "во", "на", "о", "об", "при")
    if ending == "й":
        return Form("g", "f") if noun.endswith(("и", "ы", "е")) and len(noun) > 2 else Form("n", "m")
    if ending in ("м", "ом", "ем"):
        return Form("p" if is_place else "i", "m")
    if ending in ("ым", "им"):
        return Form("i", "m")
    if ending == "е":
        return (
            Form("n", "p")
            if noun.endswith(("ы", "и")) or (not noun and n % 10 == 0) or (n % 10 == 0 and not noun.endswith(("о", "е")))
            else Form("n", "n")
        )
    return _ORDINAL_ENDINGS.get(ending)


def case_of_year(noun: str, before: str) -> str | None:
    """Of "год" in one of its forms, or shortened; with a preposition, "году" is where something happened."""
    found = _LAST.search(before)
    word = found[1].lower() if found else ""
    if noun in ("г", "г."):
        by_preposition = {"в": "p", "во": "p", "о": "p", "на": "a", "по": "a", "за": "a", "к": "d"}
        if word in _GENITIVE_SET | {"с", "со", "начала", "конца", "осени", "весны", "зимы", "лета", "января", "марта"}:
            return "g"
        return by_preposition.get(word, "g" if word else "n")
    if noun == "году":
        return "d" if word in ("к", "ко", "по") else "p"
    return _YEAR_CASES.get(noun)


def ruler_form(name: str, nominatives: frozenset[str]) -> Form | None:
    """Of the name of a ruler, in any case."""
    if name in nominatives:
        return Form("n", "f" if name.endswith(("а", "я")) else "m")
    stems = {"а": "g", "я": "g", "у": "d", "ю": "d", "ом": "i", "ем": "i", "ём": "i", "е": "p", "и": "p"}
    for ending, case in stems.items():
        stem = name.removesuffix(ending)
        if stem != name and any(one in nominatives for one in (stem, f"{stem}й", f"{stem}ий", f"{stem}ь", _FLEETING.get(stem, ""))):
            return Form(case, "m")
    women = {"ы": "g", "и": "g", "е": "d", "у": "a", "ю": "a", "ой": "i", "ей": "i"}
    for ending, case in women.items():
        stem = name.removesuffix(ending)
        if stem != name and any(one in nominatives for one in (f"{stem}а", f"{stem}я")):
            return Form(case, "f")
    return None


_FLEETING = {"Павл": "Павел", "Петр": "Пётр", "Льв": "Лев"}
