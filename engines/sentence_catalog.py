"""SentenceCatalog: what is said in one language, from assets/words/, with its slots filled; plurals, numbers, times and sizes."""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal
from pathlib import Path
from typing import Any, cast

__all__ = ["FOLDER", "LANGUAGES", "PLURALS", "SLOT", "Sentence", "SentenceCatalog", "catalog_in"]

FOLDER = Path(__file__).resolve().parents[1] / "assets" / "words"
LANGUAGES = ("en", *sorted({file.stem for file in FOLDER.glob("*.json")} - {"en"}))  # English is what a visitor of no other gets
# Of a sentence: {name}, a number of seconds or bytes as {name:seconds}, or of other things as {name:texts}, which is figures.texts.
SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")

# CLDR 46, cardinals: the forms that a language has. Spanish and French have "many" for whole millions; who leaves it out says "other".
PLURALS: Mapping[str, tuple[str, ...]] = {
    "en": ("one", "other"),
    "de": ("one", "other"),
    "es": ("one", "many", "other"),
    "fr": ("one", "many", "other"),
    "zh": ("other",),
}
# Decimal mark, mark between thousands, and how many digits stand before the first of those at least: CLDR 46, as Intl.NumberFormat writes.
MARKS = {"en": (".", ",", 1), "de": (",", ".", 1), "es": (",", ".", 2), "fr": (",", "\u202f", 1), "zh": (".", ",", 1)}
MILLION = 1_000_000
ALL_DIGITS = Context(prec=400)  # of the largest float, and decimals behind them
MOST_DECIMALS = 3  # of a number that no format was asked for; Intl.NumberFormat's own
SIZES = ("bytes", "kilobytes", "megabytes", "gigabytes")  # of 1000 each, as the Hub and the shops of disks count
KILO = 1000
FEW = 100  # below, a size has one decimal
SECONDS_PER_MINUTE = 60
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]")  # blocks of Unicode
ISOLATE, POP = "\u2068", "\u2069"  # first strong isolate, and its end

Sentence = str | Mapping[str, str]  # or its plural forms, chosen by `n`


@dataclass(frozen=True)
class SentenceCatalog:
    """One language's. sections: section -> key -> sentence; in "errors", key -> fact and hint."""

    language: str
    sections: Mapping[str, Mapping[str, Any]]  # JSON

    def words(self, key: str, values: Mapping[str, object]) -> str:
        """The sentence with its slots filled. key: "section.key", or "errors.code.fact". Raises KeyError for what is not there."""
        return self._filled(self.sentence(key), values)

    def problem(self, code: str, values: Mapping[str, object], otherwise: tuple[str, str]) -> tuple[str, str]:
        """(fact, hint) of what went wrong; values["sentence"] says which, where a code has several.

        otherwise: where nothing is said of the code, or values are missing: an engine may come from elsewhere, with errors of its own.
        """
        said = self.sections["errors"].get(str(values.get("sentence") or code))
        try:
            return (self._filled(said["fact"], values), self._filled(said["hint"], values)) if said else otherwise
        except KeyError:
            return otherwise

    def sentence(self, key: str) -> Sentence:
        """As it is written in the file. Raises KeyError."""
        found: Any = self.sections
        for part in key.split("."):
            found = found[part] if isinstance(found, Mapping) else None
        if not isinstance(found, str | Mapping):
            raise KeyError(key)
        return found

    def plural(self, n: float) -> str:
        """Which form a number asks for."""
        if self.language == "zh":
            return "other"
        if abs(n) < 2 if self.language == "fr" else n == 1:
            return "one"
        is_many = "many" in PLURALS[self.language] and n != 0 and n % MILLION == 0
        return "many" if is_many else "other"

    def number(self, value: float, *, least: int = 0, most: int = MOST_DECIMALS) -> str:
        """With the marks of the language. least, most: decimals."""
        decimal, thousands, before = MARKS[self.language]
        exact = Decimal(str(value)).quantize(Decimal(1).scaleb(-most), ROUND_HALF_UP, ALL_DIGITS)
        whole, _, rest = f"{abs(exact):f}".partition(".")
        rest = rest.rstrip("0").ljust(least, "0")
        if len(whole) >= 3 + before:
            whole = f"{int(whole):,}".replace(",", thousands)
        return ("-" if exact < 0 else "") + whole + (decimal + rest if rest else "")

    def seconds(self, value: float) -> str:
        """Such as "84 ms", "3 s", "5.6 s" or "3 min 12 s"."""
        thousandths = _rounded(value * 1000)
        if thousandths < 1000:
            return self._figure("milliseconds", n=thousandths)
        tenths = value if value == int(value) else _rounded(value * 10) / 10
        if tenths < SECONDS_PER_MINUTE:
            return self._figure("seconds", n=self.number(tenths, least=0 if value == int(value) else 1, most=1))
        minutes, rest = divmod(_rounded(value), SECONDS_PER_MINUTE)
        return self._figure("minutes_seconds" if rest else "minutes", minutes=minutes, seconds=rest)

    def bytes(self, value: float) -> str:
        """Such as "812 kB" or "3.1 GB"."""
        size, unit = float(value), 0
        while _rounded(size) >= KILO and unit < len(SIZES) - 1:
            size, unit = size / KILO, unit + 1
        decimals = 1 if unit and (size < FEW or unit == len(SIZES) - 1) else 0
        return self._figure(SIZES[unit], n=self.number(size, least=decimals, most=decimals))

    def _figure(self, key: str, **values: object) -> str:
        return self.words(f"figures.{key}", values)

    def _filled(self, sentence: Sentence, values: Mapping[str, object]) -> str:
        if not isinstance(sentence, str):
            sentence = sentence.get(self.plural(cast(float, values["n"])), sentence["other"])
        return SLOT.sub(lambda slot: self._shown(values[slot[1]], slot[2]), sentence)

    def _shown(self, value: object, form: str | None) -> str:
        if isinstance(value, list | tuple):
            return self._listed([self._shown(one, form) for one in value])
        if not isinstance(value, int | float) or isinstance(value, bool):
            return _apart(str(value))
        if form is None:
            return self.number(value)
        own = {"seconds": self.seconds, "bytes": self.bytes}.get(form)
        return own(value) if own else self._figure(form, n=value)

    def _listed(self, parts: Sequence[str]) -> str:
        """Between commas; between semicolons where a part has commas of its own."""
        comma = self.words("figures.comma", {})
        return (self.words("figures.semicolon", {}) if any(comma.strip() in part for part in parts) else comma).join(parts)


@functools.cache
def catalog_in(language: str) -> SentenceCatalog:
    """Raises OSError for a language without a file."""
    return SentenceCatalog(language, json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8")))


def _rounded(value: float) -> int:
    """To the nearest whole number, halves up, as browsers round."""
    return int(Decimal(str(value)).quantize(Decimal(1), ROUND_HALF_UP))


def _apart(said: str) -> str:
    """What is written from right to left, so that the words beside it keep their places."""
    return f"{ISOLATE}{said}{POP}" if RIGHT_TO_LEFT.search(said) else said
