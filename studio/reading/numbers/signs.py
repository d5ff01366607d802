"""sign_replacements: minus and currencies beside digits, in any language that CLDR knows and that has no grammar of its own here.

The digits stay: an engine reads them in its language. What it would not say of them, or say in the wrong place, are their signs.
"""

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import lru_cache

from studio.reading.traced_text import Replacement

__all__ = ["sign_replacements"]

_CURRENCIES = {
    "$": "USD", "US$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₹": "INR", "₩": "KRW", "₽": "RUB", "₺": "TRY", "₴": "UAH", "₪": "ILS",
    "₫": "VND", "₱": "PHP", "฿": "THB", "₦": "NGN", "₸": "KZT", "₼": "AZN", "₾": "GEL", "CHF": "CHF", "EUR": "EUR", "USD": "USD",
}  # fmt: skip
_SIGN = "|".join(map(re.escape, sorted(_CURRENCIES, key=len, reverse=True)))
_NUMBER = r"\d+(?:[.,\u00a0\u202f ]\d{3})*(?:[.,]\d{1,2})?"
_FOUND = re.compile(
    rf"(?<![\w.,:/+*^-])(?P<minus>[-−])?(?:(?P<before>{_SIGN})[\u00a0 ]?)?(?P<minus_behind>[-−])?(?P<n>{_NUMBER})"
    rf"(?:[\u00a0 ]?(?P<behind>{_SIGN})(?!\w))?(?![\w.,:/-]?\d)(?!\w)"
)


def sign_replacements(text: str, language: str) -> list[Replacement]:
    """In order, not overlapping. Nothing for a language that CLDR does not know."""
    return list(_replacements(text, language)) if _FOUND.search(text) else []


def _replacements(text: str, language: str) -> Iterator[Replacement]:
    for match in _FOUND.finditer(text):
        minus, sign = match["minus"] or match["minus_behind"], match["before"] or match["behind"]
        if not (minus or sign) or (match["before"] and match["behind"]):
            continue
        said = [_minus(language) if minus else "", match["n"], _currency(language, _CURRENCIES[sign], _plural(match["n"])) if sign else ""]
        if None not in said:
            yield Replacement(match.start(), match.end(), " ".join(filter(None, said)))


def _plural(written: str) -> str:
    """A number of the same kind, as far as plurals go: whole ones of up to six digits as they are."""
    return written if written.isdigit() and len(written) <= 6 else "1.5" if re.search(r"[.,]\d{1,2}\Z", written) else "1000"


@lru_cache(64)
def _minus(language: str) -> str | None:
    """The word, None where it is not known: CLDR writes minus one in words, and one."""
    from unicode_rbnf import RbnfEngine

    if language not in RbnfEngine.get_supported_languages():
        return None
    speller = RbnfEngine.for_language(language)
    kind = next((kind for kind in ("spellout-numbering", "spellout-cardinal") if kind in speller.rulesets), None)
    if kind is None:
        return None
    one, less = (speller.format_number(n, ruleset_names=[kind]).text for n in (1, -1))
    return less.removesuffix(one).strip("\u200b ") or None


@lru_cache(512)
def _currency(language: str, code: str, sample: str) -> str | None:
    from babel import Locale, UnknownLocaleError
    from babel.numbers import get_currency_name

    try:
        locale = Locale.parse(language, sep="-")
    except (UnknownLocaleError, ValueError):
        return None
    name = get_currency_name(code, count=Decimal(sample), locale=locale)
    return name if name != code else None
