"""Whole numbers as spoken words, in English, German, French and Spanish. For Chinese and Japanese: as characters.

So that "21" and "twenty-one" are the same words. Cardinals below a million (below ten thousand millions in Chinese); years and ordinals
are said otherwise, and count as errors where one writes digits and the other words.
"""

from collections.abc import Callable, Mapping

__all__ = ["spoken_number"]


def _listed(words: str) -> list[str]:
    return words.split()


_EN = _listed(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
)
_EN_TENS = _listed("twenty thirty forty fifty sixty seventy eighty ninety")
_DE = _listed(
    "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn fünfzehn sechzehn siebzehn achtzehn neunzehn"
)
_DE_TENS = _listed("zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig")
_FR = _listed("zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf")
_FR_TENS = _listed("vingt trente quarante cinquante soixante soixante quatre-vingt quatre-vingt")
_ES = _listed(
    "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis diecisiete dieciocho diecinueve"
    " veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho veintinueve"
)
_ES_TENS = _listed("veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS = _listed("ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos")
_HAN, _HAN_UNITS = "零一二三四五六七八九", ("千", "百", "十", "")
_MOST, _MOST_HAN = 10**6, 10**8


def spoken_number(number: int, language: str) -> str | None:
    """Its words, apart from each other as written; None in a language that is not known here, or of a number that is too large."""
    say, most = _SAID.get(language, (None, 0))
    return say(number) if say is not None and 0 <= number < most else None


def _english(n: int) -> str:
    if n < 100:
        return _EN[n] if n < 20 else " ".join([_EN_TENS[n // 10 - 2], *([_EN[n % 10]] if n % 10 else [])])
    size, word = (1000, "thousand") if n >= 1000 else (100, "hundred")
    return " ".join([_english(n // size), word, *([_english(n % size)] if n % size else [])])


def _german(n: int) -> str:
    return "eins" if n == 1 else _german_stem(n) + ("s" if n > 100 and n % 100 == 1 else "")


def _german_stem(n: int) -> str:
    if n < 20:
        return _DE[n]
    if n < 100:
        return (_DE[n % 10] + "und" if n % 10 else "") + _DE_TENS[n // 10 - 2]
    size, word = (1000, "tausend") if n >= 1000 else (100, "hundert")
    return _german_stem(n // size) + word + (_german_stem(n % size) if n % size else "")


def _french(n: int) -> str:
    if n < 100:
        return _french_small(n)
    size, word = (1000, "mille") if n >= 1000 else (100, "cent")
    many, rest = divmod(n, size)
    name = word + ("s" if size == 100 and many > 1 and not rest else "")
    return " ".join([*([_french(many)] if many > 1 else []), name, *([_french(rest)] if rest else [])])


def _french_small(n: int) -> str:
    if n < 20:
        return _FR[n]
    tens, ones = divmod(n, 10)
    if tens in (7, 9):  # soixante et onze, quatre-vingt-dix
        ones += 10
    name = _FR_TENS[tens - 2] + ("s" if n == 80 else "")
    joined = " et " if ones in (1, 11) and tens < 8 else "-"
    return name + (joined + _FR[ones] if ones else "")


def _spanish(n: int) -> str:
    if n < 30:
        return _ES[n]
    if n < 100:
        return _ES_TENS[n // 10 - 2] + (f" y {_ES[n % 10]}" if n % 10 else "")
    if n < 1000:
        return "cien" if n == 100 else " ".join([_ES_HUNDREDS[n // 100 - 1], *([_spanish(n % 100)] if n % 100 else [])])
    many, rest = divmod(n, 1000)
    before = _spanish(many)
    if before.endswith("uno"):  # it is said shorter before what it counts
        before = before.removesuffix("uno") + ("ún" if before.endswith("veintiuno") else "un")
    return " ".join([*([before] if many > 1 else []), "mil", *([_spanish(rest)] if rest else [])])


def _han(n: int) -> str:
    if n >= 10_000:
        many, rest = divmod(n, 10_000)
        return _han(many) + "万" + ("零" if 0 < rest < 1000 else "") + (_han(rest) if rest else "")
    if n < 10:
        return _HAN[n]
    said = "".join(_HAN[int(digit)] + (unit if digit != "0" else "") for digit, unit in zip(f"{n:04}", _HAN_UNITS, strict=True))
    said = said.strip(_HAN[0])
    while "零零" in said:
        said = said.replace("零零", "零")
    return said.removeprefix("一") if said.startswith("一十") else said


_SAID: Mapping[str, tuple[Callable[[int], str], int]] = {
    "en": (_english, _MOST),
    "de": (_german, _MOST),
    "fr": (_french, _MOST),
    "es": (_spanish, _MOST),
    "zh": (_han, _MOST_HAN),
    "ja": (_han, _MOST_HAN),
}
